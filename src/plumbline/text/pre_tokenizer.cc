#include "plumbline/text/pre_tokenizer.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/text/byte_level.h"
#include "plumbline/text/json_field.h"
#include "plumbline/text/text_pattern.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

using Range = std::pair<size_t, size_t>;
using OnMatch = std::function<void(size_t, size_t)>;
/// Reports the matches in one piece, in order.
using Finder = std::function<void(std::string_view, const OnMatch&)>;

enum class Delimiter { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

[[noreturn]] void unsupported(const std::string& what, const std::string& where) {
  throw DataError("data.tokenizer_unsupported", what, where, "report the tokenizer, so that it can be added");
}

Delimiter delimiter_of_name(const std::string& name, const std::string& where) {
  if (name == "Removed") return Delimiter::kRemoved;
  if (name == "Isolated") return Delimiter::kIsolated;
  if (name == "MergedWithPrevious") return Delimiter::kMergedWithPrevious;
  if (name == "MergedWithNext") return Delimiter::kMergedWithNext;
  if (name == "Contiguous") return Delimiter::kContiguous;
  unsupported(fmt::format("the split behavior \"{}\"", name), where);
}

/// A stretch of one piece: a match of the pattern, or what lies between two.
struct Stretch {
  Range range;
  bool is_match;
};

void append_stretches(std::vector<Range>& out, const std::vector<Stretch>& stretches, Delimiter delimiter) {
  const size_t first = out.size();
  bool previous_is_match = false;
  for (size_t i = 0; i < stretches.size(); ++i) {
    const auto& [range, is_match] = stretches[i];
    const bool has_previous = out.size() > first;
    switch (delimiter) {
      case Delimiter::kRemoved:
        if (!is_match) out.push_back(range);
        break;
      case Delimiter::kIsolated:
        out.push_back(range);
        break;
      case Delimiter::kContiguous:
        if (has_previous && is_match == previous_is_match)
          out.back().second = range.second;
        else
          out.push_back(range);
        break;
      case Delimiter::kMergedWithPrevious:
        if (is_match && has_previous && !previous_is_match)
          out.back().second = range.second;
        else
          out.push_back(range);
        break;
      case Delimiter::kMergedWithNext:
        if (!is_match && has_previous && previous_is_match)
          out.back().second = range.second;
        else
          out.push_back(range);
        break;
    }
    previous_is_match = is_match;
  }
}

/// Cuts every piece at the matches of `find`.
void cut_pieces(CutText& text, const Finder& find, Delimiter delimiter, bool invert) {
  std::vector<Range> cut;
  cut.reserve(text.pieces.size() + text.text.size() / 4);
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < text.pieces.size(); ++i) {
    const auto [begin, end] = text.pieces[i];
    size_t last = begin;
    stretches.clear();
    find(text.piece(i), [&, offset = begin](size_t from, size_t to) {
      if (offset + from > last) stretches.push_back({{last, offset + from}, invert});
      if (to > from) stretches.push_back({{offset + from, offset + to}, !invert});
      last = offset + to;
    });
    if (last < end) stretches.push_back({{last, end}, invert});
    append_stretches(cut, stretches, delimiter);
    if (i == 0 && (cut.empty() || cut.front().first != begin)) text.at_start = false;
  }
  text.pieces = std::move(cut);
}

/// Rewrites every piece; the rewritten text keeps the cuts.
void rewrite_pieces(CutText& text, const std::function<void(std::string&, std::string_view, size_t)>& append) {
  std::string rewritten;
  rewritten.reserve(text.text.size() + text.text.size() / 2);
  for (size_t i = 0; i < text.pieces.size(); ++i) {
    const size_t begin = rewritten.size();
    append(rewritten, text.piece(i), i);
    text.pieces[i] = {begin, rewritten.size()};
  }
  text.text = std::move(rewritten);
}

class Split : public PreTokenizer {
 public:
  Split(TextPattern pattern, Delimiter delimiter, bool invert)
      : pattern_(std::move(pattern)), delimiter_(delimiter), invert_(invert) {}
  void cut(CutText& text) const override {
    cut_pieces(
        text, [this](std::string_view piece, const OnMatch& found) { pattern_.for_each_match(piece, found); },
        delimiter_, invert_);
  }

 private:
  TextPattern pattern_;
  Delimiter delimiter_;
  bool invert_;
};

/// Cuts at every character of a kind.
class CharacterSplit : public PreTokenizer {
 public:
  using Holds = std::function<bool(char32_t)>;
  CharacterSplit(Holds holds, Delimiter delimiter) : holds_(std::move(holds)), delimiter_(delimiter) {}
  void cut(CutText& text) const override {
    const auto find = [this](std::string_view piece, const OnMatch& found) {
      for (size_t at = 0; at < piece.size();) {
        const size_t begin = at;
        if (holds_(next_code_point(piece, at))) found(begin, at);
      }
    };
    cut_pieces(text, find, delimiter_, false);
  }

