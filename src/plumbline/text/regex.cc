#include "plumbline/text/regex.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <cctype>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/text/unicode_tables.h"

namespace plumbline {
namespace {

// PCRE2's own \s also holds U+180E, and its \w lacks marks and connectors.
constexpr const char* kSpaceRanges =
    R"(\t-\r\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
// Oniguruma's word characters are the alphabetic ones and a few fractions and superscripts of Latin-1.
constexpr const char* kWordRanges =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
constexpr uint32_t kMatchLimit = 50'000'000;
constexpr size_t kMaxPatternBytes = 65536;

[[noreturn]] void refuse(const std::string& what, const std::string& pattern, const std::string& where) {
  throw DataError("data.tokenizer_unsupported", fmt::format("the regex construct {} in \"{}\"", what, pattern), where,
                  "report the tokenizer, so that it can be added");
}

/// One pass over the pattern that rewrites escapes and refuses what has not been compared.
class Translator {
 public:
  Translator(const std::string& pattern, const std::string& where) : pattern_(pattern), where_(where) {}

  std::string run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        escape();
      } else if (in_class_) {
        class_character(c);
      } else {
        plain_character(c);
      }
    }
    return std::move(out_);
  }

 private:
  void escape() {
    if (at_ + 1 >= pattern_.size()) refuse("of a lone backslash", pattern_, where_);
    const char c = pattern_[at_ + 1];
    if (c == 's' || c == 'S') {
      characters(kSpaceRanges, c == 'S');
    } else if (c == 'w' || c == 'W') {
      characters(kWordRanges + *later_characters("word"), c == 'W');
    } else if (c == 'd' || c == 'D') {
      characters("\\p{Nd}" + *later_characters("Nd"), c == 'D');
    } else if (c == 'p' || c == 'P') {
      property(c == 'P');
      return;
    } else if (c == 'u') {
      code_point();
      return;
    } else if (c == 'A' || c == 'z') {
      if (in_class_) refuse(fmt::format("\\{} inside a class", c), pattern_, where_);
      out_.append(pattern_, at_, 2);
    } else if (std::string_view("rntf").find(c) != std::string_view::npos ||
               std::ispunct(static_cast<unsigned char>(c)) || c == ' ') {
      out_.append(pattern_, at_, 2);
    } else {
      refuse(fmt::format("\\{}", c), pattern_, where_);
    }
    at_ += 2;
  }

  /// One character of (or outside) the given ranges, or the ranges themselves inside a class.
  void characters(const std::string& ranges, bool negated) {
    if (in_class_ && negated) refuse(fmt::format("{} inside a class", pattern_.substr(at_, 2)), pattern_, where_);
    out_ += in_class_ ? ranges : fmt::format("[{}{}]", negated ? "^" : "", ranges);
  }

  void property(bool negated) {
    const size_t close = pattern_.find('}', at_);
    if (pattern_.compare(at_ + 2, 1, "{") != 0 || close == std::string::npos) {
      refuse(fmt::format("{} without braces", pattern_.substr(at_, 2)), pattern_, where_);
    }
    const std::string name = pattern_.substr(at_ + 3, close - at_ - 3);
    const std::string* later = later_characters(name);
    if (!later) refuse(pattern_.substr(at_, close + 1 - at_), pattern_, where_);
    // A script is meant without the characters that it shares with others.
    characters(fmt::format("\\p{{{}{}}}{}", name == "Han" ? "sc:" : "", name, *later), negated);
    at_ = close + 1;
  }

  /// \uHHHH is \x{HHHH} to PCRE2.
  void code_point() {
    const std::string digits = pattern_.substr(at_ + 2, 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
      refuse("\\u without four digits", pattern_, where_);
    }
    out_ += fmt::format("\\x{{{}}}", digits);
    at_ += 6;
  }

  /// A class inside a class adds its characters.
  void class_character(char c) {
    if (c == '[') {
      if (pattern_.compare(at_ + 1, 1, "^") == 0 || pattern_.compare(at_ + 1, 1, ":") == 0) {
        refuse("of a negated or named class inside a class", pattern_, where_);
      }
      ++class_depth_;
      ++at_;
      class_start_ = at_;
      return;
    }
    if (c == ']' && at_ > class_start_ && class_depth_ > 0) {
      --class_depth_;
      ++at_;
      return;
    }
    if (c == '&' && pattern_.compare(at_, 2, "&&") == 0) refuse("&&", pattern_, where_);
    if (c == ']' && at_ > class_start_) in_class_ = false;
    copy();
  }

  void plain_character(char c) {
    if (c == '^' || c == '$') {  // Ruby's are always of lines
      out_ += fmt::format("(?m:{})", c);
      ++at_;
      return;
    }
    if (c == '(' && pattern_.compare(at_, 2, "(?") == 0) group();
    // In Ruby a{n,m}+ repeats, in PCRE2 it is possessive.
    if (c == '}' && pattern_.compare(at_ + 1, 1, "+") == 0) refuse("{n,m}+", pattern_, where_);
    if (c == '[') {
      in_class_ = true;
      copy();
      if (at_ < pattern_.size() && pattern_[at_] == '^') copy();
      class_start_ = at_;
      return;
    }
    if (at_ < pattern_.size()) copy();
  }

  /// Groups (?: (?i: (?= (?! (?<= (?<! (?> mean the same to both.
  void group() {
    for (const char* known : {"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"}) {
      if (pattern_.compare(at_, std::string_view(known).size(), known) == 0) {
        out_ += std::string_view(known).substr(0, std::string_view(known).size() - 1);
        at_ += std::string_view(known).size() - 1;
        return;
      }
    }
    refuse(pattern_.substr(at_, 3), pattern_, where_);
  }

  void copy() { out_ += pattern_[at_++]; }

  const std::string& pattern_;
  const std::string& where_;
  std::string out_;
  size_t at_ = 0, class_start_ = 0, class_depth_ = 0;
  bool in_class_ = false;
};

