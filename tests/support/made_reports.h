/// Evaluation reports (eval.v1) made by rule: healthy ones, into which a test puts its one fault.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace plumbline::test {

/// `num_items` items; the base passes every fourth, the candidate also those i with (i + seed) % 4 in {1, 2}.
/// Everything is computed from the rows.
struct MadeReport {
  std::string task = "code";
  int64_t seed = 0;
  int num_items = 80;
  std::function<bool(int)> base_passes = [](int i) { return i % 4 == 0; };
  /// Gets the item; unset means the rule above.
  std::function<bool(int)> candidate_passes = nullptr;
};

nlohmann::ordered_json made_report(const MadeReport& recipe);

/// States the means of the rows again, after a test has changed rows.
void restate(nlohmann::ordered_json& report);

/// Of other items: the pin and the split say it.
void set_split(nlohmann::ordered_json& report, const std::string& hash);

}  // namespace plumbline::test
