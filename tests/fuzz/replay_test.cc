/// What fuzzing needs no fuzzer for: every seed and every input that once hurt, and seeded mutations of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "plumbline/base/clock.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/rng.h"
#include "tests/fuzz/targets.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

constexpr double kMutations_s = 1.5;
constexpr double kSlowest_s = 5;  // libFuzzer's -timeout in tools/fuzz.sh

struct Input {
  std::string path, bytes;
};

std::vector<Input> inputs_of(const std::string& kind, const std::string& target) {
  std::vector<Input> inputs;
  const std::string folder = test::source_path("tests/fuzz/" + kind + "/" + target);
  if (!std::filesystem::exists(folder)) return inputs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    inputs.push_back({entry.path().string(), read_file(entry.path().string())});
  }
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
  return inputs;
}

/// A few small changes: bytes, cuts, repetitions, pieces of another input.
std::string mutated(const std::string& seed, const std::string& other, CounterRng& rng) {
  static const std::string kBytes = "{}[]()\"'\\,:$=#-+.eE019%|~ \n\0\x7f\x80\xc2\xf4\xff";
  std::string bytes = seed;
  for (uint64_t change = 0, count = 1 + rng.next_below(4); change < count && !bytes.empty(); ++change) {
    const size_t at = rng.next_below(bytes.size());
    switch (rng.next_below(5)) {
      case 0:
        bytes[at] = kBytes[rng.next_below(kBytes.size())];
        break;
      case 1:
        bytes[at] = static_cast<char>(rng.next_below(256));
        break;
      case 2:
        bytes.erase(at, 1 + rng.next_below(8));
        break;
      case 3:
        bytes.insert(at, bytes.substr(rng.next_below(bytes.size()), 1 + rng.next_below(64)));
        break;
      default:
        if (!other.empty()) bytes.insert(at, other.substr(rng.next_below(other.size()), 1 + rng.next_below(32)));
    }
  }
  return bytes;
}

class Fuzz : public ::testing::TestWithParam<test::FuzzTarget> {};

TEST_P(Fuzz, SeedsAndKeptInputs) {
  const std::vector<Input> seeds = inputs_of("corpus", GetParam().name);
  ASSERT_FALSE(seeds.empty());
  for (const auto& inputs : {seeds, inputs_of("kept", GetParam().name)}) {
    for (const Input& input : inputs) {
      const double start_s = now_s();
      EXPECT_NO_THROW(GetParam().run(input.bytes)) << input.path;
      EXPECT_LT(now_s() - start_s, kSlowest_s) << input.path;
    }
  }
}

TEST_P(Fuzz, SeededMutations) {
  std::vector<Input> seeds = inputs_of("corpus", GetParam().name);
  for (Input& kept : inputs_of("kept", GetParam().name)) {
    if (kept.bytes.size() < 4096) seeds.push_back(std::move(kept));
  }
  ASSERT_FALSE(seeds.empty());
  CounterRng rng({.seed = 20261130});
  const double start_s = now_s();
  for (int round = 0; now_s() - start_s < kMutations_s; ++round) {
    const std::string bytes =
        mutated(seeds[rng.next_below(seeds.size())].bytes, seeds[rng.next_below(seeds.size())].bytes, rng);
    ASSERT_NO_THROW(GetParam().run(bytes)) << "round " << round << ": " << ::testing::PrintToString(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Parsers, Fuzz, ::testing::ValuesIn(test::kFuzzTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace plumbline
