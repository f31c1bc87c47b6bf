/// A submission's process seen from the grader: its first replies (does it compile, does it load) and how it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/verdict.h"
#include "plumbline/sandbox/job.h"
#include "plumbline/sandbox/python_server.h"

namespace plumbline {

/// An exception as the submission's process tells it: a builtin kind, a message, a missing name. May be a lie.
struct RaisedError {
  std::string kind, message, name;
  /// "ValueError: text", escaped and short.
  std::string text() const;
};

RaisedError parse_raised(std::string_view body);

class Submission {
 public:
  /// Starts a process and sends the job. Throws SandboxError(sandbox.server_died).
  Submission(PythonServer& server, const SandboxLimits& limits, const SandboxJob& job);

  /// Waits for the compiler's word. False when the source does not compile or the process ended before that.
  bool read_facts();
  /// Waits for the reply to the job itself (loaded, or the tester's end).
  std::optional<Reply> read_job_reply() { return read_reply(nonce_); }
  /// The next reply; nullopt when it is missing, malformed or carries another nonce. The body lives until the next
  /// read.
  std::optional<Reply> read_reply(const Nonce& nonce);
  SandboxProcess& process() { return process_; }
  const Nonce& nonce() const { return nonce_; }

  /// Ends the process. A failure of ours is outcome kInfra; a limit is kTimeout or kMemory; else nullopt.
  std::optional<Outcome> end();

  bool compiles() const { return compiles_; }
  bool tester_in_source() const { return tester_in_source_; }
  /// Nothing that the response does when it is run can bind the tester's name.
  bool tester_is_absent() const { return tester_is_absent_; }
  const std::vector<std::string>& integrity() const { return integrity_; }
  /// Why it does not compile, or how it ended.
  const std::string& detail() const { return detail_; }
  const ProcessEnd& ending() const { return ending_; }

 private:
  Nonce nonce_;
  SandboxProcess process_;
  std::string frame_, detail_;
  bool compiles_ = false, tester_in_source_ = false, tester_is_absent_ = false, spoke_ = false;
  bool garbled_ = false;  ///< a frame came that is no reply
  std::vector<std::string> integrity_;
  ProcessEnd ending_;
};

}  // namespace plumbline
