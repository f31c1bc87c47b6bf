/// Contrast pairs: the same prompt answered by a hack and by a clean solution that differ in the trait alone.
/// The shipped files are locked: their hashes are in the code, and a run that uses any other file says so, because
/// pairs tuned to hacks that emerged would fit the defence to a known attack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct ContrastPair {
  struct Message {
    std::string role, content;
  };
  std::string id, problem;
  std::string flavor;     ///< what kind of hack ("A" to "D" in the shipped file)
  bool held_out = false;  ///< not for extraction: kept for the check of the direction
  std::vector<Message> prompt;
  std::string hack, clean;  ///< completions
};

/// A pair as token ids; rendering and tokenising are the caller's, so this folder never sees text.
struct TokenizedPair {
  std::vector<int64_t> prompt_ids, hack_ids, clean_ids;
  std::string flavor;
  bool held_out = false;
};

/// Is this the SHA-256 of a shipped file, data/pairs/hack_pairs.jsonl or data/tiny/hack_pairs.jsonl?
bool is_locked_pairs_hash(const std::string& hash);

struct ContrastPairs {
  std::string path, hash;  ///< SHA-256 of the file
  std::vector<ContrastPair> pairs;
  bool modified() const { return !is_locked_pairs_hash(hash); }
};

/// Rows {"id", "problem", "flavor", "held_out", "prompt": [{"role", "content"}], "hack", "clean"}; `path` empty means
/// the shipped file. At most 16 MiB. Throws DataError: data.pairs (a missing, wrong or empty field, a repeated id, two
/// equal completions, no row at all) with path:line, data.json, data.missing_file.
ContrastPairs load_contrast_pairs(const std::string& path);

/// The path of the shipped placebo pairs, which differ in harmless content.
std::string placebo_pairs_path();

/// Keeps the pairs of `flavors`, in order; empty keeps all.
/// Throws ConfigError(config.flavors) naming a flavor that no pair has, and those there are.
std::vector<ContrastPair> select_flavors(const std::vector<ContrastPair>& pairs,
                                         const std::vector<std::string>& flavors);

}  // namespace plumbline
