/// AdamW over the adapter's vectors, gradient clipping by global norm, and the rule for gradients that are not finite.
/// Source: Loshchilov and Hutter (arXiv 1711.05101): p <- p (1 - lr wd) - lr mhat / (sqrt(vhat) + eps). The decay pulls
/// toward the initial value 0. Moments are kept in the parameters' dtype (float32 here; float64 in tests).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace plumbline {

/// Tensors by module name; the order of a std::map is the order of every sum.
using TensorMap = std::map<std::string, torch::Tensor>;

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
};

/// Not thread-safe. Draws no random numbers.
class AdamW {
 public:
  explicit AdamW(AdamWOptions options) : options_(options) {}

  /// Takes `gradients` into the moments and returns the new values of `parameters` (which must have the same names and
  /// shapes). Nothing is written in place: whoever owns the parameters decides what is stored.
  TensorMap propose(const TensorMap& parameters, const TensorMap& gradients, double lr);
  int64_t num_updates() const { return num_updates_; }

  /// "exp_avg.<module>", "exp_avg_sq.<module>" and "num_updates" (int64 [1]), as copies.
  TensorMap save_state() const;
  /// Throws DataError(data.optimizer_state) when names do not pair up or the count is missing.
  void load_state(const TensorMap& state);

 private:
  struct Moments {
    torch::Tensor first_R, second_R;
  };
  AdamWOptions options_;
  std::map<std::string, Moments> moments_;
  int64_t num_updates_ = 0;
};

/// Euclidean norm over all tensors, summed in double. NaN or infinite when any entry is.
double global_norm(const TensorMap& tensors);

/// min(1, max_norm / (norm + 1e-6)); 1 when max_norm is 0 (off).
double clip_coefficient(double norm, double max_norm);

/// A gradient that is not finite skips its step and leaves all state alone; several in a row end the run.
class NonFiniteGuard {
 public:
  static constexpr int64_t kMaxInARow = 5;
  /// True when the step may be taken. Throws NumericError(numeric.gradient) on the fifth refusal in a row.
  bool admit(double gradient_norm, int64_t step);
  int64_t num_skipped() const { return num_skipped_; }
  int64_t num_in_a_row() const { return num_in_a_row_; }
  void restore(int64_t num_skipped, int64_t num_in_a_row);

 private:
  int64_t num_skipped_ = 0, num_in_a_row_ = 0;
};

}  // namespace plumbline
