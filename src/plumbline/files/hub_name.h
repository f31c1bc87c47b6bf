/// Names of models on the Hugging Face hub, as presets and command lines write them:
///   org/name[@revision]              a folder of safetensors
///   org/name/FILE.gguf[@revision]    one GGUF file of a repository (FILE may lie in a folder)
/// A revision is a branch, a tag, refs/pr/N or a commit; none means main. It comes last because it may hold slashes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

struct HubName {
  std::string repository;  ///< "org/name"
  std::string revision = "main";
  std::string file;  ///< "" or the GGUF file's path in the repository

  /// The canonical spelling; "@main" is left out.
  std::string text() const;
};

/// Unset for what cannot be such a name: models/NAME (a model that the program ships), paths that start with / . or ~,
/// one word, more than two parts without a .gguf at the end, characters that the hub does not allow, "..", "--".
std::optional<HubName> parse_hub_name(std::string_view text);

/// Whether a path from a file list or a revision may be joined to a folder: no empty, "." or ".." part, no leading
/// slash, no backslash, no control character, at most 1024 bytes.
bool is_safe_relative_path(std::string_view path);

}  // namespace plumbline
