/// Which source this binary was built from. Enters provenance.json, never a result.
#pragma once

#include <string>

namespace plumbline {

struct BuildInfo {
  std::string version, commit;
  bool dirty;  ///< tracked files differed from the commit when this was built
};

const BuildInfo& build_info();

}  // namespace plumbline
