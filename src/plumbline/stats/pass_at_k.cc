#include "plumbline/stats/pass_at_k.h"

#include "plumbline/stats/input.h"

namespace plumbline {

double pass_at_k(int64_t num_samples, int64_t num_correct, int64_t k) {
  require_values(num_samples, 1, "pass@k");
  require_domain(num_correct >= 0 && num_correct <= num_samples && k >= 1 && k <= num_samples,
                 "pass@k needs 0 <= correct <= samples and 1 <= k <= samples");
  double all_fail = 1;
  for (int64_t i = 0; i < k; ++i) {
    all_fail *= static_cast<double>(num_samples - num_correct - i) / static_cast<double>(num_samples - i);
    if (all_fail <= 0) return 1;
  }
  return 1 - all_fail;
}

}  // namespace plumbline
