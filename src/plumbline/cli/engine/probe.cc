/// probe PRESET: the whole job. probe --resume DIR finishes the arms that are not complete.
#include "plumbline/run/probe.h"

#include "plumbline/cli/engine/preset_verb.h"
#include "plumbline/cli/engine/verbs.h"

namespace plumbline {

int probe_main(const std::vector<std::string>& words) {
  return run_resumable_verb(
      "probe", "check, extract, verify, train every arm, gates, summary", words,
      [](const Preset& preset, const std::string& out) { return probe(preset, out); },
      [](const Preset& preset, const std::string& folder) { return resume_probe(preset, folder); });
}

}  // namespace plumbline
