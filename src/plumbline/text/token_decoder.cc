#include "plumbline/text/token_decoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "plumbline/base/error.h"
#include "plumbline/text/byte_level.h"
#include "plumbline/text/json_field.h"
#include "plumbline/text/text_pattern.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

using Tokens = std::vector<std::string>;

/// A token in the byte alphabet as its bytes; one with any other character (an added token) as it is.
std::string bytes_of_token(const std::string& token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const int byte = byte_of_character(next_code_point(token, at));
    if (byte < 0) return token;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

class ByteLevelDecoder : public TokenDecoder {
 public:
  Tokens decode(Tokens tokens) const override {
    std::string bytes;
    for (const std::string& token : tokens) bytes += bytes_of_token(token);
    return {replace_invalid_utf8(bytes)};
  }
  StreamingRules streaming_rules(StreamingRules before) const override {
    before.by_token = before.by_token && !before.is_fused;
    before.is_fused = true;
    return before;
  }
};

class ReplaceDecoder : public TokenDecoder {
 public:
  ReplaceDecoder(TextPattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  Tokens decode(Tokens tokens) const override {
    for (std::string& token : tokens) token = pattern_.replace(token, content_);
    return tokens;
  }
  StreamingRules streaming_rules(StreamingRules before) const override {
    before.by_token = before.by_token && !before.is_fused;
    return before;
  }

 private:
  TextPattern pattern_;
  std::string content_;
};

/// The byte of a token "<0xXX>", or -1.
int byte_of_fallback_token(const std::string& token) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  const int high = digit(token[3]), low = digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Runs of <0xXX> tokens become text; in a run that is not UTF-8 every byte becomes U+FFFD.
class ByteFallbackDecoder : public TokenDecoder {
 public:
  Tokens decode(Tokens tokens) const override {
    Tokens out;
    std::string run;
    const auto flush = [&] {
      if (run.empty()) return;
      if (is_valid_utf8(run)) {
        out.push_back(run);
      } else {
        out.insert(out.end(), run.size(), to_utf8({&kReplacement, 1}));
      }
      run.clear();
    };
    for (std::string& token : tokens) {
      if (const int byte = byte_of_fallback_token(token); byte >= 0) {
        run += static_cast<char>(byte);
      } else {
        flush();
        out.push_back(std::move(token));
      }
    }
    flush();
    return out;
  }
  StreamingRules streaming_rules(StreamingRules before) const override {
    // A part before this one may have changed what is a byte token.
    before.by_token = before.by_token && !before.is_fused;
    before.has_byte_runs = true;
    return before;
  }
};

class FuseDecoder : public TokenDecoder {
 public:
  Tokens decode(Tokens tokens) const override { return {std::accumulate(tokens.begin(), tokens.end(), std::string())}; }
  StreamingRules streaming_rules(StreamingRules before) const override {
    before.is_fused = true;
    return before;
  }
};

class StripDecoder : public TokenDecoder {
 public:
  StripDecoder(std::string content, int64_t start, int64_t stop)
      : content_(std::move(content)), start_(start), stop_(stop) {}
  Tokens decode(Tokens tokens) const override {
    for (std::string& token : tokens) {
      for (int64_t i = 0; i < start_ && token.starts_with(content_); ++i) token.erase(0, content_.size());
      for (int64_t i = 0; i < stop_ && token.ends_with(content_); ++i) token.resize(token.size() - content_.size());
    }
    return tokens;
  }

 private:
  std::string content_;
  int64_t start_, stop_;
};

class MetaspaceDecoder : public TokenDecoder {
 public:
  MetaspaceDecoder(const std::string& replacement, bool has_prefix)
      : pattern_(TextPattern::literal(replacement)), has_prefix_(has_prefix) {}
  Tokens decode(Tokens tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = pattern_.replace(tokens[i], i == 0 && has_prefix_ ? "" : " ");
    return tokens;
  }

 private:
  TextPattern pattern_;
  bool has_prefix_;
};

/// The suffix ends a word, so it becomes a space, but for the last token's.
class SuffixDecoder : public TokenDecoder {
 public:
  explicit SuffixDecoder(const std::string& suffix) : pattern_(TextPattern::literal(suffix)) {}
  Tokens decode(Tokens tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = pattern_.replace(tokens[i], i + 1 == tokens.size() ? "" : " ");
    return tokens;
  }
  StreamingRules streaming_rules(StreamingRules before) const override {
    before.by_token = before.by_token && !before.is_fused;
    before.last_differs = true;
    return before;
  }

 private:
  TextPattern pattern_;
};

class DecoderSequence : public TokenDecoder {
 public:
  explicit DecoderSequence(std::vector<std::unique_ptr<TokenDecoder>> parts) : parts_(std::move(parts)) {}
  Tokens decode(Tokens tokens) const override {
    for (const auto& part : parts_) tokens = part->decode(std::move(tokens));
    return tokens;
  }
  StreamingRules streaming_rules(StreamingRules before) const override {
    for (const auto& part : parts_) before = part->streaming_rules(before);
    return before;
  }

 private:
  std::vector<std::unique_ptr<TokenDecoder>> parts_;
};

std::unique_ptr<TokenDecoder> make_strip(const Json& json, const std::string& where) {
  const std::string content = text_field(json, "content", where);
  if (content.empty()) throw DataError("data.tokenizer", "a Strip decoder without content", where);
  return std::make_unique<StripDecoder>(content, integer_field(json, "start", where),
                                        integer_field(json, "stop", where));
}

}  // namespace

bool is_byte_token(const std::string& token) {
  return byte_of_fallback_token(token) >= 0;
}

std::unique_ptr<TokenDecoder> make_token_decoder(const Json& json, const std::string& where) {
  if (json.is_null()) return nullptr;
  const std::string type = text_field(json, "type", where);
  if (type == "ByteLevel") return std::make_unique<ByteLevelDecoder>();
  if (type == "ByteFallback") return std::make_unique<ByteFallbackDecoder>();
  if (type == "Fuse") return std::make_unique<FuseDecoder>();
  if (type == "BPEDecoder") return std::make_unique<SuffixDecoder>(text_field_or(json, "suffix", "</w>", where));
  if (type == "Strip") return make_strip(json, where);
  if (type == "Replace") {
    return std::make_unique<ReplaceDecoder>(TextPattern::from_json(require_member(json, "pattern", where), where),
                                            text_field(json, "content", where));
  }
  if (type == "Metaspace") {
    const bool add_prefix_space = flag_field(json, "add_prefix_space", true, where);
    const std::string scheme = text_field_or(json, "prepend_scheme", add_prefix_space ? "always" : "never", where);
    return std::make_unique<MetaspaceDecoder>(text_field(json, "replacement", where), scheme != "never");
  }
  if (type == "Sequence") {
    std::vector<std::unique_ptr<TokenDecoder>> parts;
    for (const Json& part : array_field(json, "decoders", where)) {
      if (auto made = make_token_decoder(part, where)) parts.push_back(std::move(made));
    }
    return std::make_unique<DecoderSequence>(std::move(parts));
  }
  throw DataError("data.tokenizer_unsupported", fmt::format("the decoder \"{}\"", type), where,
                  "report the tokenizer, so that it can be added");
}

}  // namespace plumbline
