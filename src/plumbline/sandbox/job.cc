#include "plumbline/sandbox/job.h"

#include <sys/random.h>

#include "plumbline/base/error.h"
#include "plumbline/sandbox/defences.h"
#include "plumbline/sandbox/marshal.h"

namespace plumbline {
namespace {

constexpr size_t kNonceBytes = 8;
constexpr std::string_view kStatuses = "FSVERUCM";

const char* kind_name(SandboxJob::Kind kind) {
  switch (kind) {
    case SandboxJob::Kind::kCalls:
      return "calls";
    case SandboxJob::Kind::kPrograms:
      return "programs";
    case SandboxJob::Kind::kTester:
      return "tester";
    case SandboxJob::Kind::kCodeTests:
      return "code_tests";
  }
  return "";
}

}  // namespace

Nonce make_nonce() {
  Nonce nonce(kNonceBytes, '\0');
  if (::getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
    throw SandboxError("sandbox.random", "the kernel gives no random bytes", "getrandom", "check the kernel");
  }
  return nonce;
}

std::string job_frame(const SandboxJob& job, const Nonce& nonce) {
  MarshalWriter writer;
  writer.begin_dict();
  const auto text = [&](std::string_view key, std::string_view value) { writer.text(key).text(value); };
  text("kind", kind_name(job.kind));
  text("setup", job.setup);
  text("code", job.code);
  text("entry", job.entry);
  text("owner", job.owner);
  text("tester", job.tester);
  text("prelude", job.prelude);
  writer.text("mirrored").boolean(job.mirrored);
  writer.text("limit").integer(job.answer_bytes);
  writer.end_dict();
  return nonce + writer.str();
}

std::string tester_frame(const TesterRun& run, const Nonce& nonce) {
  MarshalWriter writer;
  writer.tuple(3).text(run.replacement).boolean(run.with_needs).boolean(run.is_last);
  return nonce + writer.str();
}

bool parse_reply(std::string_view frame, const Nonce& nonce, Reply* reply) {
  if (frame.size() <= kNonceBytes) return false;
  if (is_on(Defence::kNonce) && frame.substr(0, kNonceBytes) != nonce) return false;
  if (kStatuses.find(frame[kNonceBytes]) == std::string_view::npos) return false;
  reply->status = static_cast<Reply::Status>(frame[kNonceBytes]);
  reply->body = frame.substr(kNonceBytes + 1);
  return true;
}

}  // namespace plumbline
