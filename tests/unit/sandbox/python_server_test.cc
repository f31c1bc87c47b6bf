#include "plumbline/sandbox/python_server.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "plumbline/base/error.h"
#include "plumbline/sandbox/job.h"
#include "plumbline/sandbox/marshal.h"

namespace plumbline {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

IsolationLevel level() {
  return probe_isolation(kPython, IsolationLevel::kLimits).level;
}

size_t num_descriptors() {
  size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder)) ++count;
  ::closedir(folder);
  return count;
}

std::string one_call(const Nonce& nonce) {
  MarshalWriter call;
  call.tuple(2).tuple(0).begin_dict().end_dict();
  return nonce + call.take();
}

/// Runs f() of `code` once; the letters of the replies.
std::string replies(PythonServer& server, const std::string& code, ProcessEnd* end = nullptr) {
  SandboxProcess process = server.start({.cpu_s = 2, .wall_s = 6});
  SandboxJob job;
  job.code = code;
  job.entry = "f";
  job.answer_bytes = 1000;
  const Nonce nonce = make_nonce();
  process.send(job_frame(job, nonce));
  process.send(one_call(nonce));
  process.send("");
  std::string letters;
  while (const auto frame = process.receive()) {
    Reply reply;
    letters += parse_reply(*frame, nonce, &reply) ? static_cast<char>(reply.status) : '?';
  }
  const ProcessEnd ended = process.end();
  if (end) *end = ended;
  return letters;
}

TEST(PythonServer, RunsACallAndReportsItsEnd) {
  PythonServer server(kPython, level());
  ProcessEnd end;
  EXPECT_EQ(replies(server, "def f():\n    return 1", &end), "FVV");
  EXPECT_EQ(end.reason, EndReason::kExited);
  EXPECT_EQ(end.wait_status, 0);
  EXPECT_GT(end.cpu_ms, 0);
  EXPECT_GE(end.wall_ms, 0);
}

TEST(PythonServer, RepliesTellApartWhatHappened) {
  PythonServer server(kPython, level());
  EXPECT_EQ(replies(server, "def f("), "S");
  EXPECT_EQ(replies(server, "1/0"), "FE");
  EXPECT_EQ(replies(server, "def f():\n    1/0"), "FVE");
  EXPECT_EQ(replies(server, "def f():\n    return object()"), "FVR");
  ProcessEnd end;
  EXPECT_EQ(replies(server, "import os\nos._exit(7)", &end), "F");
  EXPECT_EQ(WEXITSTATUS(end.wait_status), 7);
}

TEST(PythonServer, LeavesNoDescriptorAndNoChildBehind) {
  PythonServer server(kPython, level());
  replies(server, "def f():\n    return 1");
  const size_t before = num_descriptors();
  for (int i = 0; i < 50; ++i) replies(server, "def f():\n    return 1");
  EXPECT_EQ(num_descriptors(), before);
  EXPECT_TRUE(server.alive());
}

TEST(PythonServer, AbandonedProcessesEnd) {
  PythonServer server(kPython, level());
  {
    SandboxProcess process = server.start({});
    process.send("never a job");
  }
  EXPECT_EQ(replies(server, "def f():\n    return 1"), "FVV");
}

TEST(PythonServer, AnInterpreterThatIsNoneIsASandboxError) {
  EXPECT_THROW(PythonServer("/no/such/python", IsolationLevel::kLimits), SandboxError);
  EXPECT_THROW(PythonServer("/bin/true", IsolationLevel::kLimits), SandboxError);
}

TEST(Isolation, LevelsHaveNamesAndAnOrder) {
  EXPECT_EQ(parse_isolation_level("namespaces", "test"), IsolationLevel::kNamespaces);
  EXPECT_LT(parse_isolation_level("limits", "test"), parse_isolation_level("container", "test"));
  EXPECT_LT(parse_isolation_level("container", "test"), parse_isolation_level("bubblewrap", "test"));
  EXPECT_THROW(parse_isolation_level("strong", "test"), ConfigError);
}

TEST(Isolation, AskingForMoreThanThereIsIsAnError) {
  EXPECT_THROW(probe_isolation(kPython, IsolationLevel::kNamespaces, IsolationLevel::kContainer), SandboxError);
}

}  // namespace
}  // namespace plumbline
