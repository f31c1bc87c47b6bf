#include "plumbline/cli/core/check_line.h"

#include <fmt/format.h>

#include <utility>

#include "plumbline/base/error.h"

namespace plumbline {

CheckLine check_ok(std::string name, std::string found) {
  return {CheckStatus::kOk, std::move(name), std::move(found), ""};
}
CheckLine check_fail(std::string name, std::string found, std::string next_step) {
  return {CheckStatus::kFail, std::move(name), std::move(found), std::move(next_step)};
}
CheckLine check_skip(std::string name, std::string found, std::string next_step) {
  return {CheckStatus::kSkip, std::move(name), std::move(found), std::move(next_step)};
}

CheckLine guarded(const std::string& name, const std::function<CheckLine()>& check) {
  try {
    return check();
  } catch (const Error& error) {
    const std::string place = error.where().empty() ? "" : " (" + error.where() + ")";
    return check_fail(name, error.id() + ": " + error.message() + place, error.next_step());
  }
}

std::string to_text(const CheckLine& line) {
  const char* word = line.status == CheckStatus::kOk ? "OK" : line.status == CheckStatus::kFail ? "FAIL" : "SKIP";
  std::string text = fmt::format("{:<5} {:<14} {}", word, line.name, line.found);
  if (!line.next_step.empty()) text += "; " + line.next_step;
  return escape_control(text);
}

std::string format_bytes(double bytes) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return bytes >= kGib ? fmt::format("{:.1f} GiB", bytes / kGib) : fmt::format("{:.0f} MiB", bytes / kGib * 1024);
}

}  // namespace plumbline
