#include <fmt/format.h>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/sandbox/job.h"
#include "plumbline/sandbox/marshal.h"
#include "plumbline/sandbox/python_server.h"

namespace plumbline {
namespace {

/// Looks about as a submission would. Each entry is something that it could do and should not.
constexpr const char* kProbe = R"(
import os
def probe():
    found = []
    def tried(name, action):
        try:
            action()
        except Exception:
            return
        found.append(name)
    def socket_of_internet():
        import socket
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    def host_processes():
        numbers = [n for n in os.listdir("/proc") if n.isdigit()]
        if len(numbers) <= 4 and os.getpid() <= 4:
            raise OSError
    tried("socket", socket_of_internet)
    tried("processes", host_processes)
    tried("write", lambda: open("/usr/plumbline-probe", "x").close())
    if os.getuid() == 0:
        found.append("root")
    if os.environ:
        found.append("environment")
    return found
)";

constexpr double kProbeCpu_s = 5;

/// What a level must keep out; "limits" promises none of it.
bool tolerates(IsolationLevel level, const std::string& finding) {
  if (level >= IsolationLevel::kBubblewrap) return false;
  if (level == IsolationLevel::kContainer) return finding == "processes";
  return true;
}

/// Runs the probe; returns what is wrong with the level, empty when nothing is.
std::string dry_run(PythonServer& server) {
  SandboxProcess process = server.start({.cpu_s = kProbeCpu_s, .wall_s = 3 * kProbeCpu_s});
  SandboxJob job;
  job.code = kProbe;
  job.entry = "probe";
  job.answer_bytes = 4096;
  const Nonce nonce = make_nonce();
  process.send(job_frame(job, nonce));
  MarshalWriter call;
  call.tuple(2).tuple(0).begin_dict().end_dict();
  process.send(nonce + call.str());
  std::string last;
  for (int i = 0; i < 3; ++i) last = process.receive().value_or("");
  const ProcessEnd end = process.end();
  Reply reply;
  if (!parse_reply(last, nonce, &reply) || reply.status != Reply::Status::kValue) {
    return end.message.empty() ? "a trial submission did not come back" : end.message;
  }
  MarshalReader reader(reply.body);
  if (reader.next() != MarshalReader::Token::kList) return "a trial submission came back garbled";
  for (size_t i = 0, count = reader.count(); i < count; ++i) {
    const std::string finding = reader.next_text().value_or("garbled");
    if (!tolerates(server.level(), finding)) return "a trial submission was not confined: " + finding;
  }
  return "";
}

}  // namespace

Isolation probe_isolation(const std::string& python, IsolationLevel minimum, std::optional<IsolationLevel> exact) {
  std::string reasons;
  for (const IsolationLevel level : {IsolationLevel::kNamespaces, IsolationLevel::kBubblewrap,
                                     IsolationLevel::kContainer, IsolationLevel::kLimits}) {
    if (level < minimum) break;
    if (interrupt_requested()) throw Interrupted("stopped before anything was graded");
    if (exact && level != *exact) continue;
    std::string reason;
    try {
      PythonServer server(python, level);
      reason = dry_run(server);
      if (reason.empty()) return {level, server.description(), reasons};
    } catch (const SandboxError& error) {
      if (error.id() != "sandbox.level_unavailable") throw;
      reason = error.message();
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", to_string(level), reason);
  }
  if (interrupt_requested()) throw Interrupted("stopped before anything was graded");
  if (reasons.empty()) reasons = "the level that was asked for is below the minimum";
  throw SandboxError("sandbox.isolation", "graded code cannot be isolated well enough here: " + reasons,
                     "grade.min_isolation = " + std::string(to_string(minimum)),
                     "allow user namespaces, or ask for a weaker level by name");
}

}  // namespace plumbline
