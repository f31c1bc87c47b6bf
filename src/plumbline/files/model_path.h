/// Where the model that a preset or a command line names really is. The order: a path that exists, a name in
/// plumbline's own cache folder, the Hugging Face cache, a download into that cache.
#pragma once

#include <optional>
#include <string>

#include "plumbline/files/hub_cache.h"

namespace plumbline {

/// `name` as given if it exists (an HF folder, a GGUF file, for text a tokenizer.json), else
/// cache_folder()/models/`name`[.gguf], where `make model` puts models, else, for "models/NAME", the one that the
/// program ships, else the snapshot of the hub model in the Hugging Face cache. Uses no network. Unset when it is
/// nowhere.
std::optional<std::string> find_model(const std::string& name, ModelNeed need = ModelNeed::kWeights);

/// As find_model; a hub model that is nowhere is downloaded by the `plumbline` beside this executable (the engine has
/// no HTTP), with its progress on stderr. Throws DataError(data.missing_model) listing what was tried, what the
/// download ended with (RemoteError, DataError), or Interrupted.
std::string resolve_model_path(const std::string& name, ModelNeed need = ModelNeed::kWeights);

/// One line for --dry-run: where the model is, or that it would be downloaded, or that it is nowhere. No network.
std::string describe_model(const std::string& name);

/// The error of a model that is nowhere; `reason` is why it was not downloaded.
[[noreturn]] void fail_missing_model(const std::string& name, const std::string& reason);

/// The internal command of `plumbline` that downloads: `plumbline --fetch-model NEED NAME` writes one JSON line to
/// stdout, {"path"} or the fields of an error.
inline constexpr const char* kFetchModelWord = "--fetch-model";
const char* to_string(ModelNeed need);

}  // namespace plumbline
