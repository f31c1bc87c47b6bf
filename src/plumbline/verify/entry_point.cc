#include "plumbline/verify/entry_point.h"

namespace plumbline {

EntryPoint parse_entry_point(const std::string& text) {
  const size_t call = text.find("().");
  if (call == std::string::npos) return {"", text};
  return {text.substr(0, call), text.substr(call + 3)};
}

std::string stub_source(const EntryPoint& entry) {
  if (entry.owner.empty()) return "def " + entry.method + "(*args, **kwargs):\n    return 0\n";
  return "class " + entry.owner + ":\n    def " + entry.method + "(self, *args, **kwargs):\n        return 0\n";
}

}  // namespace plumbline
