/// Directions that know nothing about hacking. They are not null: any one-sided eraser delays learning, which is why a
/// direction has to beat them.
#pragma once

#include <cstdint>

#include "plumbline/steer/hack_direction.h"

namespace plumbline {

/// A random unit vector, uniform on the sphere, for every module in which `like` has a direction (zero elsewhere), from
/// Stream::kHaarDirection keyed by (seed, draw, module). Metadata of `like` with the method "haar.<draw>".
HackDirection haar_direction(const HackDirection& like, uint64_t seed, uint32_t draw);

}  // namespace plumbline
