#include "plumbline/stats/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/stats/input.h"
#include "plumbline/stats/ranks.h"
#include "plumbline/stats/student_t.h"

namespace plumbline {

RankCorrelation spearman(std::span<const double> x, std::span<const double> y) {
  require_paired(x.size(), y.size(), "a rank correlation");
  require_values(static_cast<int64_t>(x.size()), 3, "a rank correlation");
  require_finite(x, "a rank correlation");
  require_finite(y, "a rank correlation");
  const std::vector<size_t> ranks_x = double_ranks(x), ranks_y = double_ranks(y);
  const double n = static_cast<double>(x.size());
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = static_cast<double>(ranks_x[i]) - (n + 1), b = static_cast<double>(ranks_y[i]) - (n + 1);
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (xx == 0 || yy == 0) throw DataError("data.undefined", "a constant has no rank correlation");
  RankCorrelation result;
  result.rho = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
  const double rest = 1 - result.rho * result.rho;
  result.p = rest < 1e-15 ? 0 : 2 * student_t_cdf(-std::abs(result.rho) * std::sqrt((n - 2) / rest), n - 2);
  return result;
}

}  // namespace plumbline
