/// What a checkpoint's small files say about its text, without loading the tokenizer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/text/tokenizer.h"

namespace plumbline {

struct CheckpointText {
  std::map<std::string, std::string> special_tokens;            ///< bos_token, eos_token, ... as templates see them
  std::optional<std::string> chat_template;                     ///< its source
  std::string chat_template_name;                               ///< the file that it stands in
  std::vector<std::pair<int64_t, std::string>> stop_ids;        ///< with where each was found
  std::vector<std::pair<std::string, std::string>> stop_texts;  ///< stop tokens known by their text, with where
  std::optional<bool> add_bos;                                  ///< said outright, over the tokenizer's own rule
};

/// `path`: a folder, a tokenizer.json (.gz), whose folder is taken, or a GGUF file. Files that are not there are left
/// out. Throws DataError for malformed ones.
CheckpointText read_checkpoint_text(const std::string& path);

/// Whether a text gets a BOS when special tokens are added: what the files say outright, else the tokenizer's own rule.
bool adds_bos(const CheckpointText& files, const Tokenizer& tokenizer);

}  // namespace plumbline
