/// Expressions, statements, white space and errors against jinja2's own output (jinja_rows.json; see
/// make_jinja_rows.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/text/chat_template.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

Json stored_rows() {
  const std::string path = test::source_path("tests/parity/text/jinja_rows.json");
  return parse_json(read_file(path), path);
}

std::string outcome(const std::string& source, const Json& variables) {
  try {
    return ChatTemplate(source, "row").render(variables);
  } catch (const DataError& error) {
    return (error.id() == "data.template_raised" ? "TemplateError: " : "") + error.message();
  }
}

TEST(JinjaRows, RenderedTextIsExact) {
  const Json stored = stored_rows();
  ASSERT_GE(stored["rows"].size(), 40u);
  for (const Json& row : stored["rows"]) {
    EXPECT_EQ(outcome(row[0].get<std::string>(), stored["variables"]), row[1].get<std::string>()) << row[0];
  }
}

TEST(JinjaRows, ErrorsAreThoseOfTheReference) {
  const Json stored = stored_rows();
  ASSERT_GE(stored["errors"].size(), 30u);
  for (const Json& row : stored["errors"]) {
    EXPECT_EQ(outcome(row[0].get<std::string>(), stored["variables"]), row[1].get<std::string>()) << row[0];
  }
}

}  // namespace
}  // namespace plumbline
