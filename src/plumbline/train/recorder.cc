#include "plumbline/train/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

constexpr char kSteps[] = "steps.tsv";
constexpr char kMetrics[] = "metrics.jsonl";
constexpr char kRollouts[] = "rollouts.jsonl";
constexpr char kEvaluations[] = "eval.jsonl";
constexpr char kEvents[] = "events.out.tfevents.plumbline";  // TensorBoard looks for the word in the middle
constexpr std::string_view kTrainTag = "train/", kEvalTag = "eval/";
constexpr std::string_view kJsonStep = "{\"step\":";

/// The step a row begins with; none when it begins with anything else.
std::optional<int64_t> step_of(std::string_view line) {
  if (line.starts_with(kJsonStep)) line.remove_prefix(kJsonStep.size());
  int64_t step = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), step);
  const bool ends_well = end != line.data() + line.size() && (*end == '\t' || *end == ',' || *end == '}');
  if (error != std::errc() || !ends_well) return std::nullopt;
  return step;
}

std::string in(const std::string& folder, const char* name) {
  return folder + "/" + name;
}

/// Cuts one file for a resumed run; returns its path, for a writer to open.
std::string cut(const std::string& folder, const char* name, int64_t last_step, bool must_reach,
                bool each_step = false) {
  const std::string path = in(folder, name);
  const int64_t last = keep_rows_until(path, last_step, each_step);
  if (must_reach && last_step > 0 && last != last_step) {
    throw DataError("data.run_rows",
                    fmt::format("the checkpoint is at step {}, the last row before it at {}", last_step,
                                std::max<int64_t>(last, 0)),
                    path, "the file was changed or lost rows; start the run anew");
  }
  return path;
}

}  // namespace

int64_t keep_rows_until(const std::string& path, int64_t last_step, bool each_step) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return -1;
  constexpr std::string_view kHeader = "step\t";
  std::string line;
  int64_t last = -1, num_lines = 0;
  std::uintmax_t kept_bytes = 0;
  while (std::getline(file, line)) {
    ++num_lines;
    if (file.eof()) break;  // no line end: a writer was stopped in the middle
    const bool is_header = num_lines == 1 && line.starts_with(kHeader);
    const auto step = is_header ? std::optional<int64_t>() : step_of(line);
    const bool lost_header = num_lines == 1 && !is_header && !line.starts_with('{');
    if (lost_header || (!is_header && !step)) {
      throw DataError("data.run_rows", lost_header ? "the header is missing" : "a row does not begin with its step",
                      fmt::format("{}:{}", path, num_lines),
                      "the file is not this program's, or of another version; start the run anew");
    }
    if (step && *step > last_step) break;
    const bool in_order = !step || (each_step ? *step == std::max<int64_t>(last, 0) + 1 : *step >= last);
    if (!in_order) {
      throw DataError("data.run_rows", fmt::format("step {} follows step {}", *step, std::max<int64_t>(last, 0)),
                      fmt::format("{}:{}", path, num_lines), "rows are missing or doubled; start the run anew");
    }
    if (step) last = *step;
    kept_bytes += line.size() + 1;
  }
  file.close();
  std::error_code error;
  std::filesystem::resize_file(path, kept_bytes, error);
  if (error) throw DataError("data.unwritable", "cannot be cut: " + error.message(), path, "check its permissions");
  return last;
}

std::string rollout_line(const RolloutRow& row) {
  Json object = {{"step", row.step},
                 {"group_id", row.group_id},
                 {"problem_id", to_json(row.problem_id)},
                 {"sample", row.sample},
                 {"prompt_hash", row.prompt_hash},
                 {"token_ids", row.token_ids},
                 {"completion", row.completion},
                 {"finish_reason", row.finish_reason},
                 {"logprob_sum", row.is_teacher ? Json() : Json(row.logprob_sum)},
                 {"sampled_logprob_sum", row.is_teacher ? Json() : Json(row.sampled_logprob_sum)},
                 {"verdict", to_json(row.verdict)},
                 {"reward", row.reward ? Json(*row.reward) : Json()},
                 {"advantage", row.advantage},
                 {"weight_version", row.weight_version},
                 {"weight_hash", row.weight_hash}};
  if (row.is_teacher) object["source"] = "pool";
  return to_json_line(object);
}

RunRecorder::Lock::Lock(const std::string& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0) throw DataError("data.unwritable", std::strerror(errno), folder, "check the run folder");
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(fd_);
  throw ConfigError("config.run_in_use", "another process is training this run", folder,
                    "wait for it, or stop it with Ctrl-C, then resume");
}

RunRecorder::Lock::~Lock() {
  ::close(fd_);
}

RunRecorder::RunRecorder(const std::string& folder, int64_t resume_step, std::span<const std::string> reward_names,
                         bool has_rollouts)
    : folder_(folder),
      lock_(folder),
      steps_(cut(folder, kSteps, resume_step, true, true)),
      metrics_(cut(folder, kMetrics, resume_step, true, true)),
      rollouts_(cut(folder, kRollouts, resume_step, has_rollouts)),
      evaluations_(cut(folder, kEvaluations, resume_step - 1, false)),
      events_(in(folder, kEvents), [resume_step](int64_t step, std::string_view tag) {
        return step < resume_step || (step == resume_step && resume_step > 0 && !tag.starts_with(kEvalTag));
      }) {
  if (std::filesystem::file_size(in(folder, kSteps)) == 0) steps_.write(steps_header(reward_names));
}

void RunRecorder::record(const StepRow& row, std::span<const RolloutRow> rollouts) {
  for (const RolloutRow& rollout : rollouts) rollouts_.write(rollout_line(rollout));
  const Json metrics = metrics_of(row);
  metrics_.write(to_json_line(metrics));
  steps_.write(steps_line(row));
  events_.write(kTrainTag, row.step, metrics);
}

void RunRecorder::record_evaluation(int64_t step, const Json& row) {
  Json object = {{"step", step}};
  object.update(row);
  evaluations_.write(to_json_line(object));
  events_.write(kEvalTag, step, object);
}

void RunRecorder::sync() const {
  for (const char* name : {kSteps, kMetrics, kRollouts, kEvaluations, kEvents}) {
    const std::string path = in(folder_, name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    const int cause = errno;
    if (fd >= 0) ::close(fd);
    if (!synced) {
      throw DataError("data.unwritable", std::string("cannot be synced: ") + std::strerror(cause), path,
                      "free space or choose another folder");
    }
  }
}

}  // namespace plumbline
