/// Characters with which a text shows a reader or a terminal something else than it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumbline {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
};

/// The code point at the start of `text`, which is not empty; bytes that are no UTF-8 count one by one, as themselves.
CodePoint first_code_point(std::string_view text);

/// Controls, separators of lines, and characters that turn writing round, tag it or show nothing. The joiners (U+200C,
/// U+200D) are not among them: Persian, Indic scripts and emoji are written with them.
bool is_deceptive(uint32_t code_point);

}  // namespace plumbline
