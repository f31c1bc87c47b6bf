#include "plumbline/stats/input.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/base/error.h"

namespace plumbline {

void require_values(int64_t num, int64_t least, const std::string& what) {
  if (num == 0) throw DataError("data.no_values", what + " needs values, and there are none");
  if (num < least) {
    throw DataError("data.too_few_values", fmt::format("{} needs at least {}, and there are {}", what, least, num));
  }
}

void require_paired(size_t a, size_t b, const std::string& what) {
  if (a != b) throw DataError("data.unpaired", fmt::format("{} needs pairs, and there are {} and {}", what, a, b));
}

void require_domain(bool holds, const std::string& needs) {
  if (!holds) throw DataError("data.out_of_domain", needs);
}

void require_finite(std::span<const double> values, const std::string& what) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw DataError("data.not_finite", what + " got a value that is not a finite number");
  }
}

}  // namespace plumbline
