#include "tests/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/temporary_folder.h"

namespace plumbline::test {
namespace {

std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<char*> argv_of(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words, const std::string& input,
                          const std::map<std::string, std::string>& environment, const std::string& folder) {
  const TemporaryFolder files;
  const std::string in = files.write("in", input), out = files.file("out"), err = files.file("err");
  const std::vector<char*> argv = argv_of(words);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::dup2(::open(in.c_str(), O_RDONLY), 0);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ProcessResult result;
  result.exit_code = exit_code_of(status);
  result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

BackgroundProcess::BackgroundProcess(const std::vector<std::string>& words) : pid_(0) {
  const std::vector<char*> argv = argv_of(words);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
}

BackgroundProcess::~BackgroundProcess() {
  if (is_running()) {
    send(SIGKILL);
    wait();
  }
}

void BackgroundProcess::send(int signal) {
  ::kill(pid_, signal);
}

bool BackgroundProcess::is_running() {
  if (exit_code_ >= 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  exit_code_ = exit_code_of(status);
  return false;
}

int BackgroundProcess::wait() {
  if (exit_code_ >= 0) return exit_code_;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  exit_code_ = exit_code_of(status);
  return exit_code_;
}

}  // namespace plumbline::test
