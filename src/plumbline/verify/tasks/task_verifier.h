/// Every task kind but custom through one Verifier: each request goes to the grader of its problem's task.
#pragma once

#include <memory>
#include <string_view>

#include "plumbline/verify/tasks/invention_verifier.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Whether a task is graded from the text alone: math, physics, step, provenance, concept.
bool is_graded_as_text(std::string_view task);

/// What the pin `grader` says of such a task: "math 1".
std::string text_grader_name(std::string_view task);

/// Of a longer completion only the end is graded as text.
inline constexpr size_t kMostText_bytes = 64 * 1024;

/// Thread-safe. Tasks that are graded as text are graded in the caller's thread.
class TaskVerifier : public Verifier {
 public:
  /// `code` grades code and invention; null when there are none.
  explicit TaskVerifier(std::unique_ptr<Verifier> code);

  void submit(GradeRequest request, OnAnswer on_answer) override;
  void flush() override;
  size_t capacity() const override;

 private:
  std::unique_ptr<Verifier> code_;
  std::unique_ptr<InventionVerifier> invention_;
};

}  // namespace plumbline
