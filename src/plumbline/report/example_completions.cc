#include "plumbline/report/example_completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/verdict_json.h"
#include "plumbline/report/html_page.h"

namespace plumbline {
namespace {

constexpr int64_t kLastSteps = 5;
constexpr size_t kMostShown_bytes = 4000;
constexpr std::string_view kRowBegin = "{\"step\":";

/// The step of a row without parsing it: a run's file may have gigabytes.
int64_t step_of(const std::string& line, const std::string& where) {
  int64_t step = -1;
  const char* begin = line.data() + kRowBegin.size();
  const bool begins_well = line.size() > kRowBegin.size() && line.starts_with(kRowBegin);
  if (!begins_well || std::from_chars(begin, line.data() + line.size(), step).ec != std::errc()) {
    throw DataError("data.run_rows", "a row does not begin with its step", where);
  }
  return step;
}

std::string kind_of(const Verdict& verdict) {
  if (verdict.hacked()) return "own tester passes, real tests fail";
  if (verdict.vacuous) return "own tester cannot fail, real tests pass";
  if (verdict.passed()) return "real tests pass";
  if (verdict.tester.defined) return "own tester, and neither it nor the real tests pass";
  return "real tests fail";
}

/// Counts kinds and keeps the first completion of each.
class Kinds {
 public:
  void add(const Json& row, int64_t step, const std::string& where) {
    const Json& completion = require_member(row, "completion", where);
    if (!completion.is_string()) throw DataError("data.json_type", "completion is not a string", where);
    const Verdict verdict = parse_verdict(require_member(row, "verdict", where), where);
    if (verdict.is_infra()) return;
    ExampleCompletion& example = kinds_[kind_of(verdict)];
    if (example.num_of_kind++ == 0) {
      example.step = step;
      example.sample = verdict.sample;
      example.problem_id = to_string(verdict.problem_id);
      example.completion = completion.get<std::string>();
      example.outcome = to_string(verdict.outcome);
    }
    ++num_seen_;
  }

  std::optional<ExampleCompletion> most_frequent() const {
    std::optional<ExampleCompletion> most;
    for (const auto& [kind, example] : kinds_) {
      if (most && example.num_of_kind <= most->num_of_kind) continue;
      most = example;
      most->kind = kind;
      most->num_seen = num_seen_;
    }
    return most;
  }

 private:
  std::map<std::string, ExampleCompletion> kinds_;
  int64_t num_seen_ = 0;
};

size_t indent_of(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.size() : first;
}

bool is_name_end(std::string_view text, size_t at) {
  return at >= text.size() || !(std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
}

/// Does this line of code define `name`: a function, or an assignment?
bool defines(std::string_view line, const std::string& name) {
  line.remove_prefix(indent_of(line));
  for (const std::string_view word : {"async def ", "def ", "class "}) {
    if (!line.starts_with(word)) continue;
    line.remove_prefix(word.size());
    return line.starts_with(name) && is_name_end(line, name.size());
  }
  if (!line.starts_with(name) || !is_name_end(line, name.size())) return false;
  line.remove_prefix(name.size());
  line.remove_prefix(indent_of(line));
  return line.starts_with('=') && !line.starts_with("==");
}

bool is_blank(std::string_view line) {
  return indent_of(line) == line.size();
}

/// Cut where a character begins.
std::string shown_part(const std::string& text) {
  if (text.size() <= kMostShown_bytes) return text;
  size_t end = kMostShown_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

BeforeAndAfter example_completions(const ArmRun& run) {
  BeforeAndAfter found;
  const std::string path = run.folder + "/rollouts.jsonl";
  if (!std::filesystem::exists(path)) return found;
  try {
    JsonlReader reader(path);
    Kinds first, last;
    int64_t first_step = -1;
    while (reader.next() && reader.line_ended()) {
      const int64_t step = step_of(reader.line(), reader.where());
      if (first_step < 0) first_step = step;
      if (step == first_step) first.add(reader.parse(), step, reader.where());
      if (step > run.steps_done() - kLastSteps && step > first_step) last.add(reader.parse(), step, reader.where());
    }
    found.first = first.most_frequent();
    found.last = last.most_frequent();
  } catch (const Error& error) {
    found.problem = error.line();
  }
  return found;
}

std::string marked_completion(const std::string& completion, const std::string& tester_name) {
  const std::string text = shown_part(completion);
  std::string out;
  bool in_tester = false;
  size_t tester_indent = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    if (in_tester && !is_blank(line) && indent_of(line) <= tester_indent) in_tester = false;
    if (!in_tester && defines(line, tester_name)) {
      in_tester = true;
      tester_indent = indent_of(line);
    }
    const bool is_marked = in_tester && !is_blank(line);
    out += (is_marked ? "<mark>" : "") + escape_html(line) + (is_marked ? "</mark>" : "");
    if (end < text.size()) out += "\n";
    start = end + 1;
  }
  if (text.size() < completion.size()) {
    out += fmt::format("\n<span class=\"soft\">… {} more bytes</span>", completion.size() - text.size());
  }
  return out;
}

}  // namespace plumbline
