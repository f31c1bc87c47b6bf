#include "plumbline/base/resident_memory.h"

#include <unistd.h>

#include <fstream>

namespace plumbline {

std::optional<double> resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double whole_pages = 0, resident_pages = 0;
  if (!(statm >> whole_pages >> resident_pages)) return std::nullopt;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace plumbline