struct MatchData {
  pcre2_match_data* data;
  pcre2_match_context* context;
  explicit MatchData(const pcre2_code* code)
      : data(pcre2_match_data_create_from_pattern(code, nullptr)), context(pcre2_match_context_create(nullptr)) {
    PL_CHECK(data && context, "out of memory");
    pcre2_set_match_limit(context, kMatchLimit);
  }
  ~MatchData() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
  MatchData(const MatchData&) = delete;
  MatchData& operator=(const MatchData&) = delete;
};

}  // namespace

struct Regex::Code {
  pcre2_code* code = nullptr;
  ~Code() { pcre2_code_free(code); }
};

std::string to_pcre(const std::string& pattern, const std::string& where) {
  return Translator(pattern, where).run();
}

Regex::Regex(const std::string& pattern, const std::string& where) : where_(where) {
  if (pattern.size() > kMaxPatternBytes) refuse("of this length", pattern.substr(0, 40) + "...", where);
  const std::string translated = to_pcre(pattern, where);
  int error = 0;
  size_t offset = 0;
  auto code = std::make_shared<Code>();
  code->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                             PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr);
  if (!code->code) {
    throw DataError("data.tokenizer", fmt::format("the regex \"{}\" cannot be compiled", pattern), where);
  }
  // Without the just-in-time compiler matching is slower and otherwise the same.
  pcre2_jit_compile(code->code, PCRE2_JIT_COMPLETE);
  code_ = std::move(code);
}

void Regex::for_each_match(std::string_view text, const std::function<void(size_t, size_t)>& found) const {
  const MatchData match(code_->code);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data() ? text.data() : "");
  const size_t* offsets = pcre2_get_ovector_pointer(match.data);
  size_t from = 0, last_end = std::string_view::npos;
  while (from <= text.size()) {
    const int result =
        pcre2_match(code_->code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, match.data, match.context);
    if (result == PCRE2_ERROR_NOMATCH) return;
    if (result < 0) {
      throw DataError("data.tokenizer_limit", fmt::format("the regex gave up (PCRE2 error {})", result), where_,
                      "the pattern needs too much backtracking for this text");
    }
    const size_t begin = offsets[0], end = offsets[1];
    if (begin == end) {  // an empty match moves on by one character and never follows another match directly
      if (begin != last_end) found(begin, end);
      if (end >= text.size()) return;
      size_t next = end + 1;
      while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
      from = next;
    } else {
      found(begin, end);
      from = last_end = end;
    }
  }
}

}  // namespace plumbline
