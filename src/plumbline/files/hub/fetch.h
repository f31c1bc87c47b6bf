/// A model of the hub, brought into the Hugging Face cache.
#pragma once

#include <string>

#include "plumbline/files/hub/listing.h"

namespace plumbline {

/// Downloads what the need asks for and is not there yet, says on stderr that it does and how far it is, and returns
/// the snapshot folder, or the GGUF file. refs/<revision> is written last, so a revision never names half a snapshot.
/// A stopped download (Ctrl-C, exit 130) is gone on with by the next. The `options.stop` is asked throughout.
/// Throws what list_files, needed_files and fetch_file throw, and DataError(data.no_space) before the first byte when
/// the disk has too little room.
std::string fetch_model(const HubName& name, ModelNeed need, const HttpOptions& options = {});

/// What fetch_model would do, from the file list alone.
struct FetchPlan {
  std::string commit;
  int64_t num_files = 0;   ///< shards counted by the list when an index would name them
  int64_t size_bytes = 0;  ///< -1 when the hub does not say
};
FetchPlan plan_fetch(const HubName& name, ModelNeed need, const HttpOptions& options = {});

}  // namespace plumbline
