/// What an arm's name says: "vanilla", "projected", "haar.2" (the second draw of a random control), ...
#pragma once

#include <cstdint>
#include <string>

namespace plumbline {

struct Arm {
  std::string kind;   ///< without the draw
  uint32_t draw = 1;  ///< of a random control; 1 when the name has none

  bool is_control() const { return kind == "haar" || kind == "shuffled" || kind == "placebo"; }
};

/// Any text is a name: what does not end in a point and a number has no draw.
Arm arm_of_name(const std::string& name);

}  // namespace plumbline
