#include "plumbline/files/model_path.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"

extern char** environ;

namespace plumbline {
namespace {

/// Where a name would stand in the cache folder; a path that begins at the root is no name.
std::string own_cache_place(const std::string& name) {
  return name.starts_with('/') ? name : cache_folder() + "/models/" + name;
}

std::string downloader() {
  return executable_folder() + "/plumbline";
}

/// Starts the program with its stdout in a pipe; the reading end and the process.
std::pair<int, pid_t> start(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw InternalError("internal.pipe", "no pipe to the download");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t process = 0;
  const int error = ::posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    throw DataError("data.missing_model", "the download cannot be started", words[0],
                    "build plumbline beside the engine");
  }
  return {ends[0], process};
}

/// All that the process writes; Ctrl-C is passed on to it, so that it keeps its partial file and ends.
std::string read_to_end(int pipe, pid_t process) {
  std::string text;
  char buffer[4096];
  bool told = false;
  for (;;) {
    if (interrupt_requested() && !told) {
      ::kill(process, SIGINT);
      told = true;
    }
    pollfd waiting = {pipe, POLLIN, 0};
    if (::poll(&waiting, 1, 200) <= 0) continue;
    const ssize_t count = ::read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

std::string download(const std::string& name, ModelNeed need) {
  const auto [pipe, process] = start({downloader(), kFetchModelWord, to_string(need), name});
  const std::string text = read_to_end(pipe, process);
  ::close(pipe);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (interrupt_requested() || (WIFEXITED(status) && WEXITSTATUS(status) == 130)) {
    throw Interrupted("the download of " + name + " was stopped; the same command goes on with it");
  }
  if (text.empty()) throw DataError("data.missing_model", "the download of " + name + " ended without an answer");
  const Json answer = parse_json(text, "plumbline " + std::string(kFetchModelWord));
  if (answer.contains("path")) return answer["path"].get<std::string>();
  throw Error(static_cast<ExitCode>(answer["exit_code"].get<int>()), answer["id"].get<std::string>(),
              answer["message"].get<std::string>(), answer["where"].get<std::string>(),
              answer["next_step"].get<std::string>());
}

}  // namespace

const char* to_string(ModelNeed need) {
  return need == ModelNeed::kText ? "text" : "weights";
}

std::optional<std::string> find_model(const std::string& name, ModelNeed need) {
  const std::string cached = own_cache_place(name);  // of an absolute path: itself
  for (const std::string& candidate : {name, cached, cached + ".gguf"}) {
    std::error_code ignored;
    if (!name.empty() && std::filesystem::exists(candidate, ignored)) return candidate;
  }
  if (name.starts_with("models/")) {
    std::error_code ignored;
    const std::string shipped = shipped_folder("models") + name.substr(6);
    if (std::filesystem::exists(shipped, ignored)) return shipped;
  }
  const std::optional<HubName> hub_name = parse_hub_name(name);
  return hub_name ? find_in_hub_cache(*hub_name, need) : std::nullopt;
}

void fail_missing_model(const std::string& name, const std::string& reason) {
  std::string message = "there is no model '" + name + "': no such folder or file";
  if (!name.starts_with('/')) message += ", not in " + cache_folder() + "/models";
  if (const std::optional<HubName> hub_name = parse_hub_name(name)) {
    message += ", not whole in " + hub_repository_folder(*hub_name);
    const std::optional<std::string> snapshot = find_snapshot(*hub_name);
    const std::string missing = snapshot ? missing_file(*snapshot, *hub_name, ModelNeed::kWeights) : "";
    if (!missing.empty()) message += " (" + missing + " is missing)";
    message += "; " + (reason.empty() ? "not downloaded" : reason);
  } else {
    message += ", and no name of a hub model (org/name[@revision], org/name/FILE.gguf[@revision])";
  }
  throw DataError(
      "data.missing_model", message, own_cache_place(name),
      "give a folder, a GGUF file, models/tiny, org/name of a hub model, or the name of a model in the cache "
      "folder; make model fetches SmolLM2");
}

std::string describe_model(const std::string& name) {
  if (const std::optional<std::string> found = find_model(name)) return "model " + name + ": " + *found;
  if (!parse_hub_name(name)) return "model " + name + ": nowhere here, and no name of a hub model";
  if (hub_is_offline()) return "model " + name + ": not here, and HF_HUB_OFFLINE forbids the download";
  return "model " + name + ": not here; it would be downloaded from the hub to " + hub_cache_folder();
}

std::string resolve_model_path(const std::string& name, ModelNeed need) {
  if (const std::optional<std::string> found = find_model(name, need)) return *found;
  if (!parse_hub_name(name)) fail_missing_model(name, "");
  if (hub_is_offline()) fail_missing_model(name, "not downloaded, since HF_HUB_OFFLINE is set");
  std::error_code ignored;
  if (!std::filesystem::exists(downloader(), ignored)) {
    fail_missing_model(name, "not downloaded, since there is no plumbline beside this program");
  }
  return download(name, need);
}

}  // namespace plumbline
