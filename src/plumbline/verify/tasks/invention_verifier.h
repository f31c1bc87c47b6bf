/// Grades the task "invention": a function composed of list primitives, with public tests (`tests`) and private ones
/// (`holdout_tests`).
#pragma once

#include <memory>

#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Grades with `code` (borrowed), pays +1 or -1, and asks once more with the public tests alone where these may have
/// passed and a private one failed: then `special_cased` is among the integrity findings. Thread-safe.
class InventionVerifier : public Verifier {
 public:
  explicit InventionVerifier(Verifier& code) : code_(code) {}
  void submit(GradeRequest request, OnAnswer on_answer) override;
  void flush() override { code_.flush(); }
  size_t capacity() const override { return code_.capacity(); }

 private:
  Verifier& code_;
};

}  // namespace plumbline
