/// The subset of Python's marshal format (version 2) that the sandbox protocol uses. Writing is trusted; reading takes
/// bytes from a submission: every length is checked against what is left, depth is bounded, nothing is executed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// Appends values in marshal notation. Lists, tuples and sets: count first, then that many values.
class MarshalWriter {
 public:
  MarshalWriter& none() { return tag('N'); }
  MarshalWriter& boolean(bool value) { return tag(value ? 'T' : 'F'); }
  MarshalWriter& integer(int64_t value);
  /// Decimal digits with an optional sign, of any length.
  MarshalWriter& big_integer(std::string_view decimal);
  MarshalWriter& real(double value);
  /// UTF-8 (surrogates may stand in it).
  MarshalWriter& text(std::string_view utf8);
  MarshalWriter& bytes(std::string_view data);
  MarshalWriter& list(size_t count) { return sized('[', count); }
  MarshalWriter& tuple(size_t count) { return sized('(', count); }
  MarshalWriter& set(size_t count) { return sized('<', count); }
  MarshalWriter& frozen_set(size_t count) { return sized('>', count); }
  /// Then key, value, key, value, ..., and end_dict().
  MarshalWriter& begin_dict() { return tag('{'); }
  MarshalWriter& end_dict() { return tag('0'); }

  const std::string& str() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  MarshalWriter& tag(char kind) {
    out_.push_back(kind);
    return *this;
  }
  MarshalWriter& sized(char kind, size_t count);
  void word32(uint32_t value);

  std::string out_;
};

/// Reads one token at a time. After a failure (ok() is false) every read returns something harmless.
class MarshalReader {
 public:
  /// `data` is borrowed.
  explicit MarshalReader(std::string_view data) : data_(data) {}

  enum class Token { kNone, kTrue, kFalse, kInteger, kReal, kText, kList, kTuple, kSet, kFrozenSet, kDict, kEnd, kBad };
  /// The next token; its content is in decimal(), real(), text() or count().
  Token next();

  const std::string& decimal() const { return decimal_; }
  double real() const { return real_; }
  std::string_view text() const { return text_; }
  size_t count() const { return count_; }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && position_ == data_.size(); }

  /// Convenience for our own small messages; nullopt where the next token is something else.
  std::optional<std::string> next_text();
  std::optional<int64_t> next_integer();
  std::optional<double> next_real();

 private:
  Token bad() {
    ok_ = false;
    return Token::kBad;
  }
  bool take(size_t size, std::string_view* out);
  bool word32(uint32_t* out);
  Token read_long();
  Token read_container(Token kind);

  std::string_view data_, text_;
  size_t position_ = 0, count_ = 0;
  std::string decimal_;
  double real_ = 0;
  bool ok_ = true;
};

}  // namespace plumbline
