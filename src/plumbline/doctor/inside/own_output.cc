#include "plumbline/doctor/inside/own_output.h"

#include <fmt/format.h>

#include "plumbline/base/error.h"
#include "plumbline/doctor/diagnosis_output.h"
#include "plumbline/report/markdown.h"

namespace plumbline::doctor {
namespace {

std::string fact_text(const FactValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.4g}", *number);
  return std::to_string(std::get<int64_t>(value));
}

constexpr size_t kShownFacts = 6;

/// Where it was seen first, and the figures there: " (a.json): rows 3, ..."; not escaped.
std::string first_place_text(const Finding& finding) {
  if (finding.instances.empty()) return "";
  const Instance& first = finding.instances.front();
  std::string text = " (" + first.where + ")";
  for (size_t i = 0; i < first.facts.size() && i < kShownFacts; ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", first.facts[i].first, fact_text(first.facts[i].second));
  }
  return text;
}

}  // namespace

std::string findings_text(const Diagnosis& diagnosis) {
  if (diagnosis.health() == Health::kSound) return "findings: none\n";
  std::string text = "findings: " + escape_control(diagnosis_headline(diagnosis)) + "\n";
  for (const Finding& finding : diagnosis.findings) {
    text += fmt::format("  {:<7} {}{}\n", name_of(finding.severity), finding.kind->id,
                        escape_control(first_place_text(finding)));
  }
  return text;
}

std::string findings_markdown(const Diagnosis& diagnosis) {
  if (diagnosis.health() == Health::kSound) return "Findings: none\n";
  std::string text = "Findings: " + markdown_text(diagnosis_headline(diagnosis)) + "\n\n";
  for (const Finding& finding : diagnosis.findings) {
    text += fmt::format("- {} **{}**{}\n", name_of(finding.severity), finding.kind->id,
                        markdown_text(first_place_text(finding)));
  }
  return text;
}

WrittenReport write_report_with_findings(const std::vector<std::string>& folders, const std::string& path) {
  const Diagnosis diagnosis = diagnose_paths(folders);
  ReportOptions options;
  if (diagnosis.health() != Health::kSound) {
    std::string ids;
    for (const Finding& finding : diagnosis.findings) ids += std::string(ids.empty() ? "" : ", ") + finding.kind->id;
    options.first_line = fmt::format("<p class=\"note\">Findings, below the pictures: {} ({})</p>\n",
                                     diagnosis_headline(diagnosis), ids);
    options.findings = "<h2>Findings</h2>\n" + diagnosis_markup(diagnosis);
  }
  return write_report(folders, path, options);
}

}  // namespace plumbline::doctor
