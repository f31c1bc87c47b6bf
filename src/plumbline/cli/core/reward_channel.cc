#include "plumbline/cli/core/reward_channel.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "plumbline/base/interrupt.h"

namespace plumbline {
namespace {

constexpr int kChannel = 3;

}  // namespace

void enter_reward_program() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  watch_interrupts();
}

bool say_to_reward_pool(const Json& message) {
  const std::string line = to_json_line(message) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(kChannel, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

RewardRequests::RewardRequests() : lines_((static_cast<void>(::dup2(kChannel, STDIN_FILENO)), "-")) {}

Json RewardRequests::parse() const {
  return lines_.parse();
}

}  // namespace plumbline
