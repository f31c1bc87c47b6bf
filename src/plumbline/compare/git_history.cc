#include "plumbline/compare/git_history.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "plumbline/base/error.h"

extern char** environ;

namespace plumbline {
namespace {

struct GitAnswer {
  int status = -1;
  std::string output;
};

GitAnswer run_git(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw InternalError("internal.pipe", "a pipe cannot be made");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  words.insert(words.begin(), "git");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failure = ::posix_spawnp(&child, "git", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  GitAnswer answer;
  if (failure == 0) {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      answer.output.append(buffer, static_cast<size_t>(got));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  ::close(ends[0]);
  return answer;
}

/// The one hash that git answered with.
std::optional<std::string> hash_of(GitAnswer answer) {
  while (!answer.output.empty() && answer.output.back() == '\n') answer.output.pop_back();
  return answer.status == 0 && is_commit_hash(answer.output) ? std::optional(answer.output) : std::nullopt;
}

}  // namespace

bool is_commit_hash(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

std::optional<std::string> GitHistory::last_change(const std::string& name) const {
  return hash_of(run_git({"-C", folder_, "log", "-n", "1", "--format=%H", "--", name}));
}

std::optional<std::string> GitHistory::committed(const std::string& name) const {
  GitAnswer answer = run_git({"-C", folder_, "cat-file", "blob", "HEAD:./" + name});
  return answer.status == 0 ? std::optional(std::move(answer.output)) : std::nullopt;
}

std::optional<std::string> GitHistory::head() const {
  return hash_of(run_git({"-C", folder_, "rev-parse", "HEAD"}));
}

bool GitHistory::is_ancestor(const std::string& older, const std::string& newer) const {
  if (!is_commit_hash(older) || !is_commit_hash(newer)) return false;
  return run_git({"-C", folder_, "merge-base", "--is-ancestor", older, newer}).status == 0;
}

}  // namespace plumbline
