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

}  // namespace plumbline::test
