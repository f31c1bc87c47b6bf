#include "plumbline/eval/evaluator.h"

#include <algorithm>

#include "plumbline/base/check.h"
#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

// Slices draw from step numbers that training never reaches, so that evaluating changes no training sample.
constexpr uint32_t kEvaluationStep = UINT32_MAX;

void count(SliceScore& score, const Verdict& verdict, bool truncated) {
  ++score.num_completions;
  score.num_truncated += truncated;
  if (verdict.is_infra()) {
    ++score.num_infra;
    return;
  }
  ++score.num_graded;
  score.num_passed += verdict.passed();
  score.num_hacked += verdict.hacked();
  score.num_vacuous += verdict.vacuous;
  score.mean_reward += verdict.reward.value_or(0.0);
}

}  // namespace

Evaluator::Evaluator(RolloutEngine& engine, Verifier& verifier, const ModelText& text, std::vector<Problem> slice,
                     SliceOptions options)
    : engine_(engine), verifier_(verifier), text_(text), options_(options) {
  PL_CHECK(options_.samples >= 1, "a slice needs at least one sample a problem");
  for (Problem& problem : slice) {
    RenderedPrompt prompt = text_.render(problem.prompt);
    const auto num_tokens = static_cast<int64_t>(prompt.token_ids.size()) + options_.max_new_tokens;
    if (num_tokens > options_.context_tokens) {
      ++num_left_out_;
      continue;
    }
    slice_.push_back(std::move(problem));
    prompts_.push_back(std::move(prompt));
  }
}

SliceScore Evaluator::run(std::vector<SliceRow>* rows) {
  std::vector<Prompt> prompts;
  for (size_t i = 0; i < slice_.size(); ++i) {
    for (int64_t sample = 0; sample < options_.samples; ++sample) {
      prompts.push_back({prompts_[i].token_ids, static_cast<uint32_t>(i), static_cast<uint32_t>(sample)});
    }
  }
  SamplingOptions sampling;
  sampling.temperature = options_.temperature;
  sampling.max_new_tokens = options_.max_new_tokens;
  sampling.stop_ids = text_.stop_ids();
  sampling.seed = options_.seed;
  sampling.step = kEvaluationStep;
  const std::vector<Rollout> rollouts = engine_.generate(prompts, sampling);

  std::vector<GradeRequest> requests;
  for (size_t row = 0; row < rollouts.size(); ++row) {
    const RenderedPrompt& prompt = prompts_[prompts[row].prompt];
    requests.push_back({&slice_[prompts[row].prompt], static_cast<int64_t>(prompts[row].sample),
                        text_.graded_text(prompt, rollouts[row].token_ids), rollouts[row].token_ids});
  }
  const std::vector<Verdict> verdicts = verifier_.grade(requests);

  SliceScore score;
  for (size_t row = 0; row < rollouts.size(); ++row) {
    const bool truncated = rollouts[row].finish_reason == FinishReason::kLength;
    count(score, verdicts[row], truncated);
    if (rows) {
      rows->push_back({requests[row].problem->id, requests[row].sample, sha256_hex(prompts_[prompts[row].prompt].text),
                       requests[row].completion, truncated ? "length" : "stop",
                       static_cast<int64_t>(rollouts[row].token_ids.size()), verdicts[row]});
    }
  }
  if (score.num_graded > 0) score.mean_reward /= static_cast<double>(score.num_graded);
  return score;
}

}  // namespace plumbline
