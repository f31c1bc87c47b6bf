#include "plumbline/text/normalizer.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/text/byte_level.h"
#include "plumbline/text/json_field.h"
#include "plumbline/text/text_pattern.h"
#include "plumbline/text/unicode.h"
#include "plumbline/text/unicode_tables.h"

namespace plumbline {
namespace {

class UnicodeForm : public Normalizer {
 public:
  explicit UnicodeForm(int options) : options_(static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE)) {}

  std::string normalize(std::string text) const override {
    const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (ascii) return text;
    std::string out;
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      if (!is_unknown_to_normalizers(next_code_point(text, at))) continue;
      append_form(out, std::string_view(text).substr(done, begin - done));
      out.append(text, begin, at - begin);
      done = at;
    }
    append_form(out, std::string_view(text).substr(done));
    return out;
  }

 private:
  void append_form(std::string& out, std::string_view text) const {
    if (text.empty()) return;
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &mapped, options_);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length < 0) throw DataError("data.tokenizer_limit", utf8proc_errmsg(length), "Unicode normalisation");
    out.append(reinterpret_cast<const char*>(mapped), static_cast<size_t>(length));
  }

  utf8proc_option_t options_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string normalize(std::string text) const override { return text.empty() ? text : prefix_ + text; }

 private:
  std::string prefix_;
};

class Replace : public Normalizer {
 public:
  Replace(TextPattern pattern, std::string content) : pattern_(std::move(pattern)), content_(std::move(content)) {}
  std::string normalize(std::string text) const override { return pattern_.replace(text, content_); }

 private:
  TextPattern pattern_;
  std::string content_;
};

/// Rewrites or drops characters one by one.
class CharacterMap : public Normalizer {
 public:
  using Append = void (*)(std::string& out, char32_t c);
  explicit CharacterMap(Append append) : append_(append) {}
  std::string normalize(std::string text) const override {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size();) append_(out, next_code_point(text, at));
    return out;
  }

 private:
  Append append_;
};

void append_unless_mark(std::string& out, char32_t c) {
  if (!is_mark(c)) append_utf8(out, c);
}

/// What SentencePiece's nmt rules do to controls, joiners and other spaces.
void append_nmt(std::string& out, char32_t c) {
  const bool dropped =
      (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
  const bool is_space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                        (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
                        c == 0xFFFD;
  if (!dropped) append_utf8(out, is_space ? U' ' : c);
}

class StripSpace : public Normalizer {
 public:
  StripSpace(bool left, bool right) : left_(left), right_(right) {}
  std::string normalize(std::string text) const override {
    size_t begin = 0, end = text.size();
    for (size_t at = 0; left_ && at < end && is_white_space(next_code_point(text, at));) begin = at;
    for (size_t at = end; right_ && at > begin && is_white_space(previous_code_point(text, at));) end = at;
    return text.substr(begin, end - begin);
  }

 private:
  bool left_, right_;
};

class ByteAlphabet : public Normalizer {
 public:
  std::string normalize(std::string text) const override {
    std::string out;
    append_byte_characters(out, text);
    return out;
  }
};

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<std::unique_ptr<Normalizer>> parts) : parts_(std::move(parts)) {}
  std::string normalize(std::string text) const override {
    for (const auto& part : parts_) text = part->normalize(std::move(text));
    return text;
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> parts_;
};

}  // namespace

std::unique_ptr<Normalizer> make_nfc() {
  return std::make_unique<UnicodeForm>(UTF8PROC_COMPOSE);
}

std::unique_ptr<Normalizer> make_normalizer(const Json& json, const std::string& where) {
  if (json.is_null()) return nullptr;
  const std::string type = text_field(json, "type", where);
  if (type == "NFC") return make_nfc();
  if (type == "NFD") return std::make_unique<UnicodeForm>(UTF8PROC_DECOMPOSE);
  if (type == "NFKC") return std::make_unique<UnicodeForm>(UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
  if (type == "NFKD") return std::make_unique<UnicodeForm>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  if (type == "Lowercase") return std::make_unique<CharacterMap>(append_lower);
  if (type == "StripAccents") return std::make_unique<CharacterMap>(append_unless_mark);
  if (type == "Nmt") return std::make_unique<CharacterMap>(append_nmt);
  if (type == "ByteLevel") return std::make_unique<ByteAlphabet>();
  if (type == "Strip") {
    return std::make_unique<StripSpace>(flag_field(json, "strip_left", true, where),
                                        flag_field(json, "strip_right", true, where));
  }
  if (type == "Prepend") return std::make_unique<Prepend>(text_field(json, "prepend", where));
  if (type == "Replace") {
    return std::make_unique<Replace>(TextPattern::from_json(require_member(json, "pattern", where), where),
                                     text_field(json, "content", where));
  }
  if (type == "Sequence") {
    std::vector<std::unique_ptr<Normalizer>> parts;
    for (const Json& part : array_field(json, "normalizers", where)) {
      if (auto made = make_normalizer(part, where)) parts.push_back(std::move(made));
    }
    return std::make_unique<NormalizerSequence>(std::move(parts));
  }
  throw DataError("data.tokenizer_unsupported", fmt::format("the normalizer \"{}\"", type), where,
                  "report the tokenizer, so that it can be added");
}

}  // namespace plumbline
