#include "plumbline/run/eval_candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/preset/schema.h"
#include "plumbline/run/run_directory.h"
#include "plumbline/train/checkpoint.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct RunName {
  std::string folder;
  std::optional<int64_t> step;
};

/// RUN or RUN@step; a folder whose own name has an @ is taken as it is.
RunName parse_run_name(const std::string& text) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos || fs::exists(text)) return {text, std::nullopt};
  const std::string digits = text.substr(at + 1);
  int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size() || step < 0) {
    throw ConfigError("config.not_allowed", fmt::format("'{}' is no step of a run", digits), "eval.adapter",
                      "write RUN or RUN@120");
  }
  return {text.substr(0, at), step};
}

/// What is in training too can only be told from the file that the run was trained on.
void require_training_file(const RunDirectory& run, const Preset& training) {
  const std::string record = run.file("provenance.json"), file = resolve_data_path(training.data.problems);
  const std::string trained = require_member(parse_json(read_file(record), record), "data_hash", record);
  const std::string found = sha256_file(file);
  if (found == trained) return;
  throw DataError("data.training_changed",
                  fmt::format("the run was trained on another file of this name: its SHA-256 was {} and is {}",
                              trained.substr(0, 12), found.substr(0, 12)),
                  file, "put the file back that " + run.path() + " was trained on");
}

EvalCandidate candidate_of_run(const std::string& text) {
  const RunName name = parse_run_name(text);
  const RunDirectory run = RunDirectory::open(name.folder);
  EvalCandidate candidate;
  candidate.training = load_preset(run.file("resolved.toml"));
  require_training_file(run, candidate.training);
  candidate.seed = candidate.training.run.seed;
  const std::string checkpoints = name.folder + "/checkpoints";
  const std::optional<std::string> folder =
      name.step ? std::optional(checkpoints + "/" + checkpoint_name(*name.step)) : latest_checkpoint(checkpoints);
  if (!folder || !fs::exists(*folder)) {
    throw DataError("data.no_checkpoint",
                    name.step ? fmt::format("the run has no checkpoint of step {}", *name.step)
                              : std::string("the run has no checkpoint"),
                    name.folder, "name a run that has one, or RUN@step with a step that is kept");
  }
  candidate.adapter = *folder;
  const TrainerState state = load_checkpoint(*folder).state;
  candidate.step = state.step;
  candidate.weight_hash = state.weight_hash;
  candidate.name = fmt::format("{}@{}", name.folder, candidate.step);
  return candidate;
}

void require_same(const std::string& key, const std::string& first, const std::string& second) {
  if (first == second) return;
  throw ConfigError("config.conflict", fmt::format("the runs differ in {}: {} and {}", key, first, second),
                    "eval.adapter", "give runs that differ in their seeds only");
}

}  // namespace

std::string EvalCandidate::label() const {
  return fmt::format("s{}", seed);
}

std::vector<EvalCandidate> find_candidates(const Preset& preset) {
  if (!preset.eval.candidate.empty() || !preset.eval.served.empty()) {
    EvalCandidate candidate;
    candidate.is_served = !preset.eval.served.empty();
    candidate.name = candidate.is_served ? preset.eval.served : preset.eval.candidate;
    candidate.seed = preset.run.seed;
    candidate.training = preset;
    return {candidate};
  }
  if (preset.eval.adapter.empty()) {
    throw ConfigError(
        "config.no_candidate", "there is nothing to set against the base", "eval.adapter",
        "name runs, eval.adapter = [\"out/my-run\"], a checkpoint in eval.candidate, or a served model in eval.served");
  }
  std::vector<EvalCandidate> candidates;
  for (const std::string& name : preset.eval.adapter) candidates.push_back(candidate_of_run(name));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const EvalCandidate& a, const EvalCandidate& b) { return a.seed < b.seed; });
  for (size_t i = 1; i < candidates.size(); ++i) {
    const EvalCandidate &first = candidates[0], &other = candidates[i];
    if (candidates[i - 1].seed == other.seed) {
      throw ConfigError("config.conflict",
                        fmt::format("{} and {} have the same seed {}", candidates[i - 1].name, other.name, other.seed),
                        "eval.adapter", "give one run a seed");
    }
    require_same("run.arm", first.training.run.arm, other.training.run.arm);
    require_same("adapter.kind", first.training.adapter.kind, other.training.adapter.kind);
    require_same("rollout.group_size", std::to_string(first.training.rollout.group_size),
                 std::to_string(other.training.rollout.group_size));
  }
  return candidates;
}

Preset with_adapter_of(Preset preset, const std::vector<EvalCandidate>& candidates) {
  if (!candidates.front().adapter.empty()) preset.adapter = candidates.front().training.adapter;
  return preset;
}

}  // namespace plumbline
