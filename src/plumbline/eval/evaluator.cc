#include "plumbline/eval/evaluator.h"

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

void count(SliceScore& score, const ItemRow& row) {
  const Verdict& verdict = row.verdict;
  ++score.num_completions;
  score.num_truncated += row.finish_reason == "length";
  if (verdict.is_infra()) {
    ++score.num_infra;
    return;
  }
  ++score.num_graded;
  score.num_passed += verdict.passed();
  score.num_hacked += verdict.hacked();
  score.num_vacuous += verdict.vacuous;
  if (!verdict.reward) return;
  ++score.num_rewarded;
  score.mean_reward += *verdict.reward;
}

}  // namespace

Evaluator::Evaluator(RolloutEngine& engine, Verifier& verifier, const ModelText& text, std::vector<Problem> slice,
                     SliceOptions options)
    : engine_(engine), verifier_(verifier), text_(text), options_(options), slice_(std::move(slice)) {
  PL_CHECK(options_.samples >= 1, "a slice needs at least one sample a problem");
  list_ = render_items(text_, slice_, options_.max_new_tokens, options_.context_tokens);
}

SliceScore Evaluator::run() {
  std::vector<ItemDraw> draws;
  for (size_t item = 0; item < list_.items.size(); ++item) {
    for (int64_t sample = 0; sample < options_.samples; ++sample) draws.push_back({item, sample});
  }
  // Rewards are added in the order of the draws: a sum must not depend on which verdict came first.
  std::vector<ItemRow> rows(draws.size());
  run_items(engine_, verifier_, text_, list_.items, draws,
            {options_.temperature, options_.max_new_tokens, options_.seed}, [&](const ItemRow& row) {
              rows[row.draw.item * static_cast<size_t>(options_.samples) + static_cast<size_t>(row.draw.sample)] = row;
            });
  SliceScore score;
  for (const ItemRow& row : rows) count(score, row);
  if (score.num_rewarded > 0) score.mean_reward /= static_cast<double>(score.num_rewarded);
  return score;
}

}  // namespace plumbline
