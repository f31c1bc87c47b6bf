#include "plumbline/cli/shared/verb.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "plumbline/base/error.h"

namespace plumbline {

namespace {

/// The next file that is opened would take the place of a standard stream that is closed, and be written to.
void occupy_closed_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

void flush_output() {
  std::cout.flush();
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good()) return;
  // The cause is gone when an earlier write met it.
  throw DataError("data.unwritable",
                  std::string("cannot be written") + (errno ? std::string(": ") + std::strerror(errno) : ""),
                  "standard output", "free space, or keep the reader of the pipe open");
}

int run_guarded(const std::function<int()>& action) {
  occupy_closed_streams();
  try {
    const int code = action();
    flush_output();
    return code;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "internal.memory: out of memory; use smaller batches or a machine with more memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal.exception: %s; this is a bug in plumbline, please report it\n",
                 escape_control(error.what()).c_str());
  }
  return static_cast<int>(ExitCode::kInternal);
}

int run_verb(std::span<const Verb> verbs, const std::string& name, const std::vector<std::string>& words) {
  return run_guarded([&] {
    for (const Verb& verb : verbs) {
      if (name == verb.name) return verb.run(words);
    }
    throw ConfigError("config.unknown_verb", "there is no verb '" + name + "'", "", "see plumbline --help");
  });
}

}  // namespace plumbline
