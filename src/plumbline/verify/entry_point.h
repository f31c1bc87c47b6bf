/// "Solution().two_sum" or "f", taken apart.
#pragma once

#include <string>

namespace plumbline {

struct EntryPoint {
  std::string owner;   ///< class; empty for a plain function
  std::string method;  ///< method or function
};

EntryPoint parse_entry_point(const std::string& text);

/// A program that defines the entry point to take anything and return 0.
std::string stub_source(const EntryPoint& entry);

}  // namespace plumbline
