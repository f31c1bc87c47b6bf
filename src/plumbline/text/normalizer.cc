#include "plumbline/text/normalizer.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/text/json_field.h"
#include "plumbline/text/text_pattern.h"

namespace plumbline {
namespace {

class UnicodeForm : public Normalizer {
 public:
  explicit UnicodeForm(int options) : options_(static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE)) {}

  std::string normalize(std::string text) const override {
    const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (ascii) return text;
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &mapped, options_);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length < 0) throw DataError("data.tokenizer_limit", utf8proc_errmsg(length), "Unicode normalisation");
    return {reinterpret_cast<const char*>(mapped), static_cast<size_t>(length)};
  }

 private:
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
