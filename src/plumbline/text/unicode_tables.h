/// Where the Unicode versions of the reference tokenizers and of the system's libraries differ. The reference matches
/// regular expressions with Unicode 16, PCRE2 knows 14; its normalizers know Unicode 8, utf8proc a much later one.
/// Source: tools/reference/compare_unicode.py, which compares all code points.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumbline {

struct CodePointRange {
  char32_t first, last;
};

/// The characters that a property ("L", "Lu", "N", "P", "Han", ...) has gained since Unicode 14, as ranges of a PCRE2
/// class. Null when the property has not been compared with the reference.
const std::string* later_characters(std::string_view property);

/// Letters, marks and decimal digits since Unicode 15.
bool is_later_word(char32_t code_point);
/// Numbers of any kind since Unicode 15.
bool is_later_number(char32_t code_point);
/// Punctuation that the reference's Punctuation pre-tokenizer does not know.
bool is_unknown_punctuation(char32_t code_point);
/// Marks that the reference's normalizers do not know.
bool is_unknown_mark(char32_t code_point);
/// Characters that the reference's normalizers neither decompose nor compose nor reorder, whatever Unicode says.
bool is_unknown_to_normalizers(char32_t code_point);

}  // namespace plumbline
