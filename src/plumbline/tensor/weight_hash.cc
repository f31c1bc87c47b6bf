#include "plumbline/tensor/weight_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumbline/base/check.h"

namespace plumbline {

WeightHash& WeightHash::add(const RawTensor& tensor) {
  PL_CHECK(last_name_ < tensor.name, "weights are hashed in the order of their names: " + tensor.name);
  last_name_ = tensor.name;
  hash_.update(fmt::format("{}\n{}\n{}\n", tensor.name, tensor.dtype, fmt::join(tensor.shape, ",")));
  hash_.update(tensor.bytes);
  return *this;
}

}  // namespace plumbline
