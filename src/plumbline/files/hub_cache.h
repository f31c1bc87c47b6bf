/// The cache that huggingface_hub keeps, read and written alike:
///   CACHE/models--org--name/{refs/<revision>, blobs/<etag>, snapshots/<commit>/<file> -> ../../blobs/<etag>}
/// Nothing here uses a network.
#pragma once

#include <optional>
#include <string>

#include "plumbline/files/hub_name.h"

namespace plumbline {

/// What a caller is going to read: the tokenizer's and template's small files, or the weights too.
enum class ModelNeed { kText, kWeights };

/// $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else hub_home()/hub. "~" at the start is the home folder.
std::string hub_cache_folder();
/// $HF_HOME, else $XDG_CACHE_HOME/huggingface, else ~/.cache/huggingface.
std::string hub_home();
/// hub_cache_folder()/models--org--name.
std::string hub_repository_folder(const HubName& name);

/// Whether the text is a full commit (40 lower-case hex digits).
bool is_commit(std::string_view text);

/// The snapshot folder of the revision if the cache knows its commit and the folder is there, complete or not.
std::optional<std::string> find_snapshot(const HubName& name);

/// The first thing that a snapshot lacks for the need ("model-00002-of-00003.safetensors"); empty when nothing. A link
/// whose blob is not there counts as lacking, so a half download is never taken for a whole one.
std::string missing_file(const std::string& snapshot, const HubName& name, ModelNeed need);

/// The folder, or the GGUF file, when the cache has all that is needed.
std::optional<std::string> find_in_hub_cache(const HubName& name, ModelNeed need);

/// HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE says 1, on, yes or true.
bool hub_is_offline();

}  // namespace plumbline
