/// One file that grows while it is read, and what can happen to it meanwhile: another file takes its name, or other
/// bytes take the place of those that were read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>

namespace plumbline::doctor {

/// What happened to the file before a line.
enum class FileBreak {
  kNone,
  kReplaced,   ///< another file has the name now; the old one was read to its end
  kRewritten,  ///< other bytes stand where lines were read; what came there after the last look is gone
};

struct FollowedLine {
  std::string text, where;   ///< `where` is "path:line"
  int64_t file_number = 0;   ///< the file's place in the order of its folder, or 0
  bool is_ended = true;      ///< false: the file ends here, before the line does
  bool is_too_long = false;  ///< more than 64 MiB: passed over, `text` is empty
  FileBreak after = FileBreak::kNone;
};

using OnLine = std::function<void(const FollowedLine&)>;

/// Not thread-safe. Memory: one line.
class GrowingFile {
 public:
  /// `keeps_open`: the file is held, so that it can be read to its end after another took its name. Without, it costs
  /// no descriptor between two looks.
  GrowingFile(std::string path, int64_t number, bool keeps_open)
      : path_(std::move(path)), number_(number), keeps_open_(keeps_open) {}
  ~GrowingFile() { close(); }
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// What a last line without its end is: not finished yet, or a line.
  enum class Tail { kWaits, kCounts };
  /// Hands out the lines that came since the last call; says whether there was one. Blank lines are passed over.
  /// Throws DataError(data.missing_file | data.unreadable_file).
  bool read_new(const OnLine& on_line, Tail tail);

 private:
  bool read_lines(const OnLine& on_line, Tail tail);
  bool hand_out(const OnLine& on_line, std::string_view bytes, bool is_ended);
  void consume(std::string_view bytes);
  bool holds_what_was_read(int fd) const;
  void begin_again(FileBreak why);
  struct stat status(int fd) const;
  void close();

  const std::string path_;
  const int64_t number_;
  const bool keeps_open_;
  int fd_ = -1;
  int64_t offset_ = 0, line_ = 0;
  int64_t seen_size_ = -1;
  struct timespec seen_time_ {};
  bool is_skipping_ = false;  ///< inside a line that is too long
  std::string head_, tail_;   ///< the first and the last bytes before offset_
  FileBreak pending_ = FileBreak::kNone;
};

}  // namespace plumbline::doctor