 private:
  Holds holds_;
  Delimiter delimiter_;
};

bool is_digit(char32_t c) {
  return c < 0x80 ? c >= '0' && c <= '9' : is_numeric(c);
}

/// Runs of word characters and runs of what is neither word nor white space; white space goes.
class Whitespace : public PreTokenizer {
 public:
  void cut(CutText& text) const override {
    enum class Kind { kSpace, kWord, kOther };
    const auto kind_of = [](char32_t c) {
      return is_word(c) ? Kind::kWord : is_white_space(c) ? Kind::kSpace : Kind::kOther;
    };
    const auto find = [&](std::string_view piece, const OnMatch& found) {
      for (size_t at = 0; at < piece.size();) {
        const size_t begin = at;
        const Kind kind = kind_of(next_code_point(piece, at));
        for (size_t behind = at; behind < piece.size() && kind_of(next_code_point(piece, behind)) == kind;) at = behind;
        if (kind != Kind::kSpace) found(begin, at);
      }
    };
    cut_pieces(text, find, Delimiter::kRemoved, /*invert=*/true);
  }
};

class FixedLength : public PreTokenizer {
 public:
  explicit FixedLength(int64_t length) : length_(length) {}
  void cut(CutText& text) const override {
    const auto find = [this](std::string_view piece, const OnMatch& found) {
      for (size_t at = 0; at < piece.size();) {
        const size_t begin = at;
        for (int64_t i = 0; i < length_ && at < piece.size(); ++i) next_code_point(piece, at);
        found(begin, at);
      }
    };
    cut_pieces(text, find, Delimiter::kIsolated, false);
  }

 private:
  int64_t length_;
};

constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(bool add_prefix_space, bool use_regex, const std::string& where) : add_prefix_space_(add_prefix_space) {
    if (use_regex) split_.emplace(TextPattern::regex(kGpt2Pattern, where), Delimiter::kIsolated, false);
  }
  void cut(CutText& text) const override {
    if (add_prefix_space_) {
      rewrite_pieces(text, [](std::string& out, std::string_view piece, size_t) {
        if (!piece.starts_with(' ')) out += ' ';
        out += piece;
      });
    }
    if (split_) split_->cut(text);
    text.raw_bytes = true;
  }

 private:
  bool add_prefix_space_;
  std::optional<Split> split_;
};

enum class PrependScheme { kNever, kFirst, kAlways };

class Metaspace : public PreTokenizer {
 public:
  Metaspace(std::string replacement, PrependScheme scheme, bool split)
      : replacement_(std::move(replacement)), scheme_(scheme) {
    if (split) split_.emplace(TextPattern::literal(replacement_), Delimiter::kMergedWithNext, false);
  }
  void cut(CutText& text) const override {
    rewrite_pieces(text, [&](std::string& out, std::string_view piece, size_t index) {
      const bool wants_prefix =
          scheme_ == PrependScheme::kAlways || (scheme_ == PrependScheme::kFirst && index == 0 && text.at_start);
      if (wants_prefix && !piece.starts_with(' ') && !piece.starts_with(replacement_)) out += replacement_;
      for (const char c : piece) {
        if (c == ' ')
          out += replacement_;
        else
          out += c;
      }
    });
    if (split_) split_->cut(text);
  }

 private:
  std::string replacement_;
  PrependScheme scheme_;
  std::optional<Split> split_;
};

