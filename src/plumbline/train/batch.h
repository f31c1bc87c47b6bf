/// Prompts and completions as packed micro-batches, and the log-probabilities of the completions alone. A prompt is
/// computed once however many completions of the micro-batch go on from it, and a completion's last token, which
/// predicts nothing, not at all. Token ids in, token ids out: nothing is decoded and encoded again on the way from the
/// sampler to the loss.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "plumbline/model/decoder.h"

namespace plumbline {

/// One sequence; both spans are borrowed. `prompt_ids` is never empty.
struct SequenceRow {
  std::span<const int64_t> prompt_ids, completion_ids;
};

/// Some rows as one forward pass. N counts the completion tokens of all its rows, row after row.
struct MicroBatch {
  std::vector<size_t> rows;      ///< indices into the rows given, in batch order
  ForwardBatch forward;          ///< each prompt, then its completions, packed in one row
  torch::Tensor predictors_N;    ///< index in that row of the position whose hidden state predicts token n
  torch::Tensor completion_N;    ///< the predicted token ids
  std::vector<int64_t> lengths;  ///< completion tokens a row, in batch order; they sum to N

  /// One value a row, spread over its tokens: [N] float64.
  torch::Tensor spread(std::span<const double> value_of_row) const;
};

/// `micro_batch` rows each, those of one prompt together; prompts with the longest sequence first (so that memory runs
/// out at once or never), ties by index. The split never changes a result beyond the order of float sums. Throws
/// nothing; an empty prompt is our own mistake.
std::vector<MicroBatch> make_micro_batches(std::span<const SequenceRow> rows, int64_t micro_batch,
                                           torch::Device device);

/// Final-normed hidden states of the predicting positions, [N, D]; no other position meets the head.
torch::Tensor predictor_states(const Decoder& decoder, const MicroBatch& batch);

}  // namespace plumbline
