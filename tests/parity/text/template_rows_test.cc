/// Random templates and published ones against jinja2's own output (template_rows.jsonl.gz by
/// tools/reference/fuzz_templates.py, package_templates.jsonl.gz by tools/reference/compare_templates.py; their first
/// lines have the commands and versions).
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/gzip.h"
#include "plumbline/text/chat_template.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

constexpr const char* kNow = "2026-01-31T12:05:09";

struct Outcome {
  std::string text, error;
  bool is_unsupported = false;
};

Outcome render(const std::string& source, const Json& variables) {
  try {
    return {ChatTemplate(source, "row").render(variables, kNow), "", false};
  } catch (const DataError& error) {
    const std::string message = (error.id() == "data.template_raised" ? "TemplateError: " : "") + error.message();
    return {"", message, message.find("not supported by plumbline") != std::string::npos};
  }
}

/// Text is exact, and so is whether there is an error; the text of one only where the template raised it.
void expect_outcome(const Outcome& got, const Json& want, const std::string& source, const Json& variables) {
  const std::string wanted_error = want.is_object() ? want.value("error", "") : "";
  const std::string wanted_text = want.is_string() ? want.get<std::string>() : want.value("text", "");
  EXPECT_EQ(got.error.empty(), wanted_error.empty()) << got.error << " | " << wanted_error << "\n" << source;
  EXPECT_EQ(got.text, wanted_text) << source << "\n" << variables;
  if (wanted_error.starts_with("TemplateError: ")) {
    EXPECT_EQ(got.error, wanted_error) << source;
  }
}

TEST(TemplateRows, RandomTemplatesAreExact) {
  const std::string path = test::source_path("tests/parity/text/template_rows.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);
  const Json contexts = parse_json(line, path)["contexts"];
  int num_rows = 0, num_errors = 0, num_unsupported = 0;
  while (std::getline(lines, line)) {
    const Json row = parse_json(line, path);
    for (size_t i = 0; i < contexts.size(); ++i, ++num_rows) {
      const Outcome got = render(row[0].get<std::string>(), contexts[i]);
      num_errors += !got.error.empty();
      num_unsupported += got.is_unsupported;
      if (!got.is_unsupported) expect_outcome(got, row[1][i], row[0].get<std::string>(), contexts[i]);
    }
  }
  std::printf("%d rows, %d errors, %d unsupported\n", num_rows, num_errors, num_unsupported);
  EXPECT_GT(num_rows, 1500);
  EXPECT_LT(num_errors, num_rows * 9 / 10);
  EXPECT_LT(num_unsupported, num_rows / 20);
}

TEST(TemplateRows, TemplatesOutOfPackagesAreExact) {
  const std::string path = test::source_path("tests/parity/text/package_templates.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);
  int num_templates = 0;
  while (std::getline(lines, line)) {
    const Json stored = parse_json(line, path);
    ++num_templates;
    for (const Json& row : stored["rows"]) {
      expect_outcome(render(stored["template"].get<std::string>(), row[0]), row[1], stored["name"].get<std::string>(),
                     row[0]);
    }
  }
  EXPECT_GE(num_templates, 3);
}

}  // namespace
}  // namespace plumbline
