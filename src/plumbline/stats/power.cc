#include "plumbline/stats/power.h"

#include <cmath>

#include "plumbline/stats/input.h"
#include "plumbline/stats/interval.h"

namespace plumbline {
namespace {

/// Squared effect times n.
double effect_constant(double rho) {
  require_domain(rho >= -1 && rho < 1, "power needs a correlation in [-1, 1)");
  static const double z = normal_quantile(0.975) + normal_quantile(0.8);
  return z * z * 2 * 0.25 * (1 - rho);
}

}  // namespace

double minimum_detectable_effect(int64_t n, double rho) {
  require_values(n, 1, "a minimum detectable effect");
  require_domain(n > 0, "a number of items is positive");
  return std::sqrt(effect_constant(rho) / static_cast<double>(n));
}

int64_t required_n(double effect, double rho) {
  require_domain(effect > 0 && effect <= 2 && effect >= 1e-6, "a required n needs an effect in [1e-6, 2]");
  auto n = static_cast<int64_t>(std::max(1.0, std::ceil(effect_constant(rho) / (effect * effect)) - 1));
  while (minimum_detectable_effect(n, rho) > effect) ++n;
  return n;
}

}  // namespace plumbline
