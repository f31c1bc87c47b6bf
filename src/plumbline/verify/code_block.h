/// Finds the code in a model's answer (docs/reference/formats.md, "Completion").
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// The Python blocks of the text, joined by a blank line; nullopt when there is none or they hold white space only.
///
/// A block opens with a line of at least three backticks (up to three blanks before them), followed by nothing or by
/// the tag python or py in any case, and runs to the next line of at least as many backticks and nothing else, or to
/// the end of the text. Blocks with another tag are skipped whole. Line ends \r\n count as \n around and inside blocks;
/// all other bytes are kept.
std::optional<std::string> extract_code(std::string_view completion);

}  // namespace plumbline
