#include "tests/fuzz/fuzz_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace plumbline::test {

std::string file_of(std::string_view bytes) {
  static thread_local const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, 0) != 0) throw std::runtime_error("no file in memory");
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count <= 0) throw std::runtime_error("a file in memory cannot be written");
    done += static_cast<size_t>(count);
  }
  return "/proc/self/fd/" + std::to_string(file);
}

void keep(unsigned value) {
  static volatile unsigned kept = 0;
  kept = kept + value;
}

}  // namespace plumbline::test
