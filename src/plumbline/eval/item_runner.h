/// Completions of a list of items, each graded as soon as it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/eval/served_model.h"
#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/text/model_text.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// A problem and its prompt as the model sees it. The problem is borrowed.
struct EvalItem {
  const Problem* problem = nullptr;
  RenderedPrompt prompt;
};

/// The problems whose prompt and `max_new_tokens` fit into `context_tokens`, rendered, in their order; how many do not
/// fit is counted. `problems` is borrowed.
struct ItemList {
  std::vector<EvalItem> items;
  int64_t num_left_out = 0;
};
ItemList render_items(const ModelText& text, std::span<const Problem> problems, int64_t max_new_tokens,
                      int64_t context_tokens);

/// One completion that is wanted: an index into the items, and which sample of it. Both name its random stream.
struct ItemDraw {
  size_t item = 0;
  int64_t sample = 0;
  auto operator<=>(const ItemDraw&) const = default;
};

struct ItemDecode {
  double temperature = 0;  ///< 0 = greedy
  int64_t max_new_tokens = 256;
  uint64_t seed = 0;
};

/// What came of one draw.
struct ItemRow {
  ItemDraw draw;
  std::string completion,
      finish_reason;  ///< as the grader sees it; finish_reason: "stop", "length", or of a server another
  int64_t num_tokens = 0;
  Verdict verdict;
};

/// Samples all draws with the weights that the engine holds now, and grades them. `on_row` is called once a draw as its
/// verdict arrives, in any order, from any thread, serialised. The same draws give the same rows whatever else is drawn
/// with them; evaluating uses no random number that training uses.
/// Throws Interrupted on Ctrl-C, after the verdicts that were on their way have arrived; the first error of the
/// verifier or of `on_row`; and what the engine throws.
void run_items(RolloutEngine& engine, Verifier& verifier, const ModelText& text, std::span<const EvalItem> items,
               std::span<const ItemDraw> draws, const ItemDecode& decode,
               const std::function<void(const ItemRow&)>& on_row);

/// The same with the completions of a served model, which renders the prompt's messages itself; seed and limit are the
/// server's. A call that failed is no row. Throws what ServedModel::ask throws as well.
void run_served_items(ServedModel& model, Verifier& verifier, std::span<const EvalItem> items,
                      std::span<const ItemDraw> draws, const std::function<void(const ItemRow&)>& on_row);

}  // namespace plumbline
