/// The native half of the warm server as a shared object, carried inside this library (sandbox/native/launcher.cc).
#pragma once

#include <string_view>

namespace plumbline {

/// The bytes of the ELF file.
std::string_view native_module();

}  // namespace plumbline
