/// JSON pulled from a file piece by piece: memory is one block, whatever the file's size. Lenient where other tools are
/// (NaN, Infinity, a byte order mark) and it says so; everything else that is not JSON is an error with its byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plumbline/record/byte_source.h"

namespace plumbline::doctor {

/// Not thread-safe. Every function throws DataError(data.json) with path and byte for text that is no JSON,
/// DataError(data.truncated_file) where the text ends too early, and what ByteSource throws.
class JsonStream {
 public:
  enum class Kind { kObject, kArray, kString, kNumber, kBoolean, kNull, kEnd };

  explicit JsonStream(const std::string& path);
  /// Reads `text` first, then the rest of `source`. `where` names both in errors.
  JsonStream(std::string text, std::unique_ptr<ByteSource> source, std::string where);

  /// What comes next; blanks are passed over.
  Kind kind();
  void begin_object();
  /// The next key of the open object, appended to nothing; false at its end.
  bool next_key(std::string& key);
  void begin_array();
  /// Whether the open array has another value; call once before each.
  bool next_element();
  /// Appends the decoded text. Lone surrogates become U+FFFD.
  void string(std::string& out);
  /// NaN and Infinity are counted. `token`, when given, gets the digits as they stand.
  double number(std::string* token = nullptr);
  bool boolean();
  void null();
  /// Passes over one value of any kind.
  void skip();
  /// Goes on after the next line end; false at the end of the file.
  bool skip_line();

  int64_t offset() const { return begin_ + static_cast<int64_t>(at_); }
  int64_t num_nonfinite() const { return num_nonfinite_; }
  const std::string& where() const { return where_; }
  /// The levels that are open; begin_* throws beyond kMaxDepth.
  int depth() const { return depth_; }

  static constexpr int kMaxDepth = 256;

 private:
  bool fill();
  /// The next byte without taking it; -1 at the end.
  int peek() {
    if (at_ == text_.size() && !fill()) return -1;
    return static_cast<unsigned char>(text_[at_]);
  }
  int take() {
    const int byte = peek();
    if (byte >= 0) ++at_;
    return byte;
  }
  void blanks();
  void expect(std::string_view word);
  /// Takes a separator between members; true when another follows.
  bool next_member(char end);
  void escape(std::string& out);
  uint32_t hex4();
  void enter();
  [[noreturn]] void fail(const std::string& what);

  std::string where_, text_;
  std::unique_ptr<ByteSource> source_;
  size_t at_ = 0;
  int64_t begin_ = 0;  ///< offset of text_[0]
  int64_t num_nonfinite_ = 0;
  int depth_ = 0;
  bool fresh_ = false;  ///< the innermost container has had no member yet
};

}  // namespace plumbline::doctor
