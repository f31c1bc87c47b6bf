#include "plumbline/sandbox/defences.h"

#ifdef PLUMBLINE_TEST_DEFENCES
#include <atomic>
#include <iterator>

namespace plumbline {
namespace {

constexpr const char* kNames[] = {
    "comparison_in_grader",
    "nonce",
    "complete_answers",
    "frame_limit",
    "no_stop_iteration",
    "arguments_come_back",
    "reference_turn",
    "ours_is_proven",
    "empty_environment",
    "closed_descriptors",
    "own_session",
    "seccomp",
    "seccomp_sockets",
    "seccomp_ipc",
    "seccomp_sigchld",
    "seccomp_prlimit",
    "seccomp_namespaces",
    "seccomp_trace",
    "seccomp_kernel",
    "seccomp_priority",
    "seccomp_buffers",
    "seccomp_shared",
    "seccomp_dumpable",
    "seccomp_locks",
    "buffers_are_memory",
    "quiet_supervisor",
    "hash_seed",
    "net_namespace",
    "pid_namespace",
    "host_root",
    "read_only_root",
    "private_tmp",
    "nobody",
    "no_capabilities",
    "cpu_sum",
    "memory_sum",
    "memory_rlimit",
    "tmp_is_memory",
    "process_limit",
    "file_size",
    "open_files",
    "hard_limits",
    "wall_clock",
    "end_with_first",
};
static_assert(std::size(kNames) == static_cast<size_t>(Defence::kNumDefences));

std::atomic<uint64_t> off = 0;

}  // namespace

uint64_t defences_off() {
  return off;
}

std::string to_string(Defence defence) {
  return kNames[static_cast<size_t>(defence)];
}

std::vector<std::string> names_of_defences_off() {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (off >> i & 1) names.emplace_back(kNames[i]);
  }
  return names;
}

DefencesOff::DefencesOff(uint64_t mask) {
  off = mask;
}
DefencesOff::~DefencesOff() {
  off = 0;
}

}  // namespace plumbline
#endif
