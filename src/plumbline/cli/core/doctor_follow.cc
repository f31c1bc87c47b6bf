#include "plumbline/cli/core/doctor_follow.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/shared/verb.h"
#include "plumbline/doctor/follow/follower.h"
#include "plumbline/doctor/follow/rollout_lines.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(200);

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  flush_output();
}

}  // namespace

int follow_rollouts(const FollowRequest& request) {
  const std::vector<Problem> problems = read_problems(resolve_data_path(request.problems), {.split = ""});
  const std::unique_ptr<Verifier> verifier = make_verifier(GradeOptions(), problems);
  doctor::FollowedFiles files(request.rollouts);
  doctor::Follower follower(
      problems, *verifier, [&](const doctor::FollowedStep& step) { print(to_text(step, request.as_json)); },
      [&](const doctor::RaisedOnset& onset) { print(to_text(onset, request.as_json)); });
  doctor::RolloutLines lines(follower, log_warning);
  finish_before_interrupt();
  const auto is_stopped = [] { return finish_requested() || interrupt_requested(); };
  const auto take = [&](const doctor::FollowedLine& line) {
    if (!is_stopped()) lines.take(line);
  };
  while (!is_stopped()) {
    const bool any = files.read_new(take, request.once);
    if (request.once) break;
    if (!any) std::this_thread::sleep_for(kPoll);
  }
  // A pause says nothing about the end of a step: only a row of the next one does, or the end of following.
  follower.finish_step(/*is_partial=*/is_stopped());
  log_info(fmt::format("followed {} steps; {}{}", follower.num_steps(),
                       lines.num_unreadable() > 0 ? fmt::format("{} lines left out; ", lines.num_unreadable()) : "",
                       follower.has_raised()        ? "an onset of hacking was raised"
                       : follower.num_graded() == 0 ? "nothing was graded"
                                                    : "no onset of hacking"));
  if (follower.num_graded() > 0 && follower.num_with_reward() == 0) {
    log_warning(
        "no row had a reward that can be read, so what the trainer paid for is not known: only testers were "
        "looked at (docs/reference/doctor.md lists the names of rewards)");
  }
  lines.require_any();
  if (request.once && follower.num_graded() == 0) {
    throw DataError("data.nothing_graded", "no row belongs to a problem, so nothing was looked at", request.rollouts,
                    "give the problems that this run trains on");
  }
  if (is_stopped()) throw Interrupted("stopped following");
  return static_cast<int>(follower.has_raised() ? ExitCode::kGateFailed : ExitCode::kOk);
}

}  // namespace plumbline
