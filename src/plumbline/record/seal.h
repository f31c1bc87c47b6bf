/// A seal: what a problem file was when it was made. FILE.jsonl has it in FILE.seal.json beside it.
#pragma once

#include <optional>
#include <string>

namespace plumbline {

struct Seal {
  std::string generator;  ///< what made the file, with its version: "math 1"
  std::string sha256;     ///< of the whole file
};

/// The seal of the problem file at `path`; nothing where it has none. Throws DataError(data.seal) when the file is not
/// what was sealed, and what the JSON reader throws.
std::optional<Seal> check_seal(const std::string& path);

}  // namespace plumbline
