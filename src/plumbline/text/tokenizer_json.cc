#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/text/json_field.h"
#include "plumbline/text/tokenizer_document.h"
#include "plumbline/text/tokenizer_parts.h"

namespace plumbline {
namespace {

[[noreturn]] void unsupported(const std::string& what, const std::string& where) {
  throw DataError("data.tokenizer_unsupported", what, where, "report the tokenizer, so that it can be added");
}

const Json& member_or_null(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::unique_ptr<Bpe> make_bpe(const Json& model, TokenizerDocument& document, const std::string& where) {
  const std::string type = text_field_or(model, "type", "BPE", where);
  if (type != "BPE") unsupported(fmt::format("the model \"{}\"", type), where);
  const Json& dropout = member_or_null(model, "dropout");
  if (!dropout.is_null() && dropout != 0.0) unsupported("the model option dropout", where);
  if (document.vocabulary.empty()) throw DataError("data.tokenizer", "the model has no vocabulary", where);
  BpeOptions options;
  options.continuing_prefix = text_field_or(model, "continuing_subword_prefix", "", where);
  options.end_suffix = text_field_or(model, "end_of_word_suffix", "", where);
  options.unknown_token = text_field_or(model, "unk_token", "", where);
  options.fuse_unknown = flag_field(model, "fuse_unk", false, where);
  options.byte_fallback = flag_field(model, "byte_fallback", false, where);
  options.ignore_merges = flag_field(model, "ignore_merges", false, where);
  return std::make_unique<Bpe>(std::move(document.vocabulary), document.merges, std::move(options), where);
}

std::vector<AddedToken> read_added_tokens(const Json& list, const std::string& where) {
  if (list.is_null()) return {};
  if (!list.is_array()) throw DataError("data.json_type", "\"added_tokens\" must be an array", where);
  std::vector<AddedToken> tokens;
  for (const Json& json : list) {
    AddedToken token;
    token.id = integer_field(json, "id", where);
    token.content = text_field(json, "content", where);
    token.single_word = flag_field(json, "single_word", false, where);
    token.lstrip = flag_field(json, "lstrip", false, where);
    token.rstrip = flag_field(json, "rstrip", false, where);
    token.special = flag_field(json, "special", false, where);
    token.normalized = flag_field(json, "normalized", !token.special, where);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// Whether the normalizer may take characters away from the start of a text.
bool may_erase(const Json& normalizer, const std::string& where) {
  if (normalizer.is_null()) return false;
  const std::string type = text_field(normalizer, "type", where);
  if (type == "Sequence") {
    const Json& parts = array_field(normalizer, "normalizers", where);
    return std::any_of(parts.begin(), parts.end(), [&](const Json& part) { return may_erase(part, where); });
  }
  return type == "Nmt" || type == "Strip" || type == "StripAccents" ||
         (type == "Replace" && text_field(normalizer, "content", where).empty());
}

bool has_first_scheme(const Json& pre_tokenizer, const std::string& where) {
  if (pre_tokenizer.is_null()) return false;
  if (text_field(pre_tokenizer, "type", where) == "Sequence") {
    const Json& parts = array_field(pre_tokenizer, "pretokenizers", where);
    return std::any_of(parts.begin(), parts.end(), [&](const Json& part) { return has_first_scheme(part, where); });
  }
  return text_field_or(pre_tokenizer, "prepend_scheme", "", where) == "first";
}

}  // namespace

TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where) {
  TokenizerDocument document = parse_tokenizer_document(text, where);
  const Json& json = *document.rest;
  const Json& model = require_member(json, "model", where);
  TokenizerParts parts;
  parts.bpe = make_bpe(model, document, where);
  parts.added_tokens = read_added_tokens(member_or_null(json, "added_tokens"), where);
  parts.normalizer = make_normalizer(member_or_null(json, "normalizer"), where);
  parts.pre_tokenizer = make_pre_tokenizer(member_or_null(json, "pre_tokenizer"), where);
  // To the reference a text whose first character is gone does not begin at its start.
  if (has_first_scheme(member_or_null(json, "pre_tokenizer"), where) &&
      may_erase(member_or_null(json, "normalizer"), where)) {
    unsupported("prepend_scheme \"first\" behind a normalizer that erases characters", where);
  }
  parts.decoder = make_token_decoder(member_or_null(json, "decoder"), where);
  parts.around = read_post_processor(member_or_null(json, "post_processor"), where);
  return parts;
}

}  // namespace plumbline
