/// The messages between the grader and a submission's process (sandbox/python/candidate.py is the other half).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

/// What a confined process is to do.
struct SandboxJob {
  enum class Kind {
    kCalls,     ///< load `code`, then answer calls
    kPrograms,  ///< run `code` as a program, once for each input
    kTester,    ///< run the response's own tester F, once for each solution that is asked for
    kCodeTests  ///< run trusted test code that calls another process through the grader
  };
  Kind kind = Kind::kCalls;
  std::string setup;         ///< preamble, run first
  std::string code;          ///< the response; for kCodeTests the tests
  std::string entry;         ///< "Solution().m" or "f"
  std::string owner;         ///< class that the entry point belongs to; empty for a function
  std::string tester;        ///< F; empty when the problem has no hint
  std::string prelude;       ///< kCodeTests: trusted program that runs before the tests
  bool mirrored = false;     ///< kCalls: calls come from code tests, which see what is done to their objects
  int64_t answer_bytes = 0;  ///< longest value that is sent back
};

/// Eight random bytes that a reply must repeat; they tell replies to different calls apart.
using Nonce = std::string;
Nonce make_nonce();

std::string job_frame(const SandboxJob& job, const Nonce& nonce);
/// kTester: one run of F.
struct TesterRun {
  std::string replacement;  ///< stub or reference in the solution's place; empty = the response as it is
  bool with_needs = false;  ///< F together with what it needs of the response
  bool is_last = false;     ///< no other run will be asked of this process
};
std::string tester_frame(const TesterRun& run, const Nonce& nonce);

/// Replies: nonce, one letter, a marshalled body.
struct Reply {
  enum class Status : char {
    kFacts = 'F',      ///< compiled; (source binds F, source shows that F will not be bound, findings)
    kSyntax = 'S',     ///< does not compile; (kind, message, name)
    kValue = 'V',      ///< returned; the value
    kException = 'E',  ///< raised; (kind, message, missing name)
    kRefused = 'R',    ///< returned something that is no plain data
    kUnbound = 'U',    ///< kTester: ended before F was there to be called
    kCall = 'C',       ///< kCodeTests: the tests call the submission (python/mirror.py says how)
    kChanges = 'M'     ///< before kValue or kException of a mirrored call: objects that the call changed or made
  };
  Status status;
  std::string_view body;  ///< into the frame
};

/// False when the frame is not a reply that carries `nonce`.
bool parse_reply(std::string_view frame, const Nonce& nonce, Reply* reply);

}  // namespace plumbline
