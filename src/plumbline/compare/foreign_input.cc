#include "plumbline/compare/foreign_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/toml_reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A folder of `eval` that has no COMPLETE yet.
bool is_unfinished(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "pins.json", error) && fs::exists(folder / "rows", error) &&
         !fs::exists(folder / "COMPLETE", error);
}

bool has_reports(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().string().ends_with(".eval.json")) return true;
  }
  return false;
}

std::string resume_hint(const std::string& folder) {
  return fmt::format("the evaluation in {0} is not finished: plumbline eval --resume {0}", folder);
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The one value of `text`, if it is JSON.
std::optional<Json> json_in(const std::string& text, const std::string& where) {
  try {
    return parse_json(text, where);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// What `text` is, if it is TOML: a plan has the tables [tasks] or [gates].
std::optional<std::string> toml_kind(const std::string& text, const std::string& path) {
  try {
    const TomlValue root = parse_toml(text, path);
    if (root.children.empty()) return std::nullopt;
    const bool is_plan = std::all_of(root.children.begin(), root.children.end(), [](const TomlValue& table) {
      return table.key == "tasks" || table.key == "gates";
    });
    return is_plan ? "a plan" : "a preset";
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const std::string& kind, const std::string& path, const std::string& next) {
  throw DataError("data.unknown_report", "it is " + kind + ", not a report", path, next);
}

bool is_report(const Json& document) {
  if (!document.is_object()) return false;
  return document.contains("benchmark") || (document.contains("schema") && document["schema"] == "eval.v1");
}

bool are_pins(const Json& document) {
  return document.is_object() && !document.empty() &&
         std::all_of(document.begin(), document.end(),
                     [](const Json& pins) { return pins.is_object() && pins.contains("split_hash"); });
}

}  // namespace

void require_report_path(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw DataError("data.unreadable_file", "cannot be read: it is a folder", path,
                    has_reports(path) ? fmt::format("give its reports: {}", (fs::path(path) / "*.eval.json").string())
                    : is_unfinished(path) ? resume_hint(path)
                                          : std::string("give reports, as eval writes them: FOLDER/*.eval.json"));
  }
  if (fs::exists(path, error) || error) return;
  const std::string folder = folder_of(path);
  throw DataError("data.missing_file", "there is no such file", path,
                  is_unfinished(folder) ? resume_hint(folder) : std::string("check the path"));
}

void refuse_known_text(const std::string& text, const std::string& path) {
  const size_t line_end = text.find('\n');
  const bool has_more =
      line_end != std::string::npos && text.find_first_not_of(" \t\r\n", line_end) != std::string::npos;
  if (has_more) {
    const std::optional<Json> line = json_in(text.substr(0, line_end), path);
    if (line && line->is_object()) {
      if (line->contains("sample") && line->contains("row")) {
        refuse("a file of rows of one arm", path, "give the reports in the folder above it: *.eval.json");
      }
      const bool has_scores = line->contains("score") || (line->contains("doc_id") && line->contains("resps"));
      refuse("JSON lines", path,
             has_scores ? "for scores by item: plumbline compare --items BASE.jsonl CANDIDATE.jsonl"
                        : "give reports, as eval writes them: *.eval.json");
    }
  }
  if (const auto kind = toml_kind(text, path)) {
    refuse(*kind, path,
           *kind == "a plan" ? "give it with --plan, beside the reports"
                             : "give the reports that plumbline eval makes with it");
  }
}

void refuse_document(const Json& document, const std::string& path) {
  const std::string beside =
      fmt::format("give the reports beside it: {}", (fs::path(folder_of(path)) / "*.eval.json").string());
  if (are_pins(document)) refuse("the pins of an evaluation", path, beside);
  if (document.contains("hardware") && document.contains("commit")) refuse("the provenance of a run", path, beside);
  if (document.contains("results") && document.contains("configs")) {
    refuse("a summary of lm-evaluation-harness", path,
           "for its samples: plumbline compare --items BASE/samples_*.jsonl CANDIDATE/samples_*.jsonl");
  }
  const bool has_schema = document.contains("schema") && document["schema"].is_string();
  throw DataError("data.unknown_report",
                  fmt::format("neither an eval.v1 report nor an evaluation of the original harness{}",
                              has_schema ? fmt::format(": its schema is {}", document["schema"].dump()) : ""),
                  path, "docs/reference/compare.md has both formats");
}

void refuse_report_as_items(const std::string& path) {
  if (path == "-") return;
  const std::optional<Json> document = json_in(read_file(path), path);
  if (!document || !is_report(*document)) return;
  throw DataError("data.not_items", "it is an evaluation report, not a file of scores", path,
                  "leave out --items: plumbline compare REPORT...");
}

}  // namespace plumbline
