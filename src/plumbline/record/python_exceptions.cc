#include "plumbline/record/python_exceptions.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

struct Derived {
  std::string_view kind, base;
};

/// Each builtin exception with the one that it derives from (or is another name of).
constexpr std::array<Derived, 69> kExceptions = {{{"ArithmeticError", "Exception"},
                                                  {"AssertionError", "Exception"},
                                                  {"AttributeError", "Exception"},
                                                  {"BaseException", ""},
                                                  {"BaseExceptionGroup", "BaseException"},
                                                  {"BlockingIOError", "OSError"},
                                                  {"BrokenPipeError", "ConnectionError"},
                                                  {"BufferError", "Exception"},
                                                  {"BytesWarning", "Warning"},
                                                  {"ChildProcessError", "OSError"},
                                                  {"ConnectionAbortedError", "ConnectionError"},
                                                  {"ConnectionError", "OSError"},
                                                  {"ConnectionRefusedError", "ConnectionError"},
                                                  {"ConnectionResetError", "ConnectionError"},
                                                  {"DeprecationWarning", "Warning"},
                                                  {"EOFError", "Exception"},
                                                  {"EncodingWarning", "Warning"},
                                                  {"EnvironmentError", "OSError"},
                                                  {"Exception", "BaseException"},
                                                  {"ExceptionGroup", "BaseExceptionGroup"},
                                                  {"FileExistsError", "OSError"},
                                                  {"FileNotFoundError", "OSError"},
                                                  {"FloatingPointError", "ArithmeticError"},
                                                  {"FutureWarning", "Warning"},
                                                  {"GeneratorExit", "BaseException"},
                                                  {"IOError", "OSError"},
                                                  {"ImportError", "Exception"},
                                                  {"ImportWarning", "Warning"},
                                                  {"IndentationError", "SyntaxError"},
                                                  {"IndexError", "LookupError"},
                                                  {"InterruptedError", "OSError"},
                                                  {"IsADirectoryError", "OSError"},
                                                  {"KeyError", "LookupError"},
                                                  {"KeyboardInterrupt", "BaseException"},
                                                  {"LookupError", "Exception"},
                                                  {"MemoryError", "Exception"},
                                                  {"ModuleNotFoundError", "ImportError"},
                                                  {"NameError", "Exception"},
                                                  {"NotADirectoryError", "OSError"},
                                                  {"NotImplementedError", "RuntimeError"},
                                                  {"OSError", "Exception"},
                                                  {"OverflowError", "ArithmeticError"},
                                                  {"PendingDeprecationWarning", "Warning"},
                                                  {"PermissionError", "OSError"},
                                                  {"ProcessLookupError", "OSError"},
                                                  {"RecursionError", "RuntimeError"},
                                                  {"ReferenceError", "Exception"},
                                                  {"ResourceWarning", "Warning"},
                                                  {"RuntimeError", "Exception"},
                                                  {"RuntimeWarning", "Warning"},
                                                  {"StopAsyncIteration", "Exception"},
                                                  {"StopIteration", "Exception"},
                                                  {"SyntaxError", "Exception"},
                                                  {"SyntaxWarning", "Warning"},
                                                  {"SystemError", "Exception"},
                                                  {"SystemExit", "BaseException"},
                                                  {"TabError", "IndentationError"},
                                                  {"TimeoutError", "OSError"},
                                                  {"TypeError", "Exception"},
                                                  {"UnboundLocalError", "NameError"},
                                                  {"UnicodeDecodeError", "UnicodeError"},
                                                  {"UnicodeEncodeError", "UnicodeError"},
                                                  {"UnicodeError", "ValueError"},
                                                  {"UnicodeTranslateError", "UnicodeError"},
                                                  {"UnicodeWarning", "Warning"},
                                                  {"UserWarning", "Warning"},
                                                  {"ValueError", "Exception"},
                                                  {"Warning", "Exception"},
                                                  {"ZeroDivisionError", "ArithmeticError"}}};

std::string_view base_of(std::string_view kind) {
  const auto found =
      std::find_if(kExceptions.begin(), kExceptions.end(), [&](const Derived& d) { return d.kind == kind; });
  return found == kExceptions.end() ? "" : found->base;
}

}  // namespace

bool is_exception_kind(std::string_view name) {
  return name == "BaseException" || !base_of(name).empty();
}

bool is_kind_of(std::string_view kind, std::string_view base) {
  if (base == "IOError" || base == "EnvironmentError") base = "OSError";
  for (std::string_view at = kind; !at.empty(); at = base_of(at)) {
    if (at == base) return true;
  }
  return false;
}

}  // namespace plumbline
