/// The single defences of the sandbox, by name. In every build that ships they are all on and this header costs
/// nothing. The test build (library plumbline_verify_test) can switch off one or two of them, to show that the attack
/// which a defence is there for wins without it: an attack that loses either way would prove nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

enum class Defence : uint8_t {
  // how an answer is judged (verify/, sandbox/)
  kComparisonInGrader,  ///< expected values stay with the grader, which compares
  kNonce,               ///< a reply repeats the random number of its call
  kCompleteAnswers,     ///< a missing or malformed reply is a fail
  kFrameLimit,          ///< a frame longer than the limit ends the conversation
  kNoStopIteration,     ///< an exception that ends iterations does not reach code tests as such
  kArgumentsComeBack,   ///< code tests see what a call did to the objects that they gave it
  kReferenceTurn,       ///< nobody's answers are graded while a response's tester asks the reference
  kOursIsProven,        ///< only a process that had not spoken yet can have failed to be confined
  // what surrounds a submission (python/, native/)
  kEmptyEnvironment,   ///< no variable of the grader's
  kClosedDescriptors,  ///< no descriptor but the channel
  kOwnSession,         ///< session and process group of its own
  kSeccomp,            ///< the system-call filter
  kSeccompSockets,     ///< its rules on sockets
  kSeccompIpc,         ///< its rules on SysV and POSIX message ipc, and memory files
  kSeccompSigchld,     ///< its rule that SIGCHLD stays as it is
  kSeccompPrlimit,     ///< its rule on limits of other processes
  kSeccompNamespaces,  ///< its rules on unshare, setns, clone flags, clone3 and mounts
  kSeccompTrace,       ///< its rules on ptrace and other processes' memory
  kSeccompKernel,      ///< its rules on keyrings, bpf, perf, io_uring, userfaultfd
  kSeccompPriority,    ///< its rules on scheduling classes and priorities
  kSeccompBuffers,     ///< its rule on socket buffers
  kSeccompShared,      ///< its rule on anonymous shared mappings
  kSeccompDumpable,    ///< its rule that a process stays readable
  kSeccompLocks,       ///< its rules on file locks and watches
  kBuffersAreMemory,   ///< socket buffers count as memory
  kQuietSupervisor,    ///< the supervisor ignores what the submission can send it
  kHashSeed,           ///< one hash seed for everybody
  kNetNamespace,       ///< no network interface
  kPidNamespace,       ///< processes of its own: nobody else can be seen or signalled
  kHostRoot,           ///< a root with system libraries only
  kReadOnlyRoot,       ///< which cannot be written
  kPrivateTmp,         ///< an empty /tmp of its own, gone afterwards
  kNobody,             ///< not root on the host
  kNoCapabilities,     ///< none left in its namespace
  kCpuSum,             ///< CPU time summed over the tree
  kMemorySum,          ///< memory summed over the tree
  kMemoryRlimit,       ///< RLIMIT_AS behind it
  kTmpIsMemory,        ///< files in /tmp count as memory
  kProcessLimit,       ///< RLIMIT_NPROC
  kFileSize,           ///< RLIMIT_FSIZE
  kOpenFiles,          ///< RLIMIT_NOFILE
  kHardLimits,         ///< limits cannot be raised again
  kWallClock,          ///< the backstop
  kEndWithFirst,       ///< the whole tree ends with the submission's first process
  kNumDefences
};

#ifdef PLUMBLINE_TEST_DEFENCES
/// Bit i: defence i is off. Set before a server is started; read by every thread.
uint64_t defences_off();
inline bool is_on(Defence defence) {
  return (defences_off() >> static_cast<unsigned>(defence) & 1) == 0;
}
/// "net_namespace": what the Python half of the sandbox calls it.
std::string to_string(Defence defence);
/// The names of those that are off.
std::vector<std::string> names_of_defences_off();
/// Switches defences off for its lifetime.
class DefencesOff {
 public:
  explicit DefencesOff(uint64_t mask);
  ~DefencesOff();
  DefencesOff(const DefencesOff&) = delete;
  DefencesOff& operator=(const DefencesOff&) = delete;
};
#else
constexpr uint64_t defences_off() {
  return 0;
}
constexpr bool is_on(Defence) {
  return true;
}
#endif

}  // namespace plumbline
