#include <fmt/format.h>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/verify/custom/program_source.h"

namespace plumbline {

extern const char* const kRewardRunnerSource;

std::unique_ptr<RewardSource> make_reward_source(const RewardSpec& spec, const GradeOptions& options) {
  const ProgramLimits limits{options.reward_timeout_s, options.reward_start_s};
  switch (spec.kind) {
    case RewardKind::kFunction:
      return std::make_unique<BatchProgram>(
          std::vector<std::string>{options.reward_python, "-c", kRewardRunnerSource, spec.target}, limits,
          options.reward_batch == 0);
    case RewardKind::kCommand:
      return std::make_unique<LineProgram>(std::vector<std::string>{"/bin/sh", "-c", spec.target}, limits);
    case RewardKind::kEndpoint: {
      // Five attempts with their waits are the client's business (files/http); this is for a program that hangs.
      const ProgramLimits patient{5 * (options.reward_timeout_s + 60) + 300, options.reward_start_s};
      return std::make_unique<BatchProgram>(
          std::vector<std::string>{executable_folder() + "/plumbline", kRewardEndpointWord, spec.target,
                                   fmt::format("{}", options.reward_timeout_s)},
          patient, options.reward_batch == 0);
    }
    case RewardKind::kJudge: {
      // A call is many questions, a few at a time, each with attempts and waits of its own; this is for a program that
      // hangs.
      const ProgramLimits patient{86400, options.reward_start_s + 5 * (options.reward_timeout_s + 60)};
      return std::make_unique<BatchProgram>(
          std::vector<std::string>{executable_folder() + "/plumbline", kRewardJudgeWord, spec.target,
                                   fmt::format("{}", options.reward_timeout_s), options.judge_prompt},
          patient, false);
    }
    default:
      throw InternalError("internal.reward_source", "there is no program for the reward " + spec.name, "", "");
  }
}

}  // namespace plumbline
