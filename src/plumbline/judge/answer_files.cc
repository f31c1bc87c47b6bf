#include "plumbline/judge/answer_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {

std::vector<AnswerFile> parse_answer_files(const JudgeOptions& options) {
  std::vector<AnswerFile> files;
  for (const std::string& entry : options.answers) {
    const size_t equals = entry.find('=');
    const bool is_named = equals != std::string::npos && entry.find('/') > equals;
    AnswerFile file = is_named ? AnswerFile{entry.substr(0, equals), entry.substr(equals + 1)} : AnswerFile{"", entry};
    if (file.arm.empty()) {
      file.arm = std::filesystem::path(file.path).filename().string();
      file.arm = file.arm.substr(0, file.arm.find('.'));
    }
    for (const AnswerFile& other : files) {
      if (other.arm != file.arm) continue;
      throw ConfigError("config.conflict", "two arms are called '" + escape_control(file.arm) + "'", "judge.answers",
                        "name them: ARM=FILE");
    }
    files.push_back(std::move(file));
  }
  if (files.empty()) {
    throw ConfigError("config.missing_key", "judge.answers names no file", "judge.answers",
                      "write [\"base=FILE\", \"candidate=FILE\"]");
  }
  if (options.mode == "pair" && files.size() != 2) {
    throw ConfigError("config.conflict", fmt::format("mode = pair and {} files of answers", files.size()),
                      "judge.answers", "name two: the base's, then the candidate's");
  }
  return files;
}

JudgeItems::JudgeItems(std::vector<AnswerFile> files, JudgeMode mode, const std::vector<Problem>& problems)
    : files_(std::move(files)), mode_(mode) {
  for (const Problem& problem : problems) problems_.emplace(problem.id, &problem);
  if (mode_ == JudgeMode::kSupport) return;
  CompletionReader base(files_[0].path);
  for (Completion answer; base.next(answer); answer = {}) {
    base_.emplace(Key(answer.problem_id, answer.sample), std::move(answer.completion));
  }
  next_file_ = 1;
}

bool JudgeItems::next(JudgeItem& item) {
  while (true) {
    if (!reader_) {
      if (next_file_ == files_.size()) break;
      reader_ = std::make_unique<CompletionReader>(files_[next_file_].path);
    }
    Completion answer;
    if (!reader_->next(answer)) {
      reader_.reset();
      ++next_file_;
      continue;
    }
    item = {files_[next_file_].arm, problem_of(answer.problem_id), answer.sample, std::move(answer.completion), ""};
    if (mode_ == JudgeMode::kSupport) return true;
    const auto partner = base_.find(Key(answer.problem_id, answer.sample));
    if (partner == base_.end()) {
      throw DataError(
          "data.unpaired",
          fmt::format("the base has no answer to {}, sample {}", to_string(answer.problem_id), answer.sample),
          reader_->where(), "give both answers to every item");
    }
    item.arm.clear();
    item.other = std::move(item.answer);
    item.answer = std::move(partner->second);
    base_.erase(partner);
    return true;
  }
  if (mode_ == JudgeMode::kPair && !base_.empty()) {
    const auto& [id, sample] = base_.begin()->first;
    throw DataError("data.unpaired", fmt::format("the candidate has no answer to {}, sample {}", to_string(id), sample),
                    files_[1].path, "give both answers to every item");
  }
  return false;
}

const Problem* JudgeItems::problem_of(const ProblemId& id) const {
  const auto found = problems_.find(id);
  if (found != problems_.end()) return found->second;
  throw DataError("data.unknown_problem", "no problem has the id " + to_string(id), reader_->where(),
                  "give the problem file that the answers were made for");
}

int64_t JudgeItems::count(const std::vector<AnswerFile>& files, JudgeMode mode, const std::vector<Problem>& problems) {
  JudgeItems items(files, mode, problems);
  int64_t count = 0;
  for (JudgeItem item; items.next(item);) ++count;
  return count;
}

}  // namespace plumbline
