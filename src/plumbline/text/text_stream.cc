#include "plumbline/text/text_stream.h"

#include <string_view>
#include <utility>

namespace plumbline {
namespace {

constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";
constexpr size_t kMaxWindow = 32;

}  // namespace

std::string TextStream::text_of(size_t begin, size_t end) const {
  const std::vector<int64_t> part(ids_.begin() + static_cast<std::ptrdiff_t>(begin),
                                  ids_.begin() + static_cast<std::ptrdiff_t>(end));
  return keep_special_ ? tokenizer_.decode(part) : tokenizer_.decode_text(part);
}

size_t TextStream::num_settled() const {
  const StreamingRules rules = tokenizer_.streaming_rules();
  if (!rules.by_token) return 0;
  size_t settled = ids_.size();
  // Ids that are left out of the text do not end a run of bytes.
  while (rules.has_byte_runs && settled > 0 && !tokenizer_.ends_byte_run(ids_[settled - 1], keep_special_)) --settled;
  if (rules.last_differs && settled > 0) --settled;
  return settled;
}

std::string TextStream::add(int64_t id) {
  ids_.push_back(id);
  const size_t settled = num_settled();
  if (settled == 0) return "";
  const std::string text = text_of(0, settled);
  // The start of a character decodes to U+FFFD until the rest of its bytes comes.
  size_t certain = text.size();
  while (std::string_view(text).substr(0, certain).ends_with(kReplacementText)) certain -= kReplacementText.size();
  std::string chunk = certain > given_bytes_ ? text.substr(given_bytes_, certain - given_bytes_) : "";
  given_bytes_ += chunk.size();
  if (certain == text.size()) forget_old(settled, text);
  return chunk;
}

/// Keeps the ids since the last clean place, if they decode to the end of what all of them decode to.
void TextStream::forget_old(size_t settled, const std::string& text) {
  if (ids_.size() < kMaxWindow) {
    if (ids_.size() < kMaxWindow / 2) clean_ = settled;
    return;
  }
  const std::string kept = text_of(clean_, settled);
  if (clean_ > 0 && !kept.empty() && text.ends_with(kept)) {
    ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(clean_));
    given_bytes_ = kept.size();
    settled -= clean_;
  }
  clean_ = settled;
}

std::string TextStream::finish() {
  const std::string text = text_of(0, ids_.size());
  std::string chunk = text.substr(given_bytes_);
  ids_.clear();
  given_bytes_ = clean_ = 0;
  return chunk;
}

}  // namespace plumbline
