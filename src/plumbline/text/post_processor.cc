#include "plumbline/text/post_processor.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/text/json_field.h"

namespace plumbline {
namespace {

[[noreturn]] void unsupported(const std::string& what, const std::string& where) {
  throw DataError("data.tokenizer_unsupported", what, where, "report the tokenizer, so that it can be added");
}

void append_special_token(const Json& special_tokens, const std::string& name, std::vector<int64_t>& ids,
                          const std::string& where) {
  for (const Json& id : array_field(require_member(special_tokens, name, where), "ids", where)) {
    if (!id.is_number_integer()) throw DataError("data.json_type", "\"ids\" must be integers", where);
    ids.push_back(id.get<int64_t>());
  }
}

IdsAround read_template(const Json& processor, const std::string& where) {
  IdsAround around;
  int num_sequences = 0;
  for (const Json& item : array_field(processor, "single", where)) {
    if (!item.is_object()) throw DataError("data.json_type", "\"single\" must be of objects", where);
    if (item.contains("Sequence")) {
      ++num_sequences;
    } else {
      append_special_token(require_member(processor, "special_tokens", where),
                           text_field(require_member(item, "SpecialToken", where), "id", where),
                           num_sequences ? around.after : around.before, where);
    }
  }
  if (num_sequences != 1) unsupported("a post-processor template without exactly one sequence", where);
  return around;
}

/// ["</s>", 2]
int64_t id_of_pair(const Json& processor, const char* key, const std::string& where) {
  const Json& pair = array_field(processor, key, where);
  if (pair.size() != 2 || !pair[1].is_number_integer()) {
    throw DataError("data.json_type", fmt::format("\"{}\" must be a token and its id", key), where);
  }
  return pair[1].get<int64_t>();
}

}  // namespace

IdsAround read_post_processor(const Json& json, const std::string& where) {
  if (json.is_null()) return {};
  const std::string type = text_field(json, "type", where);
  if (type == "ByteLevel") return {};
  if (type == "TemplateProcessing") return read_template(json, where);
  if (type == "RobertaProcessing" || type == "BertProcessing") {
    return {{id_of_pair(json, "cls", where)}, {id_of_pair(json, "sep", where)}};
  }
  if (type != "Sequence") unsupported(fmt::format("the post-processor \"{}\"", type), where);
  IdsAround around;
  for (const Json& part : array_field(json, "processors", where)) {
    IdsAround added = read_post_processor(part, where);
    if (added.before.empty() && added.after.empty()) continue;
    // The reference takes what the first one added for a second sequence.
    if (!around.before.empty() || !around.after.empty()) unsupported("several post-processors that add tokens", where);
    around = std::move(added);
  }
  return around;
}

}  // namespace plumbline
