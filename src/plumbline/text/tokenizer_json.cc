#include <fmt/format.h>

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
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!text_field_or(model, key, "", where).empty()) unsupported(fmt::format("the model option {}", key), where);
  }
  const Json& dropout = member_or_null(model, "dropout");
  if (!dropout.is_null() && dropout != 0.0) unsupported("the model option dropout", where);
  if (document.vocabulary.empty()) throw DataError("data.tokenizer", "the model has no vocabulary", where);
  BpeOptions options;
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

void append_template_ids(const Json& processor, std::vector<int64_t>& ids, const std::string& where) {
  const Json& special_tokens = require_member(processor, "special_tokens", where);
  for (const Json& item : array_field(processor, "single", where)) {
    if (item.contains("Sequence")) return;
    const std::string name = text_field(require_member(item, "SpecialToken", where), "id", where);
    for (const Json& id : array_field(require_member(special_tokens, name, where), "ids", where)) {
      if (!id.is_number_integer()) throw DataError("data.json_type", "\"ids\" must be integers", where);
      ids.push_back(id.get<int64_t>());
    }
  }
}

void append_ids_before(const Json& processor, std::vector<int64_t>& ids, const std::string& where) {
  if (processor.is_null()) return;
  const std::string type = text_field(processor, "type", where);
  if (type == "TemplateProcessing") {
    append_template_ids(processor, ids, where);
  } else if (type == "Sequence") {
    for (const Json& part : array_field(processor, "processors", where)) append_ids_before(part, ids, where);
  } else if (type != "ByteLevel") {  // which moves offsets only
    unsupported(fmt::format("the post-processor \"{}\"", type), where);
  }
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
  parts.decoder = make_token_decoder(member_or_null(json, "decoder"), where);
  append_ids_before(member_or_null(json, "post_processor"), parts.ids_before, where);
  return parts;
}

}  // namespace plumbline
