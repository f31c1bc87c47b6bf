/// Erasing after the fact, in the space of activations: training is the vanilla arm's, and deployment takes the hack
/// direction out of the residual stream at one layer, at every token.
///
///     c = <x, r> - clean;  u = relu(c) | c | 2 c  (one_sided | two_sided | reverse);  x' = x - overshoot u r
///
/// Source: directional ablation (Arditi et al., arXiv 2406.11717). Ours: what is taken is measured from the clean
/// answers' mean and not from 0, which is no neutral place of a residual stream.
#pragma once

#include <cstdint>
#include <vector>

#include "plumbline/model/decoder.h"
#include "plumbline/steer/projector.h"

namespace plumbline {

/// `direction_D` of norm 1; `clean` is the projection of the clean answers' mean on it. Computed in float32 (float64
/// for a float64 model) and rounded once.
ResidualEdit state_erasure(int64_t layer, const std::vector<float>& direction_D, double clean,
                           const ProjectionOptions& options);

}  // namespace plumbline
