/// What a repository holds at a revision, and which of it a model needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/files/http/client.h"
#include "plumbline/files/hub_cache.h"

namespace plumbline {

struct HubFile {
  std::string path;
  int64_t size_bytes = -1;  ///< -1 when the list does not say
  std::string hash;         ///< SHA-256 of a large file, git blob SHA-1 of a small one; "" when the list does not say
};

struct HubListing {
  std::string commit;
  std::vector<HubFile> files;
};

/// GET ENDPOINT/api/models/org/name/revision/REVISION?blobs=true. A list with a path that leaves the folder is refused.
/// Throws RemoteError: remote.no_access (401, 403; says where to accept a licence), remote.no_repository,
/// remote.no_revision, remote.bad_answer (not JSON: no hub stands there), remote.unsafe_path, or the HTTP failure.
HubListing list_files(const HttpClient& client, const std::string& endpoint, const HubName& name);

/// The files to fetch, in order: small ones first. Without an index these are model.safetensors or, lacking it, every
/// .safetensors at the top; with one, `add_shards` brings the rest. Throws DataError(data.no_weights) naming what there
/// is (GGUF files) when the need cannot be met, remote.no_file for a GGUF that is not there.
std::vector<HubFile> needed_files(const HubListing& listing, const HubName& name, ModelNeed need);

/// The shards that an index (its JSON text) names, as files of the listing. Throws DataError for a malformed index,
/// RemoteError(remote.no_file) for a shard that is not listed.
std::vector<HubFile> shard_files(const HubListing& listing, const std::string& index);

inline constexpr const char* kIndexFile = "model.safetensors.index.json";

/// The typed errors of list_files for an answer that is not 2xx; returns for one that is. `what` is a file or "".
void require_hub_answer(const HttpReply& reply, const std::string& endpoint, const HubName& name,
                        const std::string& what);

}  // namespace plumbline
