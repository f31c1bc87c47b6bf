/// The two hashes by which the hub names content.
#pragma once

#include <functional>
#include <string>

namespace plumbline {

/// Hash of a file in the form of `like`: 64 hex digits, SHA-256 of the bytes; 40, git's blob SHA-1. `stop` is asked
/// now and then. Throws DataError(data.unreadable_file), Interrupted.
std::string blob_hash(const std::string& path, const std::string& like, const std::function<bool()>& stop);

/// 40 or 64 lower-case hex digits.
bool is_blob_hash(std::string_view text);

/// An ETag header without W/ and quotes, in lower case.
std::string normalized_etag(std::string_view header);

}  // namespace plumbline
