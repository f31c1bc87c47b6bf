#include "plumbline/doctor/readers/flat_row.h"

#include <charconv>
#include <cmath>

#include "plumbline/doctor/hash.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMostTextBytes = size_t{32} << 20;  ///< of a row; what follows is passed over
constexpr int kMaxDepth = 6;
constexpr int kMaxNumbers = 4;  ///< of a list of numbers (token ids, logprobs): nobody looks at them

}  // namespace

std::optional<double> number_of_text(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<double> nonfinite_of_text(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || std::isfinite(value)) return {};
  return value;
}

void FlatRow::read(JsonStream& stream) {
  path_.clear();
  paths_.clear();
  texts_.clear();
  conflict_.clear();
  leaves_.clear();
  present_ = 0;
  arrays_.clear();
  read_value(stream, 0);
}

void FlatRow::add(Kind kind, double number, size_t text_begin) {
  const uint64_t hash = hash_of(path_);
  Leaf leaf{hash,
            static_cast<uint32_t>(paths_.size()),
            static_cast<uint32_t>(path_.size()),
            static_cast<uint32_t>(text_begin),
            static_cast<uint32_t>(texts_.size() - text_begin),
            kind,
            number};
  if (const Leaf* other = find(path_, hash)) {
    const bool same = other->kind == kind && (kind == Kind::kString ? text_of(*other) == text_of(leaf)
                                                                    : other->number == number || std::isnan(number));
    if (!same && conflict_.empty()) conflict_ = path_;
    return;
  }
  paths_ += path_;
  leaves_.push_back(leaf);
  present_ |= uint64_t{1} << hash % 64;
}

void FlatRow::read_value(JsonStream& stream, int depth) {
  if (leaves_.size() >= kMaxLeaves || depth > kMaxDepth || texts_.size() > kMostTextBytes) {
    stream.skip();
    return;
  }
  const size_t text_begin = texts_.size();
  switch (stream.kind()) {
    case JsonStream::Kind::kObject:
      return read_object(stream, depth);
    case JsonStream::Kind::kArray:
      return read_array(stream, depth);
    case JsonStream::Kind::kString:
      stream.string(texts_);
      return add(Kind::kString, NAN, text_begin);
    case JsonStream::Kind::kNumber:
      return add(Kind::kNumber, stream.number(), text_begin);
    case JsonStream::Kind::kBoolean:
      return add(Kind::kBoolean, stream.boolean() ? 1 : 0, text_begin);
    case JsonStream::Kind::kNull:
      stream.null();
      return add(Kind::kNull, 0, text_begin);
    case JsonStream::Kind::kEnd:
      stream.skip();  // says that the file ends here
  }
}

void FlatRow::read_object(JsonStream& stream, int depth) {
  const size_t size = path_.size();
  std::string key;
  stream.begin_object();
  while (stream.next_key(key)) {
    if (size > 0) path_ += '.';
    path_ += key;
    read_value(stream, depth + 1);
    path_.resize(size);
  }
}

void FlatRow::read_array(JsonStream& stream, int depth) {
  const size_t size = path_.size();
  int64_t count = 0;
  stream.begin_array();
  while (stream.next_element()) {
    if (count < (stream.kind() == JsonStream::Kind::kNumber ? kMaxNumbers : kMaxElements)) {
      path_ += '[' + std::to_string(count) + ']';
      read_value(stream, depth + 1);
      path_.resize(size);
    } else {
      stream.skip();
    }
    ++count;
  }
  arrays_.emplace_back(hash_of(path_), count);
}

const FlatRow::Leaf* FlatRow::find(std::string_view wanted) const {
  return find(wanted, hash_of(wanted));
}

const FlatRow::Leaf* FlatRow::find(std::string_view wanted, uint64_t hash) const {
  if (!(present_ >> hash % 64 & 1)) return nullptr;
  for (const Leaf& leaf : leaves_) {
    if (leaf.path_hash == hash && path(leaf) == wanted) return &leaf;
  }
  return nullptr;
}

std::optional<std::string_view> FlatRow::text(std::string_view wanted) const {
  const Leaf* leaf = find(wanted);
  if (!leaf || leaf->kind != Kind::kString) return {};
  return text_of(*leaf);
}

std::optional<double> FlatRow::number_of(const Leaf& leaf) const {
  if (leaf.kind == Kind::kString) return number_of_text(text_of(leaf));
  if (leaf.kind == Kind::kNull || !std::isfinite(leaf.number)) return {};
  return leaf.number;
}

std::optional<double> FlatRow::nonfinite_of(const Leaf& leaf) const {
  if (leaf.kind == Kind::kString) return nonfinite_of_text(text_of(leaf));
  if (leaf.kind != Kind::kNumber || std::isfinite(leaf.number)) return {};
  return leaf.number;
}

std::optional<double> FlatRow::number(std::string_view wanted) const {
  const Leaf* leaf = find(wanted);
  return leaf && leaf->kind != Kind::kBoolean ? number_of(*leaf) : std::nullopt;
}

std::optional<bool> FlatRow::flag(std::string_view wanted) const {
  const Leaf* leaf = find(wanted);
  if (!leaf || leaf->kind == Kind::kNull) return {};
  if (leaf->kind == Kind::kString) {
    const std::string_view word = text_of(*leaf);
    if (word == "true" || word == "True") return true;
    if (word == "false" || word == "False") return false;
  }
  const std::optional<double> number = number_of(*leaf);
  if (number == 0.0) return false;
  if (number == 1.0) return true;
  return {};
}

std::string FlatRow::word(std::string_view wanted) const {
  const Leaf* leaf = find(wanted);
  if (!leaf) return "";
  if (leaf->kind == Kind::kString) return std::string(text_of(*leaf));
  if (leaf->kind == Kind::kBoolean) return leaf->number != 0 ? "true" : "false";
  if (leaf->kind == Kind::kNull) return "";
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, leaf->number);
  return error == std::errc() ? std::string(digits, end) : "";
}

std::optional<int64_t> FlatRow::array_size(std::string_view wanted) const {
  const uint64_t hash = hash_of(wanted);
  for (const auto& [path_hash, size] : arrays_) {
    if (path_hash == hash) return size;
  }
  return {};
}

}  // namespace plumbline::doctor
