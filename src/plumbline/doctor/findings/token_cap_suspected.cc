/// Completions pile up at the token limit.
#include <algorithm>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kLeastPoints = 4, kLeastRows = 20;
constexpr double kMostly = 0.5;

void check(const Evidence& evidence, FindingSink& out) {
  for (const TrainingLog& log : evidence.logs) {
    const auto* clipped = log.find("clipped");
    if (!clipped || clipped->size() < kLeastPoints) continue;
    const double median = window_median(*clipped, 0, clipped->size());
    if (median < kMostly) continue;
    Facts facts = {{"median_share_at_the_limit", median}, {"logged_steps", static_cast<int64_t>(clipped->size())}};
    if (const auto* length = log.find("length"))
      facts.emplace_back("mean_length_tokens", window_mean(*length, 0, length->size()));
    out.add(log.where, std::move(facts));
  }
  for (const Evaluation& report : evidence.evaluations) {
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm || arm->rows.size() < kLeastRows) continue;
      int64_t cut = 0;
      int32_t longest = -1;
      for (const ItemRow& row : arm->rows) {
        longest = std::max(longest, row.tokens);
        cut += row.cut == Known::kYes ||
               (row.cut == Known::kUnknown && report.max_new_tokens && row.tokens >= *report.max_new_tokens);
      }
      if (static_cast<double>(cut) < kMostly * static_cast<double>(arm->rows.size())) continue;
      Facts facts = {
          {"arm", arm->name}, {"completions", static_cast<int64_t>(arm->rows.size())}, {"at_the_limit", cut}};
      if (longest >= 0) facts.emplace_back("longest_tokens", static_cast<int64_t>(longest));
      if (report.max_new_tokens) facts.emplace_back("limit_tokens", *report.max_new_tokens);
      out.add(report.where, std::move(facts));
    }
  }
}

}  // namespace

const FindingKind kTokenCapSuspected = {
    "token_cap_suspected",
    Severity::kWarning,
    "Most completions end exactly at the token limit. The model does not stop by itself, or the limit is too low; "
    "length, stop tokens and rewards are then set by the limit.",
    "Raise the limit, and check the stop tokens: the union of generation config, tokenizer and template.",
    {"truncation_confound", "no_code_block"},
    check};

}  // namespace plumbline::doctor
