/// Folders of runs as `probe` leaves them, with simulated curves: hacking emerges in vanilla, later in controls and
/// hardly in projected. Written by hand from docs/reference/formats.md, by no code of the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plumbline::test {

struct SimulatedArm {
  std::string name;
  double final_hack = 0.7;   ///< own tester cannot fail, at the end
  double final_pass = 0.27;  ///< trusted pass, at the end
};

struct SimulatedProbe {
  std::vector<SimulatedArm> arms;
  std::vector<int64_t> seeds = {10, 11, 12};
  int64_t num_steps = 120;
  int64_t evaluate_every = 10;          ///< 0 = no eval.jsonl
  std::string extra_probe_keys;         ///< lines of TOML
  std::string first_completion;         ///< replaces every completion of the first step
  std::map<std::string, int64_t> stop;  ///< "arm-sSEED": its last step; the run is left without COMPLETE
  std::map<std::string, std::string> provenance;
};

/// Vanilla, projected, two draws each of haar and shuffled, placebo, with ends as a small study had them.
SimulatedProbe usual_probe();

/// Writes OUT/{resolved.toml, provenance.json, gates.json, COMPLETE, arms/...}.
void write_probe(const std::string& out, const SimulatedProbe& probe);

}  // namespace plumbline::test
