/// The byte alphabet of GPT-2: every byte is written as one printable character.
/// Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners" (bytes_to_unicode).
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// The character (UTF-8) that stands for `byte`.
const std::string& byte_character(unsigned char byte);
/// The byte that `code_point` stands for, or -1.
int byte_of_character(char32_t code_point);
/// Every byte of `text` as its character, appended to `out`.
void append_byte_characters(std::string& out, std::string_view text);

}  // namespace plumbline
