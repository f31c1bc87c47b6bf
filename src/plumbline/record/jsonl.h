/// JSON lines: read plain, gzipped, as zstd or from standard input; written and flushed row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plumbline/base/json.h"
#include "plumbline/record/python_value.h"

namespace plumbline {

class ByteSource;

/// Reads one line after the other. "-" is standard input, each line handed out as soon as it is there. Gzip and zstd
/// are told by their magic bytes, in pipes too. A byte order mark, carriage returns before line ends and blank lines
/// are skipped. A line may have 256 MiB. Not thread-safe.
class JsonlReader {
 public:
  /// Throws DataError(data.missing_file | data.unreadable_file).
  explicit JsonlReader(std::string path);
  ~JsonlReader();
  JsonlReader(const JsonlReader&) = delete;
  JsonlReader& operator=(const JsonlReader&) = delete;

  /// Moves to the next line that is not blank; false at the end (or, on standard input, after Ctrl-C).
  /// Throws DataError(data.truncated_file) when a compressed stream is cut or damaged,
  /// DataError(data.bomb | data.line_too_long).
  bool next();
  const std::string& line() const { return line_; }
  /// Whether the next line is here already, whole: next() will not have to wait for a stream.
  bool has_line() const { return buffer_.find('\n', begin_) != std::string::npos; }
  /// 1-based.
  int64_t line_number() const { return line_number_; }
  /// "path:line".
  std::string where() const;
  /// False when the file ended before the line did: a writer may have been stopped in the middle of it.
  bool line_ended() const { return line_ended_; }

  /// Parse the line. Both throw DataError(data.json), or DataError(data.truncated_file) when the line is the last one,
  /// has no line end and does not parse.
  Json parse() const;
  PythonValue parse_exact() const;

 private:
  bool next_raw();

  std::string path_, line_, buffer_;
  std::unique_ptr<ByteSource> source_;
  size_t begin_ = 0;
  int64_t line_number_ = 0;
  bool line_ended_ = true;
};

/// Appends rows to a file, each written whole and at once, so that a reader or a rerun sees complete rows only.
/// A last line that an earlier, killed writer left without its end is removed when the file is opened.
/// Not thread-safe: callers serialise.
class JsonlWriter {
 public:
  /// "-" is standard output. Throws DataError(data.unwritable).
  explicit JsonlWriter(std::string path);
  ~JsonlWriter();
  JsonlWriter(const JsonlWriter&) = delete;
  JsonlWriter& operator=(const JsonlWriter&) = delete;

  /// `row` is one line without its end. Throws DataError(data.unwritable), for a full disk or a closed pipe.
  void write(const std::string& row);
  /// Whether opening removed a cut last line.
  bool removed_cut_line() const { return removed_cut_line_; }

 private:
  std::string path_;
  int fd_ = -1;
  bool removed_cut_line_ = false;
};

}  // namespace plumbline
