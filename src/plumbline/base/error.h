/// Errors are thrown; expected outcomes are values. Every error carries a stable id, a place and a next step, and
/// maps to one documented exit code. Foreign exceptions are wrapped once, at the boundary where they arise.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

/// Process exit codes; the meaning is part of the stable surface (docs/reference/exit_codes.md).
enum class ExitCode : int {
  kOk = 0,
  kGateFailed = 1,    ///< a check, gate or diagnosis failed
  kConfig = 2,        ///< usage or configuration
  kData = 3,          ///< input data or files
  kNumeric = 4,       ///< non-finite numbers
  kSandbox = 5,       ///< sandbox or isolation
  kRemote = 6,        ///< judge, hub
  kInternal = 70,     ///< a bug of ours
  kInterrupted = 130  ///< stopped by the user, state saved
};

/// Base of all errors. `id` is stable ("config.unknown_key"); `where` names a file, line, column, byte offset or
/// tensor; `next_step` says what the user can do. Both may be empty only where there is nothing to say.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, std::string id, std::string message, std::string where, std::string next_step);

  const std::string& id() const { return id_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& next_step() const { return next_step_; }
  ExitCode exit_code() const { return exit_code_; }
  /// The one line a user sees: "id: message (where); next step". Control characters are escaped.
  std::string line() const;

 private:
  ExitCode exit_code_;
  std::string id_, message_, where_, next_step_;
};

/// Usage, preset or option errors; `where` is "file:line:column" or the option.
struct ConfigError : Error {
  ConfigError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kConfig, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// Unreadable, malformed or mismatching input; `where` is a path with a line or byte offset.
struct DataError : Error {
  DataError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kData, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// Tensor shapes that do not fit; always caused by input, since our own are checked with PL_CHECK.
struct ShapeError : Error {
  ShapeError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kData, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// Non-finite numbers; `where` names the step and the tensor.
struct NumericError : Error {
  NumericError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kNumeric, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// Isolation that is not there, a server that cannot be started.
struct SandboxError : Error {
  SandboxError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kSandbox, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
struct RemoteError : Error {
  RemoteError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kRemote, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// A broken promise of our own code; thrown by PL_CHECK.
struct InternalError : Error {
  InternalError(std::string id, std::string message, std::string where = "", std::string next_step = "")
      : Error(ExitCode::kInternal, std::move(id), std::move(message), std::move(where), std::move(next_step)) {}
};
/// Ctrl-C after the state was saved; `message` says where and how to go on.
struct Interrupted : Error {
  explicit Interrupted(std::string message)
      : Error(ExitCode::kInterrupted, "interrupted", std::move(message), "", "") {}
};

/// Replaces control characters (ESC, CR, ... and C1), separators of lines and characters that turn the direction of
/// writing or show nothing by visible escapes, so that hostile text can neither drive a terminal nor read as something
/// else than it is.
/// `keep_newlines` leaves \n and \t alone.
std::string escape_control(std::string_view text, bool keep_newlines = false);

}  // namespace plumbline
