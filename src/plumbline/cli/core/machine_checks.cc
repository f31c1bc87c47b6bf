#include "plumbline/cli/core/machine_checks.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/sandbox/isolation.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/verify/memory_budget.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kLeastMemoryBytes = 1 * kGib;
constexpr double kLeastDiskBytes = 1 * kGib;

fs::path nearest_existing(const fs::path& path) {
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored);
  while (!fs::exists(at, ignored) && at.has_parent_path() && at != at.parent_path()) at = at.parent_path();
  return at;
}

/// stdout of a program whose arguments are ours; empty when it cannot be run or fails.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>/dev/null").c_str(), "re"), ::pclose);
  if (!pipe) return "";
  std::string out;
  std::array<char, 4096> buffer;
  for (size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) {
    out.append(buffer.data(), count);
  }
  return out;
}

/// In single quotes for /bin/sh.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char character : text) out += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return out + "'";
}

CheckLine check_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int usable = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return check_ok("cores", std::to_string(usable));
}

CheckLine check_memory() {
  const double available = static_cast<double>(available_memory_bytes());
  const std::string found = format_bytes(available) + " available";
  if (available >= kLeastMemoryBytes) return check_ok("memory", found);
  return check_fail("memory", found, "at least " + format_bytes(kLeastMemoryBytes) + " is needed");
}

CheckLine check_folder(const std::string& name, const std::string& path) {
  const double free = free_disk_bytes(path);
  const std::string found = fmt::format("{} ({} free)", path, format_bytes(free));
  if (!can_be_written(path)) return check_fail(name, path + " cannot be written", "choose another folder");
  if (free < kLeastDiskBytes) return check_fail(name, found, "free at least " + format_bytes(kLeastDiskBytes));
  return check_ok(name, found);
}

CheckLine check_gpu(const std::string& device) {
  const bool demanded = device.starts_with("cuda");
  const std::vector<VisibleGpu> gpus = visible_gpus();
  if (gpus.empty()) {
    if (demanded) return check_fail("gpu", "none visible and run.device = " + device, "set run.device = auto");
    return check_skip("gpu", "none visible; the CPU is used");
  }
  std::string found;
  for (const VisibleGpu& gpu : gpus) {
    found += fmt::format("{}{} ({} free of {})", found.empty() ? "" : ", ", gpu.name, format_bytes(gpu.free_bytes),
                         format_bytes(gpu.memory_bytes));
  }
#ifndef PLUMBLINE_WITH_CUDA
  const std::string next_step = "this build is for the CPU; make build PRESET=cuda uses the GPU";
  return demanded ? check_fail("gpu", found, next_step) : check_skip("gpu", found, next_step);
#else
  return check_ok("gpu", found);
#endif
}

CheckLine check_engine() {
  const std::string path = executable_folder() + "/plumbline-engine";
  if (::access(path.c_str(), X_OK) == 0) return check_ok("engine", path);
  return check_fail("engine", "plumbline-engine is not beside plumbline", "run make build; grading works without it");
}

CheckLine check_python(const std::string& python) {
  const std::string version =
      output_of(shell_quoted(python) + " -I -S -c 'import sys; print(\"%d.%d.%d\" % sys.version_info[:3])'");
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) {
    return check_fail("python", python + " does not run", "install python3 or set grade.python");
  }
  const std::string found = python + " " + version.substr(0, version.find('\n'));
  if (major != 3 || minor < 9) return check_fail("python", found, "graded code needs Python 3.9 or later");
  return check_ok("python", found);
}

/// A dry run of a real submission: what grading will find, not what settings promise.
CheckLine check_isolation(const GradeOptions& grade) {
  const IsolationLevel minimum = parse_isolation_level(grade.min_isolation, "grade.min_isolation");
  const Isolation isolation = probe_isolation(grade.python, minimum);
  const char* why = isolation.level == IsolationLevel::kLimits ? "a trial submission ran, not confined"
                                                               : "a trial submission ran and found itself confined";
  std::string found = fmt::format("{}: {} (grade.min_isolation = {})", isolation.description, why, grade.min_isolation);
  if (!isolation.why_not_stronger.empty()) found += "; not stronger: " + isolation.why_not_stronger;
  return check_ok("isolation", found);
}

}  // namespace

std::vector<VisibleGpu> visible_gpus() {
  std::vector<VisibleGpu> gpus;
  // nvidia-smi may be installed where there is no GPU; it takes a second to say so.
  if (!fs::exists("/dev/nvidiactl")) return gpus;
  std::istringstream lines(
      output_of("nvidia-smi --query-gpu=name,memory.total,memory.free --format=csv,noheader,nounits"));
  for (std::string line; std::getline(lines, line);) {
    const size_t last = line.rfind(','), first = last == 0 ? last : line.rfind(',', last - 1);
    if (last == std::string::npos || first == std::string::npos || first == last) continue;
    double total_mib = 0, free_mib = 0;
    std::istringstream(line.substr(first + 1)) >> total_mib;
    std::istringstream(line.substr(last + 1)) >> free_mib;
    gpus.push_back({line.substr(0, first), total_mib * 1024 * 1024, free_mib * 1024 * 1024});
  }
  return gpus;
}

double free_disk_bytes(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(nearest_existing(path).c_str(), &info) != 0) return 0;
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
}

bool can_be_written(const std::string& path) {
  // access() says yes to root even on a read-only file system: only a file that was made proves it.
  std::string probe = (nearest_existing(path) / ".plumbline-check-XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  if (file < 0) return false;
  ::close(file);
  ::unlink(probe.c_str());
  return true;
}

std::vector<CheckLine> check_machine(const GradeOptions& grade, const std::string& device, const std::string& out) {
  return {check_cores(),
          check_memory(),
          check_folder("cache", cache_folder()),
          check_folder("output", out),
          check_gpu(device),
          check_engine(),
          check_python(grade.python),
          guarded("isolation", [&] { return check_isolation(grade); })};
}

}  // namespace plumbline
