#include "plumbline/judge/secret.h"

#include <algorithm>

namespace plumbline {

std::string Secret::redact(std::string_view text) const {
  if (value_.size() < kLeastSecret_bytes) return std::string(text);
  const std::string_view key = value_;
  const size_t piece = std::min(kPiece_bytes, key.size());
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t longest = 0;
    for (size_t start = 0; start + piece <= key.size(); ++start) {
      if (text.substr(at, piece) != key.substr(start, piece)) continue;
      size_t length = piece;
      while (at + length < text.size() && start + length < key.size() && text[at + length] == key[start + length])
        ++length;
      longest = std::max(longest, length);
    }
    if (longest > 0) {
      out += "[key]";
      at += longest;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace plumbline
