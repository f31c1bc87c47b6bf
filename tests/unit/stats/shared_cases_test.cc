/// Every case of ../shared/cases/stats within its tolerance, and every degenerate input refused with its kind of error.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/stats/agreement.h"
#include "plumbline/stats/bootstrap.h"
#include "plumbline/stats/confidence_sequence.h"
#include "plumbline/stats/exact_test.h"
#include "plumbline/stats/granularity.h"
#include "plumbline/stats/moments.h"
#include "plumbline/stats/multiplicity.h"
#include "plumbline/stats/paired_binary.h"
#include "plumbline/stats/paired_test.h"
#include "plumbline/stats/pass_at_k.h"
#include "plumbline/stats/power.h"
#include "plumbline/stats/python_random.h"
#include "plumbline/stats/rank_correlation.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

std::vector<double> numbers(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array) values.push_back(value.is_string() ? NAN : value.get<double>());
  return values;
}

std::vector<std::string> labels(const Json& array) {
  std::vector<std::string> values;
  for (const Json& value : array) values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  return values;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json rate_answer(const Json& in, Interval (*interval_of)(int64_t, int64_t, double)) {
  const int64_t k = in["k"], n = in["n"];
  const Interval interval = interval_of(k, n, 1 - in["alpha"].get<double>());
  return {{"rate", static_cast<double>(k) / static_cast<double>(n)}, {"lo", interval.low}, {"hi", interval.high}};
}

Json paired_t_answer(const Json& in) {
  const SeedTest test = seed_t_test(numbers(in["deltas"]));
  return {{"mean", test.mean},
          {"sd", test.sd},
          {"df", test.num_seeds - 1},
          {"t", or_null(test.t)},
          {"p", or_null(test.p)},
          {"lo", test.interval ? Json(test.interval->low) : Json()},
          {"hi", test.interval ? Json(test.interval->high) : Json()}};
}

Json seed_summary_answer(const Json& in) {
  const std::vector<double> base = numbers(in["base"]);
  std::vector<double> deltas, p_values;
  bool is_binary = true;
  for (const Json& candidate_row : in["candidates"]) {
    const std::vector<double> candidate = numbers(candidate_row);
    deltas.push_back(mean_of(candidate) - mean_of(base));
    try {
      const PairedCounts counts = count_pairs(base, candidate);
      p_values.push_back(mcnemar_exact(counts.base_only, counts.candidate_only));
    } catch (const DataError&) {
      is_binary = false;
    }
  }
  Json answer = {{"deltas", deltas}, {"mean_delta", mean_of(deltas)}};
  answer["mcnemar_p"] = is_binary ? Json(p_values) : Json();
  if (deltas.size() >= 3) {
    const SeedTest test = seed_t_test(deltas);
    answer["t_lo"] = test.interval->low;
    answer["t_hi"] = test.interval->high;
    answer["t_p"] = *test.p;
  }
  return answer;
}

Json clustered_answer(const Json& in) {
  const std::vector<Cluster> clusters = clusters_of(labels(in["items"]), numbers(in["differences"]));
  const Interval interval = percentile_bootstrap(clusters, in["resamples"].get<int64_t>());
  return {{"mean", mean_of(clusters)}, {"clusters", clusters.size()}, {"lo", interval.low}, {"hi", interval.high}};
}

Json bootstrap_answer(const Json& in) {
  const std::vector<double> differences = numbers(in["differences"]);
  const Interval interval =
      percentile_bootstrap(differences, in["resamples"].get<int64_t>(), in["seed"].get<uint64_t>());
  return {{"mean", mean_of(differences)}, {"lo", interval.low}, {"hi", interval.high}};
}

Json sequence_answer(const Json& in) {
  const std::vector<double> differences = numbers(in["differences"]);
  const Interval interval = confidence_sequence(differences);
  const double sd = sample_sd(differences);
  return {{"mean", mean_of(differences)},
          {"s", sd},
          {"radius", confidence_sequence_radius(static_cast<int64_t>(differences.size()), sd)},
          {"lo", interval.low},
          {"hi", interval.high}};
}

Json holm_answer(const Json& in) {
  const std::vector<double> adjusted = holm_adjusted(numbers(in["p"]));
  Json rejected = Json::array();
  for (const double p : adjusted) rejected.push_back(p <= in["alpha"].get<double>());
  return {{"adjusted", adjusted}, {"rejected", rejected}};
}

Json pass_at_k_mean_answer(const Json& in) {
  std::vector<double> values;
  for (const Json& item : in["items"]) values.push_back(pass_at_k(item[0], item[1], in["k"]));
  return {{"value", mean_of(values)}};
}

Json agreement_answer(const Json& in) {
  const Agreement result = agreement_of(labels(in["rater_a"]), labels(in["rater_b"]));
  return {{"n", result.num_items},
          {"observed", result.observed},
          {"kappa", or_null(result.kappa)},
          {"pabak", result.pabak}};
}

Json mcnemar_answer(const Json& in) {
  const PairedCounts counts = count_pairs(numbers(in["base"]), numbers(in["candidate"]));
  return {{"base_only", counts.base_only},
          {"candidate_only", counts.candidate_only},
          {"p", mcnemar_exact(counts.base_only, counts.candidate_only)}};
}

Json draws_answer(const Json& in, bool whole_words) {
  PythonRandom random(in["seed"].get<uint64_t>());
  Json values = Json::array();
  for (int i = 0; i < (whole_words ? 8 : in["count"].get<int>()); ++i) {
    values.push_back(whole_words ? random.next_u32() : random.next_below(in["n"].get<uint32_t>()));
  }
  return {{whole_words ? "getrandbits_32" : "values", values}};
}

const std::map<std::string, std::function<Json(const Json&)>>& answers() {
  static const std::map<std::string, std::function<Json(const Json&)>> table = {
      {"mcnemar_exact", mcnemar_answer},
      {"wilson", [](const Json& in) { return rate_answer(in, wilson_interval); }},
      {"clopper_pearson", [](const Json& in) { return rate_answer(in, clopper_pearson_interval); }},
      {"binomial_two_sided",
       [](const Json& in) {
         return Json{{"p", binomial_test(in["k"], in["n"], in["p0"])}};
       }},
      {"paired_t", paired_t_answer},
      {"agreement", agreement_answer},
      {"holm", holm_answer},
      {"pass_at_k",
       [](const Json& in) {
         return Json{{"value", pass_at_k(in["n"], in["c"], in["k"])}};
       }},
      {"pass_at_k_mean", pass_at_k_mean_answer},
      {"mde",
       [](const Json& in) {
         return Json{{"value", minimum_detectable_effect(in["n"], in["rho"])}};
       }},
      {"required_n",
       [](const Json& in) {
         return Json{{"value", required_n(in["mde"], in["rho"])}};
       }},
      {"cs_radius",
       [](const Json& in) {
         return Json{{"value", confidence_sequence_radius(in["n"], in["s"])}};
       }},
      {"cs_interval", sequence_answer},
      {"spearman",
       [](const Json& in) {
         const RankCorrelation result = spearman(numbers(in["x"]), numbers(in["y"]));
         return Json{{"rho", result.rho}, {"p", result.p}};
       }},
      {"mt19937", [](const Json& in) { return draws_answer(in, true); }},
      {"randrange", [](const Json& in) { return draws_answer(in, false); }},
      {"bootstrap_recipe", bootstrap_answer},
      {"bootstrap_clustered", clustered_answer},
      {"seed_summary", seed_summary_answer},
      {"granularity",
       [](const Json& in) {
         return Json{{"possible", is_possible_mean(in["value"], in["n"], numbers(in["rewards"]), in["decimals"])}};
       }},
      {"effective_n",
       [](const Json& in) {
         return Json{{"n", in["prompts"].size()}, {"effective_n", num_distinct(labels(in["prompts"]))}};
       }},
      {"mean",
       [](const Json& in) {
         return Json{{"value", mean_of(numbers(in["values"]))}};
       }},
  };
  return table;
}

/// The id of the error behind each kind of the cases.
const std::map<std::string, std::string> kErrorIds = {
    {"empty", "data.no_values"},      {"too_few", "data.too_few_values"}, {"unpaired", "data.unpaired"},
    {"domain", "data.out_of_domain"}, {"undefined", "data.undefined"},    {"not_finite", "data.not_finite"}};

void expect_close(const Json& got, const Json& expected, double tolerance, const std::string& name) {
  if (expected.is_array()) {
    ASSERT_TRUE(got.is_array() && got.size() == expected.size()) << name << ": " << got;
    for (size_t i = 0; i < expected.size(); ++i) expect_close(got[i], expected[i], tolerance, name);
  } else if (expected.is_number() && tolerance > 0) {
    ASSERT_TRUE(got.is_number()) << name << ": " << got;
    EXPECT_NEAR(got.get<double>(), expected.get<double>(), tolerance) << name;
  } else {
    EXPECT_EQ(got, expected) << name;
  }
}

void expect_in_band(const Json& got, const Json& band, double tolerance, const std::string& name) {
  EXPECT_GE(got.get<double>(), band[0].get<double>() - tolerance) << name;
  EXPECT_LE(got.get<double>(), band[1].get<double>() + tolerance) << name;
}

void check_case(const Json& row) {
  const std::string name = row["case"], stat = row["stat"];
  const Json& expected = row["expected"];
  ASSERT_TRUE(answers().count(stat)) << stat;
  if (expected.contains("error")) {
    try {
      ADD_FAILURE() << name << " answers " << answers().at(stat)(row["input"]);
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), kErrorIds.at(expected["error"])) << name;
    }
    return;
  }
  const Json got = answers().at(stat)(row["input"]);
  const double tolerance = row["tolerance"];
  for (const auto& [key, value] : expected.items()) {
    if (key == "lo_band") {
      expect_in_band(got["lo"], value, tolerance, name);
    } else if (key == "hi_band") {
      expect_in_band(got["hi"], value, tolerance, name);
    } else if (key != "reference" && key != "unclustered_reference") {
      expect_close(got[key], value, tolerance, name + ": " + key);
    }
  }
}

TEST(SharedStatisticsCases, EveryNumberWithinItsTolerance) {
  PL_NEED_SHARED("cases/stats/cases.jsonl");
  const std::string path = test::shared_path("cases/stats/cases.jsonl");
  std::istringstream lines(read_file(path));
  int num_cases = 0;
  for (std::string line; std::getline(lines, line); ++num_cases) check_case(parse_json(line, path));
  EXPECT_EQ(num_cases, 138);
}

}  // namespace
}  // namespace plumbline
