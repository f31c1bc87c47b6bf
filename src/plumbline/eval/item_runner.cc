#include "plumbline/eval/item_runner.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"

namespace plumbline {
namespace {

// Evaluations draw from step numbers that training never reaches, so that they change no training sample.
constexpr uint32_t kEvaluationStep = UINT32_MAX;

/// Completions that are with the verifier. Waits for them all when it goes, since their answers come here.
class Grading {
 public:
  Grading(Verifier& verifier, const std::function<void(const ItemRow&)>& on_row)
      : verifier_(verifier), on_row_(on_row) {}
  ~Grading() {
    abandoned_ = true;
    wait();
  }

  void add(GradeRequest request, ItemRow row) {
    request.abandoned = &abandoned_;
    {
      const std::lock_guard lock(mutex_);
      ++num_open_;
    }
    verifier_.submit(std::move(request), [this, row = std::move(row)](GradeAnswer answer) mutable {
      const std::lock_guard lock(mutex_);
      try {
        if (answer.error) std::rethrow_exception(answer.error);
        row.verdict = std::move(answer.verdict);
        on_row_(row);
      } catch (...) {
        if (!error_) error_ = std::current_exception();
      }
      if (--num_open_ == 0) changed_.notify_all();
    });
  }

  void finish() {
    wait();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void wait() {
    verifier_.flush();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return num_open_ == 0; });
  }

  Verifier& verifier_;
  const std::function<void(const ItemRow&)>& on_row_;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t num_open_ = 0;
  std::exception_ptr error_;
};

void stop_if_interrupted() {
  if (interrupt_requested()) throw Interrupted("the evaluation is stopped");
}

}  // namespace

ItemList render_items(const ModelText& text, std::span<const Problem> problems, int64_t max_new_tokens,
                      int64_t context_tokens) {
  ItemList list;
  for (const Problem& problem : problems) {
    RenderedPrompt prompt = text.render(problem);
    if (static_cast<int64_t>(prompt.token_ids.size()) + max_new_tokens > context_tokens) {
      ++list.num_left_out;
    } else {
      list.items.push_back({&problem, std::move(prompt)});
    }
  }
  return list;
}

void run_items(RolloutEngine& engine, Verifier& verifier, const ModelText& text, std::span<const EvalItem> items,
               std::span<const ItemDraw> draws, const ItemDecode& decode,
               const std::function<void(const ItemRow&)>& on_row) {
  std::vector<Prompt> prompts;
  for (const ItemDraw& draw : draws) {
    prompts.push_back(
        {items[draw.item].prompt.token_ids, static_cast<uint32_t>(draw.item), static_cast<uint32_t>(draw.sample)});
  }
  SamplingOptions sampling;
  sampling.temperature = decode.temperature;
  sampling.max_new_tokens = decode.max_new_tokens;
  sampling.stop_ids = text.stop_ids();
  sampling.seed = decode.seed;
  sampling.step = kEvaluationStep;
  Grading grading(verifier, on_row);
  const auto on_finished = [&](size_t i, const Rollout& rollout) {
    const EvalItem& item = items[draws[i].item];
    ItemRow row;
    row.draw = draws[i];
    row.completion = text.graded_text(item.prompt, rollout.token_ids);
    row.finish_reason = rollout.finish_reason == FinishReason::kLength ? "length" : "stop";
    row.num_tokens = static_cast<int64_t>(rollout.token_ids.size());
    GradeRequest request{item.problem, draws[i].sample, row.completion, rollout.token_ids};
    request.index = static_cast<int64_t>(i);
    grading.add(std::move(request), std::move(row));
  };
  engine.generate(prompts, sampling, on_finished, [](int64_t) { stop_if_interrupted(); });
  grading.finish();
  stop_if_interrupted();
}

void run_served_items(ServedModel& model, Verifier& verifier, std::span<const EvalItem> items,
                      std::span<const ItemDraw> draws, const std::function<void(const ItemRow&)>& on_row) {
  std::vector<ServedQuestion> questions;
  for (const ItemDraw& draw : draws) questions.push_back({items[draw.item].problem->prompt, draw.sample});
  Grading grading(verifier, on_row);
  const auto on_answer = [&](size_t i, const ServedAnswer& answer) {
    if (!answer.error.empty()) return;
    ItemRow row;
    row.draw = draws[i];
    row.completion = answer.completion;
    row.finish_reason = answer.finish_reason;
    row.num_tokens = answer.num_tokens;
    GradeRequest request{items[draws[i].item].problem, draws[i].sample, row.completion, {}};
    request.index = static_cast<int64_t>(i);
    grading.add(std::move(request), std::move(row));
  };
  try {
    model.ask(questions, on_answer);
  } catch (...) {
    grading.finish();  // answers that were paid for are kept
    throw;
  }
  grading.finish();
  stop_if_interrupted();
}

}  // namespace plumbline
