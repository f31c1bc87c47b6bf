/// The inside of SandboxProcess, shared by the two files that make and drive it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "plumbline/sandbox/descriptor.h"
#include "plumbline/sandbox/python_server.h"

namespace plumbline {

struct SandboxProcess::State {
  Descriptor channel, status;
  pid_t keeper = -1;  ///< the process above the server
  int64_t answer_bytes = 0;
  double deadline_s = 0;  ///< ours, far behind the supervisor's
  std::string outgoing, incoming;
  size_t sent = 0, taken = 0;  ///< consumed parts of the two buffers
  bool ended = false;          ///< no more bytes will come
  bool broken = false;         ///< what came is no stream of frames
  int patience_ms = 0;         ///< 0: frames are read as they come
  bool reported = false;       ///< the supervisor has spoken, or is gone
  ProcessEnd result;

  void write_some();
  void read_some();
  void read_patiently();
  std::optional<std::string> next_frame();
  void read_report();
  /// Waits for either descriptor; false when our own deadline has passed.
  bool wait(bool with_channel);
};

}  // namespace plumbline
