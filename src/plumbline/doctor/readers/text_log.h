/// Training logs as text, streamed: errors that nothing recovered from, step figures (TRL's dictionaries, verl's and
/// OpenRLHF's lines, "key value" pairs), target modules, experts, failed teacher calls.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/doctor/readers/collector.h"
#include "plumbline/doctor/readers/series.h"

namespace plumbline::doctor {

/// Lines end at \n or \r (progress bars). Of a longer line than this the rest is not looked at.
inline constexpr size_t kMaxLineBytes = size_t{1} << 16;

class TextLogReader {
 public:
  explicit TextLogReader(std::string where);
  void take(std::string_view line);
  /// Adds what was learned; the log's figures only when there are any. False where no line was of a kind that is known.
  bool finish(Collector& out);

 private:
  void take_error(std::string_view line);
  void take_setup(std::string_view line);
  void take_teacher(std::string_view line);
  bool take_figures(std::string_view line);

  TextLog log_;
  SeriesBuilder series_;
  bool in_traceback_ = false, has_number_ = false;
  int64_t num_steps_after_error_ = 0;
};

/// Streams a text file through a reader; one of which nothing is known is said to be unchecked, and false. Throws what
/// ByteSource throws.
bool read_text_log(const std::string& path, std::string head, ByteSource& source, Collector& out);

/// Calls `use` for each line, whatever the block sizes.
template <typename Use>
void for_each_line(std::string buffer, ByteSource& source, Use use) {
  size_t begin = 0;
  bool more = true;
  while (more || begin < buffer.size()) {
    const size_t end = buffer.find_first_of("\n\r", begin);
    if (end == std::string::npos && more) {
      if (buffer.size() - begin > kMaxLineBytes) {  // keep its beginning, drop what follows
        buffer.erase(begin + kMaxLineBytes);
      }
      buffer.erase(0, begin);
      begin = 0;
      more = source.read(buffer);
      continue;
    }
    const size_t stop = std::min(end, buffer.size());
    use(std::string_view(buffer).substr(begin, std::min(stop - begin, kMaxLineBytes)));
    begin = stop + 1;
  }
}

}  // namespace plumbline::doctor
