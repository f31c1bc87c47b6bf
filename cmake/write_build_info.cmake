# Writes the commit of the source tree into a source file, and only when it has changed, so that a build of the same
# commit compiles nothing.
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE failed)
set(dirty false)
if(failed)
  set(commit unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [=[
#include "plumbline/base/build_info.h"

namespace plumbline {
const BuildInfo& build_info() {
  static const BuildInfo info{"@VERSION@", "@commit@", @dirty@};
  return info;
}
}  // namespace plumbline
]=] @ONLY)
