#include "plumbline/files/hub/fetch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/files/hub/blob_download.h"
#include "plumbline/files/hub/endpoint.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

/// Progress in MiB of a sum of bytes that may also shrink (a file begun anew).
class ByteProgress {
 public:
  ByteProgress(const std::string& title, int64_t total_bytes) : progress_(title, total_bytes / kMib, "MiB") {}
  void add(int64_t bytes, const std::string& file) {
    done_bytes_ += bytes;
    const int64_t whole = done_bytes_ / kMib;
    if (whole == shown_mib_) return;
    progress_.advance(whole - shown_mib_, file);
    shown_mib_ = whole;
  }

 private:
  Progress progress_;
  int64_t done_bytes_ = 0, shown_mib_ = 0;
};

int64_t total_bytes(const std::vector<HubFile>& files) {
  int64_t total = 0;
  for (const HubFile& file : files) {
    if (file.size_bytes < 0) return -1;
    total += file.size_bytes;
  }
  return total;
}

/// What is still to come of the files, in bytes; what cannot be known counts as nothing.
int64_t missing_bytes(const FetchContext& context, const std::vector<HubFile>& files) {
  int64_t missing = 0;
  for (const HubFile& file : files) {
    std::error_code error;
    const std::string pointer = fmt::format("{}/snapshots/{}/{}", context.repository_folder, context.commit, file.path);
    if (fs::exists(pointer, error)) continue;
    const std::string blob = context.repository_folder + "/blobs/" + file.hash;
    int64_t have = 0;
    for (const std::string& part : {blob, blob + ".incomplete"}) {
      if (file.hash.empty() || !fs::exists(part, error)) continue;
      have = std::max(have, static_cast<int64_t>(fs::file_size(part, error)));
    }
    missing += std::max<int64_t>(0, file.size_bytes - have);
  }
  return missing;
}

void require_space(const FetchContext& context, const std::vector<HubFile>& files) {
  // The folder need not be there yet; what holds it is on the same disk.
  fs::path place = context.repository_folder;
  std::error_code error;
  while (!fs::exists(place, error) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  const fs::space_info space = fs::space(place, error);
  const int64_t missing = missing_bytes(context, files);
  if (error || missing <= 0 || static_cast<uint64_t>(missing) <= space.available) return;
  throw DataError("data.no_space",
                  fmt::format("{} needs {} MiB more and the disk has {} MiB", context.name.text(), missing / kMib + 1,
                              space.available / kMib),
                  context.repository_folder, "free space, or set HF_HOME to a folder on a larger disk");
}

void fetch_all(const FetchContext& context, const HubListing& listing, std::vector<HubFile>& files) {
  require_space(context, files);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string place = fetch_file(context, files[i]);
    if (files[i].path != kIndexFile) continue;
    const std::vector<HubFile> shards = shard_files(listing, read_file(place));
    files.insert(files.end(), shards.begin(), shards.end());
    require_space(context, files);
  }
}

/// Written aside under a name of this writer's own and renamed: several may write the same ref at once.
void write_ref(const FetchContext& context) {
  if (is_commit(context.name.revision)) return;
  const std::string path = context.repository_folder + "/refs/" + context.name.revision;
  fs::create_directories(fs::path(path).parent_path());
  static std::atomic<int> count = 0;
  const std::string aside = fmt::format("{}.{}.{}", path, ::getpid(), ++count);
  write_file(aside, context.commit);
  fs::rename(aside, path);
}

/// The list's own estimate of all weights, for progress: shards are known once the index is read.
int64_t expected_bytes(const HubListing& listing, const std::vector<HubFile>& files) {
  int64_t total = std::max<int64_t>(0, total_bytes(files));
  const bool sharded =
      std::any_of(files.begin(), files.end(), [](const HubFile& file) { return file.path == kIndexFile; });
  if (!sharded) return total;
  for (const HubFile& file : listing.files) {
    const bool is_shard = file.path.starts_with("model-") && file.path.ends_with(".safetensors");
    if (is_shard && file.size_bytes > 0) total += file.size_bytes;
  }
  return total;
}

}  // namespace

std::string fetch_model(const HubName& name, ModelNeed need, const HttpOptions& options) {
  const HttpClient client(options);
  const std::string endpoint = hub_endpoint();
  log_info(fmt::format("{} is not in {}; asking {}", name.text(), hub_cache_folder(), endpoint));
  const HubListing listing = list_files(client, endpoint, name);
  std::vector<HubFile> files = needed_files(listing, name, need);
  const int64_t bytes = expected_bytes(listing, files);
  log_info(fmt::format("downloading {} at {}: {} MiB in all", name.text(), listing.commit.substr(0, 12), bytes / kMib));

  ByteProgress progress(name.repository, bytes);
  FetchContext context{client,
                       endpoint,
                       name,
                       listing.commit,
                       hub_repository_folder(name),
                       [&progress](int64_t count, const std::string& file) { progress.add(count, file); }};
  fetch_all(context, listing, files);
  write_ref(context);
  const std::string snapshot = context.repository_folder + "/snapshots/" + listing.commit;
  if (const std::string missing = missing_file(snapshot, name, need); !missing.empty()) {
    throw DataError("data.missing_model", name.text() + " has no " + missing + " on the hub",
                    endpoint + "/" + name.repository, "choose a repository that has it");
  }
  return name.file.empty() ? snapshot : snapshot + "/" + name.file;
}

FetchPlan plan_fetch(const HubName& name, ModelNeed need, const HttpOptions& options) {
  const HubListing listing = list_files(HttpClient(options), hub_endpoint(), name);
  const std::vector<HubFile> files = needed_files(listing, name, need);
  FetchPlan plan;
  plan.commit = listing.commit;
  plan.num_files = static_cast<int64_t>(files.size());
  plan.size_bytes = total_bytes(files) < 0 ? -1 : expected_bytes(listing, files);
  for (const HubFile& file : listing.files) {
    const bool sharded = !files.empty() && files.back().path == kIndexFile;
    plan.num_files += sharded && file.path.starts_with("model-") && file.path.ends_with(".safetensors");
  }
  return plan;
}

}  // namespace plumbline
