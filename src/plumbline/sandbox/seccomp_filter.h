/// The system calls that graded code may not make, as a BPF program.
#pragma once

#include <string>

namespace plumbline {

/// Instructions for PR_SET_SECCOMP on this machine's architecture. Made here with libseccomp, loaded by the confined
/// process itself. Everything is allowed but: tracing and reading other processes, kernel keyrings, mounts, new
/// namespaces, io_uring, bpf, perf, SysV and POSIX message ipc, sockets (a socketpair is allowed, but neither larger
/// buffers nor descriptors sent through it), memory files and anonymous shared mappings, changing other processes'
/// limits or priorities. clone3 is answered ENOSYS, so that flags are always visible. Throws
/// SandboxError(sandbox.seccomp).
std::string make_seccomp_filter();

}  // namespace plumbline
