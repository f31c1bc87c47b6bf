/// Different seeds whose candidate rows are the same, or one file under two names.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kLeastRows = 3, kLeastTextless = 20, kLeastDistinct = 4;

bool is_in(const std::string& where, const std::string& path) {
  return where == path || where.starts_with(path + ":") || where.starts_with(path + ",");
}

/// Something that was measured on a trained model stands in the file; base files are the same for every seed, as they
/// should be.
bool is_result_file(const Evidence& evidence, const std::string& path) {
  const std::filesystem::path file(path);
  const bool is_samples = file.filename().string().starts_with("samples_");
  for (const Evaluation& report : evidence.evaluations) {
    const bool is_here =
        is_in(report.where, path) || (is_samples && report.format == "lm-eval" &&
                                      std::filesystem::path(report.where).parent_path() == file.parent_path());
    if (is_here && (report.base || !report.is_candidate_base)) return true;
  }
  const auto has = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return is_in(item.where, path); });
  };
  return has(evidence.logs) || has(evidence.training_rows) || has(evidence.judges) || has(evidence.certificates) ||
         std::any_of(evidence.setups.begin(), evidence.setups.end(),
                     [&](const TrainingSetup& setup) { return setup.where == path && setup.final_std; });
}

bool same(const ItemRow& a, const ItemRow& b) {
  const auto equal = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.item == b.item && a.completion == b.completion && a.passed == b.passed && a.tokens == b.tokens &&
         equal(a.reward, b.reward) && equal(a.vsc, b.vsc);
}

void compare(const Evaluation& first, const Evaluation& second, const Evidence& evidence, FindingSink& out) {
  const auto& a = first.candidate.rows;
  const auto& b = second.candidate.rows;
  const bool have_hashes = !first.candidate_hash.empty() && !second.candidate_hash.empty();
  if (have_hashes && first.candidate_hash != second.candidate_hash) return;  // other weights that answer alike
  if (first.seed == second.seed || a.size() != b.size() || a.size() < kLeastRows) return;
  if (!std::equal(a.begin(), a.end(), b.begin(), same)) return;
  const bool has_text = std::all_of(a.begin(), a.end(), [](const ItemRow& row) { return row.completion != 0; });
  if (!has_text) {  // without texts, few values agree by chance
    std::set<std::tuple<float, float, int32_t>> distinct;
    for (const ItemRow& row : a)
      distinct.emplace(std::isnan(row.reward) ? -9 : row.reward, std::isnan(row.vsc) ? -9 : row.vsc, row.tokens);
    if (a.size() < kLeastTextless || distinct.size() < kLeastDistinct) return;
  }
  const std::string where = first.where + " and " + second.where;
  const bool told = std::any_of(evidence.same_bytes.begin(), evidence.same_bytes.end(), [&](const SameBytes& copy) {
    return copy.first == first.where && copy.second == second.where;
  });
  if (told) return;
  out.add(where, {{"seed", *first.seed},
                  {"other_seed", *second.seed},
                  {"identical_candidate_rows", static_cast<int64_t>(a.size())}});
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const SameBytes& copy : evidence.same_bytes) {
    if (!is_result_file(evidence, copy.second)) continue;
    out.add(copy.first + " and " + copy.second, {{"identical_bytes", copy.num_bytes}});
  }
  std::map<std::string, std::vector<const Evaluation*>> groups;
  for (const Evaluation& report : evidence.evaluations) {
    if (!report.candidate.rows.empty() && report.seed) groups[report.task + "|" + report.model].push_back(&report);
  }
  for (const auto& [key, group] : groups) {
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t j = i + 1; j < group.size(); ++j) compare(*group[i], *group[j], evidence, out);
    }
  }
}

}  // namespace

const FindingKind kStaleCopy = {"stale_copy",
                                Severity::kError,
                                "Two results that should be independent hold the same candidate rows, or the same "
                                "bytes. One of them is a copy: a run that read an old file, or a seed that never ran.",
                                "Find out which run really wrote the rows, and run the other one again.",
                                {"not_replicated"},
                                check};

}  // namespace plumbline::doctor
