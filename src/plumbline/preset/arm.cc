#include "plumbline/preset/arm.h"

namespace plumbline {

Arm arm_of_name(const std::string& name) {
  const size_t point = name.find('.');
  if (point == std::string::npos) return {name, 1};
  return {name.substr(0, point), static_cast<uint32_t>(std::stoul(name.substr(point + 1)))};
}

}  // namespace plumbline
