#include "plumbline/text/tokenizer.h"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/gzip.h"
#include "plumbline/text/tokenizer_parts.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxFileBytes = size_t{256} << 20;

std::vector<AddedToken> tokens_where(const TokenizerParts& parts, bool normalized, const std::string& where) {
  std::vector<AddedToken> tokens;
  std::unordered_map<std::string, std::string> given_as;
  for (AddedToken token : parts.added_tokens) {
    if (token.normalized != normalized) continue;
    const std::string given = token.content;
    // Looked for in normalised text, so it must be written as it will stand there.
    if (normalized && parts.normalizer) {
      std::string written = parts.normalizer->normalize(token.content);
      if (written.empty() && !token.content.empty()) {
        throw DataError("data.tokenizer_unsupported",
                        fmt::format("the added token \"{}\", which the normalizer erases", token.content), where);
      }
      token.content = std::move(written);
    }
    if (const auto [same, is_new] = given_as.emplace(token.content, given); !is_new && same->second != given) {
      throw DataError(
          "data.tokenizer_unsupported",
          fmt::format("the added tokens \"{}\" and \"{}\", which the normalizer makes equal", same->second, given),
          where);
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

struct TokenText {
  std::string text;
  bool special = false;
};

}  // namespace

struct Tokenizer::Impl {
  TokenizerParts parts;
  TokenFinder raw_finder, normalized_finder;
  std::unordered_map<int64_t, TokenText> token_of_id;
  std::unordered_map<std::string, int64_t> added_ids;
  std::unordered_set<int64_t> special_ids;

  Impl(TokenizerParts from, const std::string& where)
      : parts(std::move(from)),
        raw_finder(tokens_where(parts, false, where)),
        normalized_finder(tokens_where(parts, true, where)) {
    token_of_id.reserve(parts.bpe->vocabulary().size() + parts.added_tokens.size());
    for (const auto& [token, id] : parts.bpe->vocabulary()) token_of_id[id] = {token, false};
    std::unordered_set<std::string> special_contents;
    for (const AddedToken& token : parts.added_tokens) {
      add(token, where);
      if (token.special) special_contents.insert(token.content), special_ids.insert(token.id);
    }
    for (auto& [id, token] : token_of_id) token.special = special_contents.count(token.text) > 0;
  }

  void add(const AddedToken& token, const std::string& where) {
    const int64_t model_id = parts.bpe->id_of(token.content);
    const bool taken = model_id < 0 && token_of_id.count(token.id) > 0;
    if (token.id < 0 || taken || (model_id >= 0 && model_id != token.id)) {
      throw DataError(
          "data.tokenizer",
          fmt::format("the added token \"{}\" has the id {}, which is another token's", token.content, token.id), where,
          "the tokenizer file is damaged or not what it says");
    }
    // As of tokenizers 0.23 a token that is looked for in normalised text also decodes to its normalised content, and
    // is special only if that content is.
    std::string shown =
        token.normalized && parts.normalizer ? parts.normalizer->normalize(token.content) : token.content;
    token_of_id[token.id] = {std::move(shown), false};
    added_ids[token.content] = token.id;
  }

  /// Text without added tokens, already normalised.
  void encode_plain(std::string text, bool at_start, std::vector<int64_t>& ids) const {
    CutText cut(std::move(text), at_start);
    if (parts.pre_tokenizer) parts.pre_tokenizer->cut(cut);
    for (size_t i = 0; i < cut.pieces.size(); ++i) parts.bpe->encode(cut.piece(i), cut.raw_bytes, ids);
  }

  void encode_stretch(std::string text, bool at_start, std::vector<int64_t>& ids) const {
    if (parts.normalizer) text = parts.normalizer->normalize(std::move(text));
    if (normalized_finder.empty()) return encode_plain(std::move(text), at_start, ids);
    for (const TokenStretch& stretch : normalized_finder.split(text)) {
      if (stretch.id >= 0) {
        ids.push_back(stretch.id);
      } else {
        encode_plain(text.substr(stretch.begin, stretch.end - stretch.begin), at_start && stretch.begin == 0, ids);
      }
    }
  }

  std::string decode(const std::vector<int64_t>& ids, bool keep_special) const {
    std::vector<std::string> tokens;
    for (const int64_t id : ids) {
      const auto found = token_of_id.find(id);
      if (found == token_of_id.end() || (found->second.special && !keep_special)) continue;
      tokens.push_back(found->second.text);
    }
    const char* separator = "";
    if (parts.decoder) {
      tokens = parts.decoder->decode(std::move(tokens));
    } else {
      separator = " ";
    }
    return fmt::format("{}", fmt::join(tokens, separator));
  }
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::string& path) {
  std::string file = path;
  if (std::filesystem::is_directory(path)) {
    file = path + "/tokenizer.json";
    if (!std::filesystem::exists(file) && std::filesystem::exists(file + ".gz")) file += ".gz";
  }
  TokenizerParts parts = MappedFile(file).bytes().starts_with("GGUF")
                             ? read_tokenizer_gguf(GgufFile(file))
                             : read_tokenizer_json(read_file_inflated(file, kMaxFileBytes), file);
  return Tokenizer(std::make_unique<Impl>(std::move(parts), file));
}

std::vector<int64_t> Tokenizer::encode(std::string_view given) const {
  if (given.size() > kMaxTextBytes) {
    throw DataError("data.too_large", fmt::format("a text of {} bytes", given.size()), "", "cut it into parts");
  }
  const std::string text = replace_invalid_utf8(given);
  std::vector<int64_t> ids;
  for (const TokenStretch& stretch : impl_->raw_finder.split(text)) {
    if (stretch.id >= 0) {
      ids.push_back(stretch.id);
    } else {
      impl_->encode_stretch(text.substr(stretch.begin, stretch.end - stretch.begin), stretch.begin == 0, ids);
    }
  }
  return ids;
}

std::string Tokenizer::decode(const std::vector<int64_t>& ids) const {
  return impl_->decode(ids, true);
}

std::string Tokenizer::decode_text(const std::vector<int64_t>& ids) const {
  return impl_->decode(ids, false);
}

StreamingRules Tokenizer::streaming_rules() const {
  return impl_->parts.decoder ? impl_->parts.decoder->streaming_rules({}) : StreamingRules{};
}

bool Tokenizer::ends_byte_run(int64_t id, bool keep_special) const {
  const auto found = impl_->token_of_id.find(id);
  if (found == impl_->token_of_id.end() || (found->second.special && !keep_special)) return false;
  return !is_byte_token(found->second.text);
}

int64_t Tokenizer::id_of(const std::string& token) const {
  const auto found = impl_->added_ids.find(token);
  return found != impl_->added_ids.end() ? found->second : impl_->parts.bpe->id_of(token);
}

bool Tokenizer::is_special(int64_t id) const {
  return impl_->special_ids.count(id) > 0;
}

int64_t Tokenizer::size() const {
  return static_cast<int64_t>(impl_->token_of_id.size());
}

const std::vector<int64_t>& Tokenizer::ids_before() const {
  return impl_->parts.around.before;
}

const std::vector<int64_t>& Tokenizer::ids_after() const {
  return impl_->parts.around.after;
}

bool Tokenizer::has(int64_t id) const {
  return impl_->token_of_id.count(id) > 0;
}

}  // namespace plumbline