/// Writes pieces in the byte alphabet where a later part wants to see them so.
class PreTokenizerSequence : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<std::unique_ptr<PreTokenizer>> parts) : parts_(std::move(parts)) {}
  void cut(CutText& text) const override {
    for (const auto& part : parts_) {
      if (text.raw_bytes) {
        rewrite_pieces(text,
                       [](std::string& out, std::string_view piece, size_t) { append_byte_characters(out, piece); });
        text.raw_bytes = false;
      }
      part->cut(text);
    }
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

/// Whether the part may put a character before the text.
bool adds_prefix(const Json& json, const std::string& where) {
  const std::string type = text_field(json, "type", where);
  if (type == "ByteLevel") return flag_field(json, "add_prefix_space", true, where);
  if (type == "Metaspace") return text_field_or(json, "prepend_scheme", "always", where) != "never";
  return false;
}

/// To the reference a piece stands at the start of the text when nothing of the text as given is before it; a prefix is
/// nothing of it, so behind one several pieces would stand there.
void refuse_first_behind_prefix(const Json& json, bool& has_prefix, const std::string& where) {
  const std::string type = text_field(json, "type", where);
  if (type == "Sequence") {
    for (const Json& part : array_field(json, "pretokenizers", where))
      refuse_first_behind_prefix(part, has_prefix, where);
    return;
  }
  if (type == "Metaspace" && has_prefix && text_field_or(json, "prepend_scheme", "", where) == "first") {
    unsupported("a Metaspace with prepend_scheme \"first\" behind a part that adds a prefix", where);
  }
  has_prefix = has_prefix || adds_prefix(json, where);
}

std::unique_ptr<PreTokenizer> make_metaspace(const Json& json, const std::string& where) {
  const std::string replacement = text_field(json, "replacement", where);
  if (count_code_points(replacement) != 1) unsupported("a Metaspace replacement that is not one character", where);
  // Files of before 2024 have add_prefix_space in place of prepend_scheme.
  const bool add_prefix_space = flag_field(json, "add_prefix_space", true, where);
  const std::string scheme = text_field_or(json, "prepend_scheme", add_prefix_space ? "always" : "never", where);
  if (scheme != "always" && scheme != "first" && scheme != "never") {
    unsupported(fmt::format("the prepend_scheme \"{}\"", scheme), where);
  }
  return std::make_unique<Metaspace>(replacement,
                                     scheme == "always"  ? PrependScheme::kAlways
                                     : scheme == "first" ? PrependScheme::kFirst
                                                         : PrependScheme::kNever,
                                     flag_field(json, "split", true, where));
}

/// The parts that cut at single characters; null for another type.
std::unique_ptr<PreTokenizer> make_character_split(const std::string& type, const Json& json,
                                                   const std::string& where) {
  if (type == "Punctuation") {
    return std::make_unique<CharacterSplit>(
        is_punctuation, delimiter_of_name(text_field_or(json, "behavior", "Isolated", where), where));
  }
  if (type == "WhitespaceSplit") return std::make_unique<CharacterSplit>(is_white_space, Delimiter::kRemoved);
  if (type == "Whitespace") return std::make_unique<Whitespace>();
  if (type == "CharDelimiterSplit") {
    const std::string delimiter = text_field(json, "delimiter", where);
    if (count_code_points(delimiter) != 1)
      unsupported("a CharDelimiterSplit delimiter that is not one character", where);
    size_t at = 0;
    const auto holds = [wanted = next_code_point(delimiter, at)](char32_t c) { return c == wanted; };
    return std::make_unique<CharacterSplit>(holds, Delimiter::kRemoved);
  }
  if (type == "BertPreTokenizer") {
    std::vector<std::unique_ptr<PreTokenizer>> parts;
    parts.push_back(std::make_unique<CharacterSplit>(is_white_space, Delimiter::kRemoved));
    parts.push_back(std::make_unique<CharacterSplit>(is_punctuation, Delimiter::kIsolated));
    return std::make_unique<PreTokenizerSequence>(std::move(parts));
  }
  if (type == "FixedLength") {
    const int64_t length = integer_field(json, "length", where);
    if (length < 1) unsupported("a FixedLength that is not positive", where);
    return std::make_unique<FixedLength>(length);
  }
  return nullptr;
}

}  // namespace

CutText::CutText(std::string whole, bool is_at_start) : text(std::move(whole)), at_start(is_at_start) {
  if (!text.empty()) pieces.push_back({0, text.size()});
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json, const std::string& where) {
  if (json.is_null()) return nullptr;
  const std::string type = text_field(json, "type", where);
  if (type == "Split") {
    return std::make_unique<Split>(TextPattern::from_json(require_member(json, "pattern", where), where),
                                   delimiter_of_name(text_field(json, "behavior", where), where),
                                   flag_field(json, "invert", false, where));
  }
  if (type == "ByteLevel") {
    return std::make_unique<ByteLevel>(flag_field(json, "add_prefix_space", true, where),
                                       flag_field(json, "use_regex", true, where), where);
  }
  if (type == "Digits") {
    const bool individual = flag_field(json, "individual_digits", false, where);
    return std::make_unique<CharacterSplit>(is_digit, individual ? Delimiter::kIsolated : Delimiter::kContiguous);
  }
  if (auto made = make_character_split(type, json, where)) return made;
  if (type == "Metaspace") return make_metaspace(json, where);
  if (type == "Sequence") {
    bool has_prefix = false;
    refuse_first_behind_prefix(json, has_prefix, where);
    std::vector<std::unique_ptr<PreTokenizer>> parts;
    for (const Json& part : array_field(json, "pretokenizers", where)) {
      if (auto made = make_pre_tokenizer(part, where)) parts.push_back(std::move(made));
    }
    return std::make_unique<PreTokenizerSequence>(std::move(parts));
  }
  unsupported(fmt::format("the pre-tokenizer \"{}\"", type), where);
}

}  // namespace plumbline
