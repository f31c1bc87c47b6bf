/// Damaged reports, plans and item files end in an error of ours or in a decision, never in a crash.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/compare/decision.h"
#include "plumbline/compare/judgement_json.h"
#include "plumbline/compare/judgement_page.h"
#include "tests/support/made_reports.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

void try_report(const test::TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.write("r.json", text);
  try {
    const std::vector<EvalReport> reports = {read_eval_report(path)};
    const Judgement judgement = judge(reports, {});
    EXPECT_FALSE(judgement_json(judgement, {}).dump(-1, ' ', false, Json::error_handler_t::replace).empty());
    EXPECT_FALSE(judgement_html(judgement, {}).empty());
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
}

TEST(MutatedReports, BytesChangedAnywhere) {
  const test::TemporaryFolder folder;
  const std::string healthy = test::made_report({.num_items = 6}).dump();
  CounterRng rng({.seed = 3});
  for (int trial = 0; trial < 1500; ++trial) {
    std::string text = healthy;
    for (uint64_t change = 0; change <= rng.next_below(3); ++change) {
      text[rng.next_below(text.size())] = static_cast<char>(rng.next_below(256));
    }
    if (trial % 5 == 0) text.resize(rng.next_below(text.size()));
    try_report(folder, text);
  }
}

/// Replaces the value at a random place of the tree.
void damage(Json& value, CounterRng& rng) {
  static const std::vector<Json> kOdd = {nullptr,
                                         true,
                                         -1,
                                         1e308,
                                         "",
                                         "text",
                                         Json::array(),
                                         Json::object(),
                                         INT64_MIN,
                                         UINT64_MAX,
                                         "\x1b[0m",
                                         0.5,
                                         Json::array({Json::array()})};
  Json* at = &value;
  while (at->is_structured() && !at->empty() && rng.next_below(6) != 0) {
    auto member = at->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(rng.next_below(at->size())));
    at = &*member;
  }
  *at = kOdd[rng.next_below(kOdd.size())];
}

TEST(MutatedReports, ValuesChangedAnywhere) {
  const test::TemporaryFolder folder;
  const Json healthy = test::made_report({.task = "step", .num_items = 5});
  CounterRng rng({.seed = 4});
  for (int trial = 0; trial < 2500; ++trial) {
    Json report = healthy;
    damage(report, rng);
    if (trial % 3 == 0) damage(report, rng);
    try_report(folder, report.dump());
  }
}

TEST(MutatedReports, PlansOfAnyBytes) {
  const std::string healthy =
      "[tasks]\nheadline = ['code']\nseeds = [0, 1]\n[gates]\nmin_effect = 0.03\nmin_seeds = 3\n";
  CounterRng rng({.seed = 5});
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = healthy;
    text[rng.next_below(text.size())] = static_cast<char>(rng.next_below(256));
    try {
      parse_plan(text, "p");
    } catch (const ConfigError&) {
    }
  }
}

TEST(MutatedReports, ManyItemsOfOnePromptAreNoDeepRecursion) {
  Json report = test::made_report({.num_items = 20000});
  for (const char* arm : {"base", "candidate"}) {
    for (Json& row : report["rows"][arm]) row["prompt_hash"] = "same";
  }
  const test::TemporaryFolder folder;
  try_report(folder, report.dump());
}

}  // namespace
}  // namespace plumbline
