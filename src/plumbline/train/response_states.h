/// Hidden states of responses, for monitors that read them.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "plumbline/train/batch.h"
#include "plumbline/train/reward_transform.h"

namespace plumbline {

/// Mean over the tokens of each row's completion (stop token included) of the residual stream after `layer` layers,
/// [B, D] float32 on the CPU, on the weights that are in place now, without gradients. Rows without a token have zeros.
/// `micro_batch` rows a forward pass; the split changes nothing beyond the order of float sums.
torch::Tensor response_means(const Decoder& decoder, std::span<const SequenceRow> rows, int64_t layer,
                             int64_t micro_batch);

/// Their projections on the reading, in row order.
std::vector<double> response_scores(const Decoder& decoder, std::span<const SequenceRow> rows,
                                    const HiddenReading& reading, int64_t micro_batch);

/// The unit difference of the means of hacks and clean answers, both [P, D] (a mass-mean probe, Marks and Tegmark,
/// arXiv 2310.06824), with the threshold half way between their projections.
/// Throws NumericError(numeric.no_direction) when the means are equal or not finite.
HiddenReading contrast_reading(const torch::Tensor& hack_PD, const torch::Tensor& clean_PD, int64_t layer);

}  // namespace plumbline
