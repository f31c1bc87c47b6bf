/// Files of runs with bytes flipped, cut and doubled: the report names what it cannot read and never stops for it.
#include <gtest/gtest.h>

#include <fstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/rng.h"
#include "plumbline/report/results_table.h"
#include "plumbline/report/run_report.h"
#include "tests/support/simulated_runs.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

constexpr int kMutations = 60;  // of each file

void overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string mutated(const std::string& text, CounterRng& rng) {
  std::string changed = text;
  const auto place = [&] { return static_cast<size_t>(rng.next_below(changed.size())); };
  static constexpr char kBytes[] = "0-9e\"{}[],:\t\n\\<\x00\xff";
  for (uint64_t edits = 1 + rng.next_below(3); edits > 0 && !changed.empty(); --edits) {
    const size_t at = place();
    switch (rng.next_below(4)) {
      case 0:
        changed[at] = kBytes[rng.next_below(sizeof(kBytes) - 1)];
        break;
      case 1:
        changed.erase(at, 1 + rng.next_below(20));
        break;
      case 2:
        changed.insert(at, changed.substr(place(), rng.next_below(40)));
        break;
      default:
        changed.insert(at, "1e308");
    }
  }
  return changed;
}

TEST(MutatedRuns, TheReportNamesWhatItCannotReadAndGoesOn) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe;
  probe.arms = {{"vanilla", 0.9, 0.2}, {"projected", 0.1, 0.3}, {"haar", 0.5, 0.2}};
  probe.seeds = {1, 2};
  probe.num_steps = 6;
  probe.evaluate_every = 3;
  const std::string out = folder.file("p");
  write_probe(out, probe);
  CounterRng rng(StreamKey{.seed = 11});
  int damaged = 0;
  for (const char* name : {"arms/vanilla-s1/steps.tsv", "arms/vanilla-s1/eval.jsonl", "arms/vanilla-s1/rollouts.jsonl",
                           "arms/vanilla-s1/provenance.json", "gates.json", "provenance.json"}) {
    const std::string path = out + "/" + name, intact = read_file(path);
    for (int i = 0; i < kMutations; ++i) {
      overwrite(path, mutated(intact, rng));
      const RunSet set = read_run_set({out});
      damaged += set.runs[0].state == RunState::kUnreadable || !set.probes[0].problem.empty();
      const std::string page = report_page(set);
      EXPECT_EQ(page.find("<script"), std::string::npos);
      for (const char* number : {">nan", "Lnan", " nan", "inf "})
        EXPECT_EQ(page.find(number), std::string::npos) << name;
      EXPECT_FALSE(results_markdown(set).empty());
    }
    overwrite(path, intact);
  }
  EXPECT_GT(damaged, kMutations) << "the mutations hardly touch anything";
}

TEST(MutatedRuns, ABrokenPresetOfAnArmIsNamedAndThatOfAProbeRefused) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe;
  probe.arms = {{"vanilla", 0.9, 0.2}};
  probe.seeds = {1};
  probe.num_steps = 3;
  const std::string out = folder.file("p"), of_arm = out + "/arms/vanilla-s1/resolved.toml";
  write_probe(out, probe);
  const std::string intact = read_file(of_arm);
  CounterRng rng(StreamKey{.seed = 12});
  for (int i = 0; i < 200; ++i) {
    overwrite(of_arm, mutated(intact, rng));
    EXPECT_FALSE(report_page(read_run_set({out})).empty());
  }
  for (int i = 0; i < 200; ++i) {
    overwrite(out + "/resolved.toml", mutated(intact, rng));
    try {
      report_page(read_run_set({out}));
    } catch (const Error& error) {
      EXPECT_TRUE(error.id() == "config.toml_syntax" || error.id() == "data.too_many_runs") << error.line();
    }
  }
}

}  // namespace
}  // namespace plumbline
