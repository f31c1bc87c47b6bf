#include "plumbline/record/arm.h"

#include <charconv>

namespace plumbline {

Arm arm_of_name(const std::string& name) {
  const size_t point = name.rfind('.');
  if (point == std::string::npos) return {name, 1};
  const char *begin = name.data() + point + 1, *end = name.data() + name.size();
  uint32_t draw = 0;
  const auto [stop, error] = std::from_chars(begin, end, draw);
  if (begin == end || stop != end || error != std::errc()) return {name, 1};
  return {name.substr(0, point), draw};
}

}  // namespace plumbline
