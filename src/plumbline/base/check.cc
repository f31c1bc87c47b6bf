#include "plumbline/base/check.h"

#include <cstring>

#include "plumbline/base/error.h"

namespace plumbline {

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  const char* tail = std::strstr(file, "plumbline/");
  throw InternalError("internal.check", message + " [" + condition + "]",
                      std::string(tail ? tail : file) + ":" + std::to_string(line),
                      "this is a bug in plumbline; please report it with the command line");
}

}  // namespace plumbline
