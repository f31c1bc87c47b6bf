#include "plumbline/verify/custom/custom_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "plumbline/base/check.h"
#include "plumbline/verify/custom/reward_source.h"
#include "plumbline/verify/labels.h"

namespace plumbline {

/// One request whose parts (the code grade, one answer a reward) come in any order, from any thread.
class CustomVerifier::Pending {
 public:
  Pending(const GradeOptions& options, const std::vector<RewardSpec>& specs, const GradeRequest& request,
          OnAnswer on_answer, size_t num_parts)
      : options_(options),
        specs_(specs),
        is_code_(request.problem->task == "code"),
        on_answer_(std::move(on_answer)),
        answers_(specs.size()),
        num_missing_(num_parts) {
    answer_.verdict.problem_id = request.problem->id;
    answer_.verdict.sample = request.sample;
  }

  void take_code(GradeAnswer graded) {
    take([&] {
      if (graded.error) note_error(graded.error);
      answer_.verdict = std::move(graded.verdict);
    });
  }
  void take_reward(size_t index, RewardAnswer reward, const std::exception_ptr& error) {
    take([&] {
      if (error) note_error(error);
      answers_[index] = std::move(reward);
    });
  }

 private:
  template <typename Store>
  void take(Store&& store) {
    {
      const std::lock_guard lock(mutex_);
      store();
      if (--num_missing_ > 0) return;
    }
    if (!answer_.error) conclude_all();
    on_answer_(std::move(answer_));
  }
  void note_error(const std::exception_ptr& error) {
    if (!answer_.error) answer_.error = error;
  }

  void conclude_all() {
    Verdict& verdict = answer_.verdict;
    if (is_code_ && verdict.is_infra()) return;
    const Verdict graded = verdict;
    std::optional<double> sum;
    for (size_t i = 0; i < specs_.size(); ++i) {
      const RewardAnswer& answer = answers_[i];
      if (answer.failed) return fail(fmt::format("{}: {}", specs_[i].name, answer.detail));
      const std::optional<double> value =
          specs_[i].kind == RewardKind::kScheme ? scheme_value(graded, specs_[i].target) : answer.value;
      verdict.rewards.push_back({specs_[i].name, value});
      if (value) sum = sum.value_or(0) + specs_[i].weight * *value;
      verdict.wall_ms += answer.wall_ms;
      if (!answer.detail.empty()) {
        verdict.detail += fmt::format("{}{}: {}", verdict.detail.empty() ? "" : "; ", specs_[i].name, answer.detail);
      }
    }
    if (!sum) return fail("no reward applies to this completion");
    verdict.reward = sum;
    if (!is_code_) conclude_plain(*sum);
  }

  std::optional<double> scheme_value(Verdict graded, const std::string& scheme) const {
    if (!is_code_) return std::nullopt;
    conclude(graded, scheme, options_.integrity == "floor");
    return graded.reward;
  }

  /// A problem without tests.
  void conclude_plain(double reward) {
    Verdict& verdict = answer_.verdict;
    std::optional<bool> said;
    for (const RewardAnswer& answer : answers_) {
      if (answer.passed) said = said.value_or(true) && *answer.passed;
    }
    const bool passed = said.value_or(reward >= options_.pass_reward);
    verdict.outcome = passed ? Outcome::kPass : Outcome::kWrong;
    verdict.label = passed ? Label::kCorrect : Label::kIncorrect;
    verdict.method = "custom";
  }

  void fail(const std::string& detail) {
    Verdict& verdict = answer_.verdict;
    verdict.outcome = Outcome::kInfra;
    verdict.reward.reset();
    verdict.rewards.clear();
    verdict.detail = detail;
  }

  const GradeOptions& options_;
  const std::vector<RewardSpec>& specs_;
  const bool is_code_;
  const OnAnswer on_answer_;
  std::mutex mutex_;
  GradeAnswer answer_;
  std::vector<RewardAnswer> answers_;
  size_t num_missing_;
};

CustomVerifier::CustomVerifier(const GradeOptions& options, std::unique_ptr<Verifier> code)
    : options_(options), specs_(parse_rewards(options)), code_(std::move(code)) {
  for (const RewardSpec& spec : specs_) {
    pools_.push_back(spec.kind == RewardKind::kScheme
                         ? nullptr
                         : std::make_unique<RewardPool>(spec, options_.reward_workers, options_.reward_batch,
                                                        [this, &spec] { return make_reward_source(spec, options_); }));
  }
}

CustomVerifier::~CustomVerifier() = default;

void CustomVerifier::submit(GradeRequest request, OnAnswer on_answer) {
  const bool is_code = request.problem->task == "code";
  PL_CHECK(code_ || !is_code, "there is no grader for code");
  const auto num_pools = std::count_if(pools_.begin(), pools_.end(), [](const auto& pool) { return pool != nullptr; });
  const size_t num_parts = static_cast<size_t>(num_pools) + (is_code ? 1 : 0);
  const auto pending =
      std::make_shared<Pending>(options_, specs_, request, std::move(on_answer), std::max<size_t>(num_parts, 1));
  if (num_parts == 0) return pending->take_reward(0, {}, nullptr);  // schemes alone say nothing about this problem
  if (num_pools > 0) {
    const RewardQuestion question = make_question(request);
    for (size_t i = 0; i < pools_.size(); ++i) {
      if (!pools_[i]) continue;
      pools_[i]->submit({request.index, question, request.abandoned,
                         [pending, i](RewardAnswer answer, const std::exception_ptr& error) {
                           pending->take_reward(i, std::move(answer), error);
                         }});
    }
  }
  if (is_code) {
    code_->submit(std::move(request), [pending](GradeAnswer graded) { pending->take_code(std::move(graded)); });
  }
}

void CustomVerifier::flush() {
  for (const auto& pool : pools_) {
    if (pool) pool->flush();
  }
  if (code_) code_->flush();
}

size_t CustomVerifier::capacity() const {
  const auto batch = static_cast<size_t>(std::max<int64_t>(options_.reward_batch, 1) * options_.reward_workers);
  return std::max(code_ ? code_->capacity() : 1, batch);
}

}  // namespace plumbline
