/// Reads completions: JSON lines of `problem_id`, `sample`, `completion`, optional `token_ids`, `finish_reason`,
/// `request_id`. Other keys are ignored, so stored rollouts of other tools can be read as they are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {

/// Streams a file, or standard input for "-". In a file every (problem, sample) stands once; a stream may ask again,
/// and every row is answered. Not thread-safe.
class CompletionReader {
 public:
  explicit CompletionReader(const std::string& path) : is_stream_(path == "-"), lines_(path) {}
  /// False at the end. Throws DataError with path:line: data.json, data.truncated_file, data.json_missing_key,
  /// data.json_type, data.duplicate_completion.
  bool next(Completion& completion);
  /// Whether the next row is here already; see JsonlReader::has_line.
  bool has_line() const { return lines_.has_line(); }
  /// "path:line" of the row read last.
  std::string where() const { return lines_.where(); }

 private:
  const bool is_stream_;
  JsonlReader lines_;
  std::map<std::pair<ProblemId, int64_t>, int64_t> lines_of_keys_;
};

/// All rows of a file.
std::vector<Completion> read_completions(const std::string& path);

/// One row, as JSON.
Completion parse_completion(const Json& row, const std::string& where);
std::string to_json_line(const Completion& completion);

}  // namespace plumbline
