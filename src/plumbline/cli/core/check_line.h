/// One line of `plumbline check`: what was looked at, what was found, what to do.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace plumbline {

enum class CheckStatus { kOk, kFail, kSkip };

struct CheckLine {
  CheckStatus status = CheckStatus::kOk;
  std::string name, found;
  std::string next_step;  ///< empty when all is well
};

CheckLine check_ok(std::string name, std::string found);
CheckLine check_fail(std::string name, std::string found, std::string next_step);
CheckLine check_skip(std::string name, std::string found, std::string next_step = "");

/// Runs a check; a plumbline::Error it throws becomes a FAIL with the error's text and next step.
CheckLine guarded(const std::string& name, const std::function<CheckLine()>& check);

/// "OK    cores           2", control characters escaped, no newline.
std::string to_text(const CheckLine& line);

/// "21.3 GiB", "512 MiB".
std::string format_bytes(double bytes);

}  // namespace plumbline
