#include <stdexcept>

#include "plumbline/compare/decision.h"
#include "plumbline/compare/judgement_page.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_eval_report(std::string_view bytes) {
  expect_value_or_error([&] {
    const std::vector<EvalReport> reports = {parse_eval_report(std::string(bytes), "report.json")};
    const Judgement judgement = judge(reports, {});
    if (judgement.decision == Decision::kGo) throw std::logic_error("one seed is GO");
    judgement_html(judgement, {});
  });
}

}  // namespace plumbline::test
