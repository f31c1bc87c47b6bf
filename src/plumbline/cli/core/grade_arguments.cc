#include "plumbline/cli/core/grade_arguments.h"

#include <algorithm>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/preset/key_table.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/preset/validation.h"

namespace plumbline {

void GradeArguments::add_to(Arguments& arguments) {
  arguments.option("--workers", &options.workers, "submissions graded at a time, at most one a core; 0 = cores")
      .option("--cpu-s", &options.cpu_s, "CPU seconds of one submission, summed over its processes (10)")
      .option("--wall-factor", &options.wall_factor, "wall-clock backstop as a multiple of --cpu-s (3)")
      .option("--memory-mib", &options.memory_mib, "memory of one submission's processes together (1024)")
      .option("--processes", &options.processes, "processes of one submission (32)")
      .option("--output-kib", &options.output_kib, "longest value that is read from a submission (1024)")
      .option("--reward", &options.reward, "loophole (default), signed, or custom (see --rewards)")
      .option("--integrity", &options.integrity, "report (default), or floor: findings cost the reward")
      .option("--fresh-tests", &options.fresh_tests,
              "fresh inputs a passing submission must answer as the reference (0)")
      .option("--min-isolation", &options.min_isolation,
              "weakest level to accept: namespaces, container (default), limits")
      .option("--isolation", &level, "use exactly this level")
      .option("--cache", &options.cache, "file that keeps verdicts between runs")
      .option("--python", &options.python, "interpreter of graded code (/usr/bin/python3)")
      .option("--rewards", &options.rewards,
              "a reward of your own, [NAME=]SOURCE; may be repeated (sets --reward custom)")
      .option("--reward-weights", &weights_, "weight of each reward, in their order; may be repeated")
      .option("--pass-reward", &options.pass_reward, "problems without tests pass from this weighted reward on (1)")
      .option("--reward-python", &options.reward_python, "interpreter of reward functions (python3)")
      .option("--reward-timeout-s", &options.reward_timeout_s, "wall clock for one call of a reward (60)")
      .option("--reward-start-s", &options.reward_start_s, "wall clock until a reward's program is ready (300)")
      .option("--reward-workers", &options.reward_workers, "processes of each reward (1)")
      .option("--reward-batch", &options.reward_batch, "completions in one call of a reward (64)");
}

void GradeArguments::validate() {
  for (const std::string& word : weights_) {
    char* end = nullptr;
    options.reward_weights.push_back(std::strtod(word.c_str(), &end));
    if (word.empty() || *end != '\0') {
      throw ConfigError("config.usage", "a weight is a number, not '" + word + "'", "--reward-weights", "give numbers");
    }
  }
  if (!options.rewards.empty() && options.reward == GradeOptions().reward) options.reward = "custom";
  Preset preset;
  preset.grade = options;
  for (const KeyRow& row : key_rows()) {  // the ranges of the preset's keys, so that the two cannot drift apart
    if (std::string_view(row.table) != "grade") continue;
    std::string option = std::string("--") + row.key;
    std::replace(option.begin(), option.end(), '_', '-');
    check_value(row, preset, option);
  }
  parse_rewards(options, "--rewards");
}

std::optional<IsolationLevel> GradeArguments::exact_level() const {
  if (level.empty()) return std::nullopt;
  return parse_isolation_level(level, "--isolation");
}

}  // namespace plumbline
