#include "plumbline/verify/tasks/invention_verifier.h"

#include <utility>

#include "plumbline/verify/labels.h"

namespace plumbline {
namespace {

Verdict paid(Verdict verdict) {
  if (!verdict.is_infra()) conclude(verdict, "signed");
  return verdict;
}

/// Whether all public tests may have passed: only then can an answer be made for them alone.
bool may_be_special_cased(const Problem& problem, const Verdict& verdict) {
  const bool failed_a_test = verdict.outcome == Outcome::kWrong || verdict.outcome == Outcome::kError;
  return failed_a_test && !problem.holdout_tests.empty() &&
         verdict.tests_passed >= static_cast<int64_t>(problem.tests.size());
}

}  // namespace

void InventionVerifier::submit(GradeRequest request, OnAnswer on_answer) {
  GradeRequest whole = request;
  code_.submit(std::move(whole),
               [this, request = std::move(request), on_answer = std::move(on_answer)](GradeAnswer answer) mutable {
                 if (answer.error || !may_be_special_cased(*request.problem, answer.verdict)) {
                   answer.verdict = paid(std::move(answer.verdict));
                   return on_answer(std::move(answer));
                 }
                 const auto visible = std::make_shared<Problem>(*request.problem);
                 visible->holdout_tests.clear();
                 request.problem = visible.get();
                 code_.submit(std::move(request), [visible, whole_verdict = paid(std::move(answer.verdict)),
                                                   on_answer = std::move(on_answer)](GradeAnswer alone) mutable {
                   if (!alone.error) {
                     if (alone.verdict.is_infra()) return on_answer(std::move(alone));
                     if (alone.verdict.passed()) whole_verdict.integrity.push_back("special_cased");
                     alone.verdict = std::move(whole_verdict);
                   }
                   on_answer(std::move(alone));
                 });
                 code_.flush();
               });
}

}  // namespace plumbline
