#include "plumbline/stats/moments.h"

#include <cmath>

#include "plumbline/base/error.h"

namespace plumbline {

double mean_of(std::span<const double> values) {
  if (values.empty()) throw DataError("data.no_values", "nothing has no mean");
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double sample_sd(std::span<const double> values) {
  if (values.size() < 2) throw DataError("data.no_values", "fewer than two values have no standard deviation");
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace plumbline
