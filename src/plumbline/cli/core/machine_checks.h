/// What `plumbline check` asks of a machine, whatever the preset.
#pragma once

#include <string>
#include <vector>

#include "plumbline/cli/core/check_line.h"
#include "plumbline/preset/options.h"

namespace plumbline {

/// A GPU as the driver reports it; memory in bytes.
struct VisibleGpu {
  std::string name;
  double memory_bytes = 0, free_bytes = 0;
};

/// GPUs that nvidia-smi lists; empty where there is none. Runs nvidia-smi when a device node is there.
std::vector<VisibleGpu> visible_gpus();

/// Free bytes of the file system that holds `path`, or its nearest existing parent.
double free_disk_bytes(const std::string& path);

/// Can a folder or file be made at `path`? Tried with a file of no bytes in the nearest existing parent, then removed.
bool can_be_written(const std::string& path);

/// cores, memory, cache, disk, GPU, engine, Python for graded code, isolation; in that order.
/// `out` is where runs will be written, `device` is RunOptions::device.
std::vector<CheckLine> check_machine(const GradeOptions& grade, const std::string& device, const std::string& out);

}  // namespace plumbline
