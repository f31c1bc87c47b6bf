/// Saved answers as a judge takes them: arm by arm, or two by two.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumbline/judge/question.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/completion_reader.h"

namespace plumbline {

struct AnswerFile {
  std::string arm, path;
};

/// Takes judge.answers apart: "ARM=FILE", or a file whose arm is its name without the ending. In pair mode the first
/// file is the base and the second the candidate, whatever they are called.
/// Throws ConfigError: config.missing_key, config.conflict (two arms of one name, another number than two for pairs).
std::vector<AnswerFile> parse_answer_files(const JudgeOptions& options);

/// One thing to ask about. In pair mode `arm` is empty, `answer` the base's and `other` the candidate's.
struct JudgeItem {
  std::string arm;
  const Problem* problem = nullptr;
  int64_t sample = 0;
  std::string answer, other;
};

/// All items in the order of the files; a file is read as it is asked for, apart from the base's in pair mode, which is
/// held. Not thread-safe.
class JudgeItems {
 public:
  /// `problems` are borrowed.
  JudgeItems(std::vector<AnswerFile> files, JudgeMode mode, const std::vector<Problem>& problems);

  /// False at the end. Throws DataError: data.unknown_problem, data.unpaired, and as CompletionReader.
  bool next(JudgeItem& item);
  /// How many there are; reads every file to its end, so that what is wrong with one is known before anything is asked.
  /// Throws what next() throws.
  static int64_t count(const std::vector<AnswerFile>& files, JudgeMode mode, const std::vector<Problem>& problems);

 private:
  using Key = std::pair<ProblemId, int64_t>;
  const Problem* problem_of(const ProblemId& id) const;

  const std::vector<AnswerFile> files_;
  const JudgeMode mode_;
  std::map<ProblemId, const Problem*> problems_;
  std::map<Key, std::string> base_;
  size_t next_file_ = 0;
  std::unique_ptr<CompletionReader> reader_;
};

}  // namespace plumbline
