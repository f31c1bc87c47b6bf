#include "plumbline/files/hub/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/files/http/url.h"
#include "plumbline/files/hub/endpoint.h"

namespace plumbline {
namespace {

constexpr size_t kMaxFiles = 100000;

bool is_text_file(const std::string& path) {
  constexpr std::array kNames = {"config.json", "generation_config.json", "special_tokens_map.json",
                                 "added_tokens.json"};
  if (path.find('/') != std::string::npos) return false;
  return std::find(kNames.begin(), kNames.end(), path) != kNames.end() || path.starts_with("tokenizer") ||
         path.starts_with("chat_template");
}

/// Weights in the form that is read. Mistral's own format and adapters stand beside it in some repositories.
bool is_weight_file(const std::string& path) {
  return path.find('/') == std::string::npos && path.ends_with(".safetensors") && !path.starts_with("consolidated") &&
         !path.starts_with("adapter");
}

const HubFile* find_file(const HubListing& listing, const std::string& path) {
  const auto found =
      std::find_if(listing.files.begin(), listing.files.end(), [&](const HubFile& file) { return file.path == path; });
  return found == listing.files.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

HubFile parse_sibling(const Json& sibling, const std::string& where) {
  HubFile file;
  file.path = sibling.is_object() ? text_member(sibling, "rfilename") : "";
  if (!is_safe_relative_path(file.path)) {
    throw RemoteError("remote.unsafe_path", "the file list names a path that leaves its folder: '" + file.path + "'",
                      where, "do not use this repository or HF_ENDPOINT");
  }
  const auto size = sibling.find("size");
  if (size != sibling.end() && size->is_number_unsigned()) file.size_bytes = size->get<int64_t>();
  const auto lfs = sibling.find("lfs");
  file.hash = lfs != sibling.end() && lfs->is_object() ? text_member(*lfs, "sha256") : text_member(sibling, "blobId");
  return file;
}

std::string ggufs_of(const HubListing& listing) {
  std::string names;
  int count = 0;
  for (const HubFile& file : listing.files) {
    if (file.path.ends_with(".gguf") && ++count <= 8) names += (names.empty() ? "" : ", ") + file.path;
  }
  return count > 8 ? names + fmt::format(" and {} more", count - 8) : names;
}

}  // namespace

void require_hub_answer(const HttpReply& reply, const std::string& endpoint, const HubName& name,
                        const std::string& what) {
  if (reply.ok()) return;
  if (reply.failure != HttpFailure::kStatus) require_ok(reply, "the hub");
  const std::string place = endpoint + "/" + name.repository;
  const std::string_view code = reply.header("x-error-code");
  const std::string named = what.empty() ? name.repository : name.repository + "/" + what;
  const bool with_token = !hub_headers().empty();
  if (code == "GatedRepo" || (reply.status == 403 && code != "RepoNotFound")) {
    throw RemoteError("remote.no_access", fmt::format("{} is gated ({} from the hub)", named, reply.status), place,
                      with_token ? "accept its licence at " + place + " with the account of your HF_TOKEN"
                                 : "accept its licence at " + place + ", then set HF_TOKEN");
  }
  if (code == "RevisionNotFound") {
    throw RemoteError("remote.no_revision", fmt::format("{} has no revision '{}'", name.repository, name.revision),
                      place, "look up its branches and tags there");
  }
  if (code == "EntryNotFound") {
    throw RemoteError("remote.no_file", fmt::format("{} does not exist at '{}'", named, name.revision), place,
                      "look up its files there");
  }
  if (reply.status == 401) {
    throw RemoteError(
        "remote.no_access",
        with_token ? "the hub does not accept the token, or " + named + " does not exist or is private (401)"
                   : named + " does not exist or is private (401 from the hub)",
        place, with_token ? "check HF_TOKEN and the name" : "check the name; for a private one set HF_TOKEN");
  }
  if (code == "RepoNotFound" || reply.status == 404) {
    throw RemoteError("remote.no_repository", "the hub knows no " + named + " (404)", place,
                      "check the name; if a folder was meant, check its path");
  }
  require_ok(reply, "the hub");
}

HubListing list_files(const HttpClient& client, const std::string& endpoint, const HubName& name) {
  const std::string where = endpoint + "/api/models/" + name.repository + "/revision/" + percent_encode(name.revision);
  const HttpReply reply = client.get(where + "?blobs=true", hub_headers());
  require_hub_answer(reply, endpoint, name, "");
  Json document;
  try {
    document = parse_json(reply.body, where);
  } catch (const DataError& error) {
    throw RemoteError("remote.bad_answer", "the hub's answer is not JSON", where,
                      "check HF_ENDPOINT and whether a proxy or a login page answers instead");
  }
  HubListing listing;
  listing.commit = document.is_object() ? text_member(document, "sha") : "";
  const Json siblings = document.is_object() ? document.value("siblings", Json()) : Json();
  if (!is_commit(listing.commit) || !siblings.is_array() || siblings.size() > kMaxFiles) {
    throw RemoteError("remote.bad_answer", "the hub's answer has no commit or no list of files", where,
                      "check HF_ENDPOINT");
  }
  if (is_commit(name.revision) && listing.commit != name.revision) {
    throw RemoteError("remote.bad_answer", "the hub answers with another commit than was asked for", where,
                      "check HF_ENDPOINT");
  }
  for (const Json& sibling : siblings) listing.files.push_back(parse_sibling(sibling, where));
  return listing;
}

std::vector<HubFile> needed_files(const HubListing& listing, const HubName& name, ModelNeed need) {
  if (!name.file.empty()) {
    if (const HubFile* file = find_file(listing, name.file)) return {*file};
    const std::string others = ggufs_of(listing);
    throw RemoteError("remote.no_file", name.repository + " has no " + name.file,
                      hub_endpoint() + "/" + name.repository,
                      others.empty() ? "it has no GGUF file" : "it has " + others);
  }
  std::vector<HubFile> files;
  std::copy_if(listing.files.begin(), listing.files.end(), std::back_inserter(files),
               [](const HubFile& file) { return is_text_file(file.path); });
  if (need == ModelNeed::kText) return files;
  if (const HubFile* index = find_file(listing, kIndexFile)) {
    files.push_back(*index);
    return files;
  }
  if (const HubFile* single = find_file(listing, "model.safetensors")) {
    files.push_back(*single);
    return files;
  }
  const size_t num_small = files.size();
  std::copy_if(listing.files.begin(), listing.files.end(), std::back_inserter(files),
               [](const HubFile& file) { return is_weight_file(file.path); });
  if (files.size() == num_small) {
    const std::string others = ggufs_of(listing);
    throw DataError("data.no_weights", name.repository + " has no safetensors weights",
                    hub_endpoint() + "/" + name.repository,
                    others.empty() ? "choose a repository that has them"
                                   : "name one of its GGUF files, as " + name.repository + "/FILE.gguf: " + others);
  }
  return files;
}

std::vector<HubFile> shard_files(const HubListing& listing, const std::string& index) {
  const Json document = parse_json(index, kIndexFile);
  const Json& map = require_member(document, "weight_map", kIndexFile);
  if (!map.is_object()) throw DataError("data.json_type", "\"weight_map\" must be an object", kIndexFile);
  std::set<std::string> names;
  for (const auto& [tensor, shard] : map.items()) {
    if (!shard.is_string()) throw DataError("data.json_type", "a shard's name must be a string", kIndexFile);
    names.insert(shard.get<std::string>());
  }
  std::vector<HubFile> files;
  for (const std::string& name : names) {
    const HubFile* file = find_file(listing, name);
    if (!file) {
      throw RemoteError("remote.no_file", "the index names " + name + ", which the repository does not have",
                        kIndexFile, "the repository is damaged; choose another revision");
    }
    files.push_back(*file);
  }
  return files;
}

}  // namespace plumbline
