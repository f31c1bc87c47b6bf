/// What the targets share: bytes as a file, and which errors are an answer.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/base/error.h"

namespace plumbline::test {

/// Path of a file in memory that holds `bytes` until the next call of this thread.
std::string file_of(std::string_view bytes);

/// Whether readers would unpack the bytes first (gzip, zstd): containers with limits and tests of their own, which
/// would only hide what a target is about.
inline bool is_packed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
}

/// Makes the compiler compute a value that nobody uses.
void keep(unsigned value);

/// Runs `use`; an error of the input ends it, an error of ours does not.
template <typename Use>
void expect_value_or_error(Use use) {
  try {
    use();
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
  }
}

}  // namespace plumbline::test
