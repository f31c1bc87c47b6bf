/// Runs a program as a user would and captures what it prints.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace plumbline::test {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal when killed
  std::string out, err;
};

/// `input` goes to stdin; `environment` is added to ours; `folder` is the working directory (empty = ours).
ProcessResult run_process(const std::vector<std::string>& words, const std::string& input = "",
                          const std::map<std::string, std::string>& environment = {}, const std::string& folder = "");

/// A program that runs beside the test; its output is dropped. Killed when the object goes.
class BackgroundProcess {
 public:
  explicit BackgroundProcess(const std::vector<std::string>& words);
  ~BackgroundProcess();
  BackgroundProcess(const BackgroundProcess&) = delete;
  BackgroundProcess& operator=(const BackgroundProcess&) = delete;
  void send(int signal);
  bool is_running();
  /// Waits for the end; the exit code, or 128 + signal.
  int wait();

 private:
  int pid_;
  int exit_code_ = -1;
};

}  // namespace plumbline::test
