#include "plumbline/doctor/diagnosis_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/report/html_page.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMostPlaces = 5;  ///< shown in a terminal; the JSON has all

std::string text_of(const FactValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.4g}", *real);
  return std::get<std::string>(value);
}

std::string words_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    std::string words = name;
    for (char& letter : words) {
      if (letter == '_') letter = ' ';
    }
    text += (text.empty() ? "" : "; ") + words + ": " + text_of(value);
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string page_of(const Finding& finding) {
  return fmt::format("docs/doctor/{}.md", finding.kind->id);
}

Json json_of(const Facts& facts) {
  Json object = Json::object();
  for (const auto& [name, value] : facts) {
    std::visit([&, key = name](const auto& plain) { object[key] = plain; }, value);
  }
  return object;
}

std::string finding_markup(const Finding& finding) {
  const char* tone = finding.severity == Severity::kInfo ? "open" : "bad";
  std::string out =
      fmt::format("<section class=\"verdict {}\"><h3>{}: {}</h3>\n<p>{}</p>\n", tone, name_of(finding.severity),
                  escape_html(finding.kind->id), escape_html(finding.kind->meaning));
  HtmlTable table;
  table.caption = "Evidence";
  table.header = {"where", "what"};
  table.stacks = true;
  for (const Instance& instance : finding.instances) table.rows.push_back({instance.where, words_of(instance.facts)});
  out += table.markup();
  if (!finding.explains.empty()) out += "<p>Explains: " + escape_html(joined(finding.explains)) + "</p>\n";
  if (!finding.explained_by.empty()) out += "<p>Explained by: " + escape_html(joined(finding.explained_by)) + "</p>\n";
  return out + "<p>Next: " + escape_html(finding.kind->next_step) + "</p>\n<p class=\"note\">" +
         escape_html(page_of(finding)) + "</p></section>\n";
}

}  // namespace

std::string diagnosis_headline(const Diagnosis& diagnosis) {
  if (diagnosis.is_empty()) return "no verdict: nothing here that doctor reads";
  int counts[3] = {0, 0, 0};
  for (const Finding& finding : diagnosis.findings) ++counts[static_cast<int>(finding.severity)];
  return fmt::format("{}: {} error{}, {} warning{}, {} note{}", name_of(diagnosis.health()), counts[2],
                     counts[2] == 1 ? "" : "s", counts[1], counts[1] == 1 ? "" : "s", counts[0],
                     counts[0] == 1 ? "" : "s");
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::string out = diagnosis_headline(diagnosis) + "\n";
  for (const Finding& finding : diagnosis.findings) {
    out += fmt::format("\n{} {}\n  {}\n", name_of(finding.severity), finding.kind->id, finding.kind->meaning);
    for (size_t i = 0; i < std::min(finding.instances.size(), kMostPlaces); ++i) {
      const Instance& instance = finding.instances[i];
      out += fmt::format("  - {}\n    {}\n", escape_control(instance.where), escape_control(words_of(instance.facts)));
    }
    if (finding.instances.size() > kMostPlaces)
      out += fmt::format("  - and {} more places\n", finding.instances.size() - kMostPlaces);
    if (!finding.explains.empty()) out += "  explains: " + joined(finding.explains) + "\n";
    if (!finding.explained_by.empty()) out += "  explained by: " + joined(finding.explained_by) + "\n";
    out += fmt::format("  next: {}\n  see {}\n", finding.kind->next_step, page_of(finding));
  }
  if (!diagnosis.not_checked.empty()) {
    out += "\nnot checked\n";
    for (const NotChecked& item : diagnosis.not_checked) {
      out += escape_control(fmt::format("  - {}: {}: {}", item.where, item.what, item.reason)) + "\n";
    }
  }
  return out;
}

std::string diagnosis_json(const Diagnosis& diagnosis) {
  Json report = {{"schema", "diagnosis.v1"},
                 {"inputs", diagnosis.inputs},
                 {"findings", Json::array()},
                 {"not_checked", Json::array()}};
  for (const Finding& finding : diagnosis.findings) {
    Json places = Json::array(), evidence = Json::array();
    for (const Instance& instance : finding.instances) {
      places.push_back(instance.where);
      evidence.push_back(json_of(instance.facts));
    }
    report["findings"].push_back({{"id", finding.kind->id},
                                  {"severity", name_of(finding.severity)},
                                  {"where", places},
                                  {"evidence", evidence},
                                  {"explanation", finding.kind->meaning},
                                  {"next_step", finding.kind->next_step},
                                  {"explains", finding.explains},
                                  {"explained_by", finding.explained_by},
                                  {"page", page_of(finding)}});
  }
  for (const NotChecked& item : diagnosis.not_checked) {
    report["not_checked"].push_back({{"where", item.where}, {"what", item.what}, {"reason", item.reason}});
  }
  report["verdict"] = diagnosis.is_empty() ? Json(nullptr) : Json(name_of(diagnosis.health()));
  return to_json_line(report);
}

std::string diagnosis_markup(const Diagnosis& diagnosis) {
  std::string out;
  for (const Finding& finding : diagnosis.findings) out += finding_markup(finding);
  return out;
}

std::string diagnosis_page(const Diagnosis& diagnosis) {
  HtmlPage page("Diagnosis");
  page.heading(diagnosis_headline(diagnosis))
      .paragraph("Inputs: " + joined(diagnosis.inputs))
      .add(diagnosis_markup(diagnosis));
  if (!diagnosis.not_checked.empty()) {
    HtmlTable table;
    table.caption = "Not checked";
    table.header = {"where", "what", "reason"};
    table.stacks = true;
    for (const NotChecked& item : diagnosis.not_checked) table.rows.push_back({item.where, item.what, item.reason});
    page.heading("Not checked").add(table.markup());
  }
  return page.str();
}

}  // namespace plumbline::doctor
