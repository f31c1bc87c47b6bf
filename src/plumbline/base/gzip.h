/// gzip in memory. Compressed input is untrusted: the size of the result is bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

/// Whether the bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// Inflates a gzip file, several members too. `where` (a path) goes into errors.
/// Throws DataError: data.truncated_file, data.gzip (corrupt, with the byte offset), data.too_large (beyond
/// `max_bytes`).
std::string gunzip(std::string_view bytes, const std::string& where, size_t max_bytes);

/// The whole file, inflated when it is gzip. Throws as read_file and gunzip do; a plain file beyond `max_bytes` too.
std::string read_file_inflated(const std::string& path, size_t max_bytes = size_t{1} << 30);

}  // namespace plumbline
