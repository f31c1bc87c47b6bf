#include "plumbline/cli/core/doctor_follow.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/doctor/follow/follower.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(200);
constexpr int kQuietPolls = 50;  ///< 10 s without a row: the open step is whole

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// A row a line, or a table of columns and data, as W&B writes it.
void take_line(const std::string& line, const std::string& where, int64_t file_number, doctor::Follower& follower) {
  const Json json = parse_json(line, where);
  const auto take = [&](const Json& row) {
    std::optional<doctor::RolloutRow> rollout = doctor::read_rollout_row(row);
    if (!rollout) {
      throw DataError("data.json_missing_key", "the row has no completion", where,
                      "give rollouts with completion, output or response (docs/reference/doctor.md)");
    }
    follower.take(std::move(*rollout), file_number);
  };
  if (!json.is_object() || !json.contains("columns") || !json.contains("data")) return take(json);
  for (const Json& values : json.at("data")) {
    Json row = Json::object();
    for (size_t i = 0; i < values.size() && i < json.at("columns").size(); ++i) {
      row[json.at("columns")[i].get<std::string>()] = values[i];
    }
    take(row);
  }
}

}  // namespace

int follow_rollouts(const FollowRequest& request) {
  const std::vector<Problem> problems = read_problems(resolve_data_path(request.problems), {.split = ""});
  const std::unique_ptr<Verifier> verifier = make_verifier(GradeOptions(), problems);
  doctor::FollowedFiles files(request.rollouts);
  doctor::Follower follower(
      problems, *verifier, [&](const doctor::FollowedStep& step) { print(to_text(step, request.as_json)); },
      [&](const doctor::RaisedOnset& onset) { print(to_text(onset, request.as_json)); });
  for (int quiet_polls = 0; !interrupt_requested();) {
    const bool any = files.read_new([&](std::string line, const std::string& where,
                                        int64_t file_number) { take_line(line, where, file_number, follower); },
                                    request.once);
    quiet_polls = any ? 0 : quiet_polls + 1;
    if (request.once || quiet_polls == kQuietPolls) follower.finish_step();
    if (request.once) break;
    if (!any) std::this_thread::sleep_for(kPoll);
  }
  log_info(fmt::format("followed {} steps; {}", follower.num_steps(),
                       follower.has_raised() ? "an onset of hacking was raised" : "no onset of hacking"));
  if (interrupt_requested()) throw Interrupted("stopped following");
  return static_cast<int>(follower.has_raised() ? ExitCode::kGateFailed : ExitCode::kOk);
}

}  // namespace plumbline
