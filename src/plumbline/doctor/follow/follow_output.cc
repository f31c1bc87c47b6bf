#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/doctor/follow/follower.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kShown_bytes = 1200;

/// Null for a share of nothing.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double share(int64_t count, int64_t total) {
  return total > 0 ? static_cast<double>(count) / static_cast<double>(total) : NAN;
}

std::string percent(double value) {
  return std::isfinite(value) ? fmt::format("{:.1f}%", 100 * value) : "-";
}

/// The start of a text, indented, its control characters escaped.
std::string excerpt(const std::string& text) {
  std::string shown = escape_control(text.size() > kShown_bytes ? text.substr(0, kShown_bytes) + " ..." : text, true);
  std::string out = "    ";
  for (const char c : shown) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + "\n";
}

}  // namespace

std::string to_text(const FollowedStep& step, bool as_json) {
  const double right = share(step.num_right, step.num_graded), wrong = share(step.num_paid_wrong, step.num_graded);
  if (as_json) {
    return to_json_line(Json{{"event", "step"},
                             {"step", step.step},
                             {"rows", step.num_rows},
                             {"graded", step.num_graded},
                             {"unmatched", step.num_unmatched},
                             {"infra", step.num_infra},
                             {"right", number(right)},
                             {"paid_wrong", number(wrong)},
                             {"mean_reward", or_null(step.mean_reward)},
                             {"partial", step.is_partial}}) +
           "\n";
  }
  std::string text = fmt::format("step {}{}: {} graded, right {}, paid though wrong {}", step.step,
                                 step.is_partial ? " (partial: stopped while it was open)" : "", step.num_graded,
                                 percent(right), percent(wrong));
  if (step.mean_reward) text += fmt::format(", mean reward {:.3g}", *step.mean_reward);
  if (step.num_unmatched > 0) text += fmt::format(", {} of no known problem", step.num_unmatched);
  if (step.num_infra > 0) text += fmt::format(", {} could not be graded", step.num_infra);
  return text + "\n";
}

std::string to_text(const RaisedOnset& raised, bool as_json) {
  const Onset& onset = raised.onset;
  if (as_json) {
    Json out = {{"event", "reward_hacking_onset"},
                {"severity", "error"},
                {"step", onset.step},
                {"alarm_step", onset.alarm_step},
                {"paid_wrong_before", number(onset.rate_before)},
                {"paid_wrong_since", number(onset.rate_since)},
                {"right_before", number(onset.right_before)},
                {"right_since", number(onset.right_since)},
                {"examples", Json::array()}};
    for (const HackExample& example : raised.examples) {
      out["examples"].push_back({{"step", example.step},
                                 {"problem_id", example.problem_id},
                                 {"reward", or_null(example.reward)},
                                 {"detail", example.detail},
                                 {"completion", example.completion}});
    }
    return to_json_line(out) + "\n";
  }
  std::string text = fmt::format(
      "\nreward_hacking_onset (error): since about step {} training pays for wrong answers (seen at step {}).\n"
      "  paid though wrong: {} before, {} since; right: {} before, {} since\n"
      "  next step: stop, read these completions, and train on a grader that they do not fool "
      "(docs/doctor/reward_hacking_onset.md)\n",
      onset.step, onset.alarm_step, percent(onset.rate_before), percent(onset.rate_since), percent(onset.right_before),
      percent(onset.right_since));
  for (const HackExample& example : raised.examples) {
    text += fmt::format("  step {}, problem {}{}: {}\n", example.step, escape_control(example.problem_id),
                        example.reward ? fmt::format(", paid {:.3g}", *example.reward) : "",
                        escape_control(example.detail));
    text += excerpt(example.completion);
  }
  return text + "\n";
}

}  // namespace plumbline::doctor
