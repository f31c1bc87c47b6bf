/// One JSON value as a flat list of its scalars, each with its path: "detail.passed", "resps[0][0]". Memory is reused
/// from row to row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/doctor/readers/json_stream.h"

namespace plumbline::doctor {

class FlatRow {
 public:
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kString };
  struct Leaf {
    uint64_t path_hash;
    uint32_t path_begin, path_size;
    uint32_t text_begin, text_size;  ///< of a string
    Kind kind;
    double number;  ///< of a number or a boolean
  };

  /// Reads the next value of the stream. Of an array the first kMaxElements are kept, of a row kMaxLeaves; the rest is
  /// passed over. Throws what the stream throws.
  void read(JsonStream& stream);

  const std::vector<Leaf>& leaves() const { return leaves_; }
  std::string_view path(const Leaf& leaf) const {
    return std::string_view(paths_).substr(leaf.path_begin, leaf.path_size);
  }
  const Leaf* find(std::string_view path) const;
  /// The same with the path's hash_of at hand.
  const Leaf* find(std::string_view path, uint64_t path_hash) const;
  bool has(std::string_view path) const { return find(path) != nullptr; }
  /// The string, or nothing when there is none of that path.
  std::optional<std::string_view> text(std::string_view path) const;
  std::string_view text_of(const Leaf& leaf) const {
    return std::string_view(texts_).substr(leaf.text_begin, leaf.text_size);
  }
  /// A finite number, also one written as a string.
  std::optional<double> number(std::string_view path) const;
  std::optional<double> number_of(const Leaf& leaf) const;
  /// NaN or an infinity, as a token of Python's json or as a string; nothing for any other value, null included.
  std::optional<double> nonfinite_of(const Leaf& leaf) const;
  /// true, false, 0, 1, "true", "False".
  std::optional<bool> flag(std::string_view path) const;
  /// String or number as text, for ids.
  std::string word(std::string_view path) const;
  /// Elements of the array at this path, also those that were passed over; unset when there is no array.
  std::optional<int64_t> array_size(std::string_view path) const;
  /// A key that stands twice with different values; empty = none.
  const std::string& conflict() const { return conflict_; }

  static constexpr int kMaxElements = 64;
  static constexpr size_t kMaxLeaves = 600;

 private:
  void read_value(JsonStream& stream, int depth);
  void read_object(JsonStream& stream, int depth);
  void read_array(JsonStream& stream, int depth);
  void add(Kind kind, double number, size_t text_begin);

  std::string path_, paths_, texts_, conflict_;
  std::vector<Leaf> leaves_;
  uint64_t present_ = 0;  ///< a bit a leaf, by its hash: most lookups are for what is not there
  std::vector<std::pair<uint64_t, int64_t>> arrays_;
};

/// A whole text as a finite number.
std::optional<double> number_of_text(std::string_view text);
/// A whole text as NaN or an infinity: "NaN", "nan", "inf", "-Infinity".
std::optional<double> nonfinite_of_text(std::string_view text);

}  // namespace plumbline::doctor
