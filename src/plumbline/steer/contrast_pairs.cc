#include "plumbline/steer/contrast_pairs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;

[[noreturn]] void refuse(const std::string& message, const std::string& where) {
  throw DataError("data.pairs", message, where,
                  "a row is {id, problem, flavor, held_out, prompt: [{role, content}], hack, clean}");
}

std::string text_field(const Json& row, const std::string& field, const std::string& where) {
  const auto found = row.find(field);
  if (found == row.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
    refuse("'" + field + "' must be a text that is not empty", where);
  }
  return found->get<std::string>();
}

std::vector<ContrastPair::Message> prompt_field(const Json& row, const std::string& where) {
  const auto found = row.find("prompt");
  if (found == row.end() || !found->is_array() || found->empty()) refuse("'prompt' must be a list of messages", where);
  std::vector<ContrastPair::Message> messages;
  for (const Json& message : *found) {
    if (!message.is_object()) refuse("'prompt' must be a list of messages", where);
    messages.push_back({text_field(message, "role", where), text_field(message, "content", where)});
  }
  return messages;
}

ContrastPair read_pair(const Json& row, const std::string& where) {
  if (!row.is_object()) refuse("a row must be an object", where);
  const auto held_out = row.find("held_out");
  if (held_out == row.end() || !held_out->is_boolean()) refuse("'held_out' must be true or false", where);
  ContrastPair pair;
  pair.id = text_field(row, "id", where);
  pair.problem = text_field(row, "problem", where);
  pair.flavor = text_field(row, "flavor", where);
  pair.held_out = held_out->get<bool>();
  pair.prompt = prompt_field(row, where);
  pair.hack = text_field(row, "hack", where);
  pair.clean = text_field(row, "clean", where);
  if (pair.hack == pair.clean) refuse("'hack' and 'clean' are the same text", where);
  return pair;
}

}  // namespace

bool is_locked_pairs_hash(const std::string& hash) {
  return hash == "9f43d2f2b11302e23ebae78146c2e11d0c07c719143a28c306ea9a4f11b14b84" ||  // data/pairs
         hash == "41c7df16b30c6f3497bc8b5c80258baf9c267f4033a2f795773c6eb52cc3c0e5";    // data/tiny
}

ContrastPairs load_contrast_pairs(const std::string& path) {
  ContrastPairs result;
  result.path = path.empty() ? shipped_folder("data") + "/pairs/hack_pairs.jsonl" : path;
  const MappedFile file(result.path);
  const std::string_view text = file.bytes();
  if (text.size() > kMaxBytes) refuse("the file has more than 16 MiB", result.path);
  result.hash = sha256_hex(text);
  std::set<std::string> ids;
  int64_t line_number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::string where = result.path + ":" + std::to_string(++line_number);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    result.pairs.push_back(read_pair(parse_json(line, where), where));
    if (!ids.insert(result.pairs.back().id).second) refuse("the id stands twice: " + result.pairs.back().id, where);
  }
  if (result.pairs.empty()) refuse("the file holds no pair", result.path);
  return result;
}

std::string placebo_pairs_path() {
  return shipped_folder("data") + "/pairs/placebo_pairs.jsonl";
}

std::vector<ContrastPair> select_flavors(const std::vector<ContrastPair>& pairs,
                                         const std::vector<std::string>& flavors) {
  if (flavors.empty()) return pairs;
  std::set<std::string> there;
  for (const ContrastPair& pair : pairs) there.insert(pair.flavor);
  for (const std::string& flavor : flavors) {
    if (there.count(flavor)) continue;
    std::string names;
    for (const std::string& name : there) names += (names.empty() ? "" : ", ") + name;
    throw ConfigError("config.flavors", "no pair has the flavor '" + flavor + "'", "steer.flavors",
                      "use some of: " + names);
  }
  std::vector<ContrastPair> chosen;
  for (const ContrastPair& pair : pairs) {
    if (std::find(flavors.begin(), flavors.end(), pair.flavor) != flavors.end()) chosen.push_back(pair);
  }
  return chosen;
}

}  // namespace plumbline
