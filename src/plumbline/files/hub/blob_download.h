/// One file of a repository into the cache: asked for, resumed, checked, renamed, linked.
#pragma once

#include <functional>
#include <string>

#include "plumbline/base/progress.h"
#include "plumbline/files/hub/listing.h"

namespace plumbline {

/// What every file of one fetch shares. References must outlive the use.
struct FetchContext {
  const HttpClient& client;
  std::string endpoint;
  const HubName& name;
  std::string commit;
  std::string repository_folder;
  /// Told of every stretch of bytes that is there now, whether it came or was there already.
  std::function<void(int64_t bytes, const std::string& file)> on_bytes;
};

/// Brings snapshots/<commit>/<file.path> about and returns its path. The blob is named by the hub's hash of the content
/// (X-Linked-Etag, else ETag). It is written to blobs/<hash>.incomplete, which is kept when the fetch stops and gone on
/// with by a Range request, and renamed only when its size and its hash are right; one process at a time
/// (.locks/models--org--name/<hash>.lock). A wrong hash throws the bytes away and tries once more from the start.
/// Throws RemoteError: remote.wrong_hash, remote.no_hash, remote.size, those of require_hub_answer;
/// DataError(data.unwritable | data.no_space), Interrupted.
std::string fetch_file(const FetchContext& context, const HubFile& file);

}  // namespace plumbline
