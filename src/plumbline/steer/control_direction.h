/// Directions that know nothing about hacking. They are not null: any one-sided eraser delays learning, which is why a
/// direction has to beat them. Each has as many axes as the direction that it stands beside.
#pragma once

#include <cstdint>

#include "plumbline/steer/extraction.h"
#include "plumbline/steer/hack_direction.h"

namespace plumbline {

/// Random orthonormal rows, uniform over frames, where `like` has axes (zero rows elsewhere), from
/// Stream::kHaarDirection keyed by (seed, draw, module). Metadata of `like` with the method "haar.<draw>".
HackDirection haar_direction(const HackDirection& like, uint64_t seed, uint32_t draw);

/// The pairs with hack and clean exchanged by a fair coin each, from Stream::kShuffledLabels keyed by (seed, draw,
/// pair): D_i becomes +-D_i in every module alike. A draw may be near the true labels by luck; that is why each draw is
/// shown. For svd only the signs of the axes change: there it is a weak control.
PairDifferences shuffle_labels(const PairDifferences& differences, uint64_t seed, uint32_t draw);

}  // namespace plumbline
