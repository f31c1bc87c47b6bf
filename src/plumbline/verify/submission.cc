#include "plumbline/verify/submission.h"

#include <sys/wait.h>

#include <cstring>

#include "plumbline/base/error.h"
#include "plumbline/sandbox/defences.h"
#include "plumbline/sandbox/marshal.h"

namespace plumbline {
namespace {

using Token = MarshalReader::Token;

constexpr size_t kMaxDetail = 300;
constexpr size_t kMaxFindings = 32;
constexpr const char* kGarbled = "its answer was no answer";
constexpr int kNotConfined = 99;  // as in sandbox/native/launch_plan.h

std::string describe_end(const ProcessEnd& end) {
  switch (end.reason) {
    case EndReason::kCpuLimit:
      return "used up its CPU time";
    case EndReason::kWallLimit:
      return "ran into the wall-clock limit";
    case EndReason::kMemoryLimit:
      return "used up its memory";
    case EndReason::kSetupFailed:
      return "the sandbox could not be set up: " + end.message;
    case EndReason::kLost:
      return "the sandbox went away";
    case EndReason::kAbandoned:
      return kGarbled;
    case EndReason::kExited:
      break;
  }
  if (WIFSIGNALED(end.wait_status)) return std::string("killed by ") + ::strsignal(WTERMSIG(end.wait_status));
  return "exited with status " + std::to_string(WEXITSTATUS(end.wait_status)) + " before it had answered";
}

}  // namespace

std::string RaisedError::text() const {
  return escape_control((kind + (message.empty() ? "" : ": " + message)).substr(0, kMaxDetail));
}

RaisedError parse_raised(std::string_view body) {
  MarshalReader reader(body);
  if (reader.next() != Token::kTuple || reader.count() != 3) return {};
  RaisedError error;
  error.kind = reader.next_text().value_or("");
  error.message = reader.next_text().value_or("");
  error.name = reader.next_text().value_or("");
  return error;
}

Submission::Submission(PythonServer& server, const SandboxLimits& limits, const SandboxJob& job)
    : nonce_(make_nonce()), process_(server.start(limits)) {
  process_.send(job_frame(job, nonce_));
}

std::optional<Reply> Submission::read_reply(const Nonce& nonce) {
  auto frame = process_.receive();
  if (!frame) return std::nullopt;
  frame_ = std::move(*frame);
  Reply reply;
  garbled_ = !parse_reply(frame_, nonce, &reply);
  return garbled_ ? std::nullopt : std::optional(reply);
}

bool Submission::read_facts() {
  const auto reply = read_reply(nonce_);
  if (!reply) return false;
  spoke_ = true;
  if (reply->status == Reply::Status::kSyntax) detail_ = parse_raised(reply->body).text();
  if (reply->status != Reply::Status::kFacts) return false;
  compiles_ = true;
  MarshalReader reader(reply->body);
  if (reader.next() != Token::kTuple) return true;
  tester_in_source_ = reader.next() == Token::kTrue;
  tester_is_absent_ = reader.next() == Token::kTrue;
  if (reader.next() != Token::kList) return true;
  for (size_t left = std::min(reader.count(), kMaxFindings); left > 0; --left) {
    if (auto finding = reader.next_text()) integrity_.push_back(escape_control(*finding));
  }
  return true;
}

std::optional<Outcome> Submission::end() {
  ending_ = process_.end();
  const bool silent = !spoke_ || !is_on(Defence::kOursIsProven);
  const bool unconfined = silent && WIFEXITED(ending_.wait_status) && WEXITSTATUS(ending_.wait_status) == kNotConfined;
  // What became of a process after it had sent garbage depends on who was quicker; that it did so does not.
  if (detail_.empty()) detail_ = garbled_ || process_.stream_is_broken() ? kGarbled : describe_end(ending_);
  if (ending_.is_ours() && detail_ == kGarbled) detail_ = describe_end(ending_);
  if (ending_.is_ours() || (ending_.reason == EndReason::kExited && unconfined)) return Outcome::kInfra;
  if (ending_.reason == EndReason::kCpuLimit || ending_.reason == EndReason::kWallLimit) return Outcome::kTimeout;
  if (ending_.reason == EndReason::kMemoryLimit) return Outcome::kMemory;
  return std::nullopt;
}

}  // namespace plumbline
