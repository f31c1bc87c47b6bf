/// Summaries of judges (judge.v1, and per-judge tables of the original harness) and of teachers (teacher.v1).
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"
#include "plumbline/record/jsonl.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
  return text;
}

/// Kappas that the file states: each leaf number below a key with "kappa" in it, apart from single runs where their
/// mean is stated too.
void collect_kappas(const Json& tree, const std::string& path, bool inside, const std::string& where, Collector& out) {
  if (tree.is_object()) {
    bool has_mean = false;
    for (const auto& [key, value] : tree.items())
      has_mean |= lower(key).find("meaninterjudgekappa") != std::string::npos;
    for (const auto& [key, value] : tree.items()) {
      if (has_mean && key == "perRun") continue;
      const std::string name = lower(key);
      const bool counts = name.find("kappa") != std::string::npos && name.find("threshold") == std::string::npos &&
                          name.find("min") == std::string::npos;
      collect_kappas(value, path.empty() ? key : path + "." + key, inside || counts, where, out);
    }
  } else if (tree.is_array()) {
    for (const Json& item : tree) collect_kappas(item, path, inside, where, out);
  } else if (inside && tree.is_number() && std::fabs(tree.get<double>()) <= 1) {
    out.evidence.agreements.push_back({where, path, tree.get<double>(), 0});
  }
}

void read_summary(const Json& tree, const std::string& where, Collector& out) {
  JudgeCounts judge;
  judge.where = where;
  judge.judge = text_at(tree, "judge");
  judge.arm = text_at(tree, "arm");
  judge.items_hash = text_at(tree, "items_hash");
  judge.num_items = count_at(tree, "items").value_or(0);
  judge.supported = count_at(tree, "supported").value_or(0);
  judge.not_supported = count_at(tree, "not_supported").value_or(0);
  judge.abstained = count_at(tree, "abstained").value_or(0);
  judge.transport_error = count_at(tree, "transport_error").value_or(0);
  judge.unparsable = count_at(tree, "unparsable").value_or(0);
  judge.stated_rate = number_at(tree, "support_rate");
  out.evidence.judges.push_back(std::move(judge));
}

void read_teacher(const Json& counts, const std::string& path, Collector& out) {
  const std::optional<int64_t> succeeded = count_at(counts, "calls_ok");
  if (!succeeded) return out.not_checked(path, "teacher_all_failed", "it does not say how many calls succeeded");
  out.evidence.teachers.push_back({path, text_at(counts, "teacher"), count_at(counts, "attempted").value_or(0),
                                   *succeeded, count_at(counts, "kept").value_or(0)});
}

/// A run that was stopped says so in its summary.
void check_whole(const Json& tree, const std::string& where, Collector& out) {
  if (flag_at(tree, "complete").value_or(true)) return;
  const std::optional<int64_t> missing = count_at(tree, "missing_calls"), planned = count_at(tree, "planned_calls");
  out.not_checked(where, "the rest of the run",
                  missing && planned ? fmt::format("unfinished: {} of {} planned calls have no row", *missing, *planned)
                                     : "unfinished: it was stopped before its end");
}

}  // namespace

void read_judge_settings(const Document& document, Collector& out) {
  const fs::path folder = fs::path(document.path).parent_path();
  const bool is_judge = text_at(document.tree(), "schema") == "judge_settings.v1";
  const fs::path rows = folder / (is_judge ? "verdicts.jsonl" : "rows.jsonl");
  std::error_code error;
  if (fs::exists(folder / "summary.json", error) || !fs::is_regular_file(rows, error)) return;
  int64_t num_rows = 0;
  for (JsonlReader lines(rows.string()); lines.next();) ++num_rows;
  const std::string planned = text_at(document.tree(), "calls");
  out.not_checked(rows.string(), "the rest of the run",
                  fmt::format("unfinished: it has no summary, and {} rows of {} planned calls", num_rows,
                              planned.empty() ? "an unknown number of" : planned));
}

void read_judge_report(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  check_whole(tree, document.path, out);
  if (value_at(tree, "teacher") && value_at(tree, "attempted")) return read_teacher(tree, document.path, out);
  if (const Json* teachers = value_at(tree, "teachers"); text_at(tree, "schema") == "teachers.v1" && teachers) {
    for (const Json& teacher : *teachers) read_teacher(teacher, document.path, out);
    return;
  }
  if (count_at(tree, "supported")) read_summary(tree, document.path, out);
  if (const Json* results = value_at(tree, "results"); text_at(tree, "schema") == "judges.v1" && results) {
    for (const Json& result : *results) {
      if (count_at(result, "supported")) read_summary(result, document.path, out);
    }
  }
  const size_t before = out.evidence.agreements.size();
  collect_kappas(tree, "", false, document.path, out);
  if (out.evidence.agreements.size() > before) {
    out.not_checked(document.path, "agreement of judges",
                    "kappa is taken as stated: there are no verdicts item by item");
  }
}

}  // namespace plumbline::doctor
