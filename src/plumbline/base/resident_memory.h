/// Memory of this process.
#pragma once

#include <optional>

namespace plumbline {

/// Resident memory in MiB as the kernel counts it; unset where there is no /proc.
std::optional<double> resident_mib();

}  // namespace plumbline
