#include "plumbline/adapter/adapter.h"

namespace plumbline {

int64_t Adapter::num_parameters() const {
  int64_t count = 0;
  for (const auto& [name, value] : parameters()) count += value.numel();
  return count;
}

}  // namespace plumbline
