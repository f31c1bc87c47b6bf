/// Rendered prompts and errors against transformers' own (shared golden rows).
#include "plumbline/text/chat_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

/// What transformers hands to a template.
Json variables_of(const Json& row, const Json& facts) {
  Json variables = {{"messages", row["messages"]}, {"tools", nullptr}, {"documents", nullptr}};
  variables["add_generation_prompt"] = row["add_generation_prompt"];
  variables.update(facts["special_tokens"]);
  variables.update(row["extra"]);
  return variables;
}

std::string render_or_error(const ChatTemplate& chat_template, const Json& variables, const std::string& now) {
  try {
    return chat_template.render(variables, now);
  } catch (const DataError& error) {
    return error.id() == "data.template_raised" ? "ERROR TemplateError: " + error.message()
                                                : "ERROR " + error.message();
  }
}

class GoldenTemplate : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTemplate, EveryRowIsExact) {
  const std::string folder = std::string("golden/templates/") + GetParam();
  PL_NEED_SHARED(folder);
  const std::string path = test::shared_path(folder);
  const Json facts = parse_json(read_file(path + "/case.json"), path);
  const ChatTemplate chat_template(read_file(path + "/template.jinja"), "template.jinja");
  EXPECT_EQ(chat_template.hash(), facts["template_sha256"].get<std::string>());
  std::istringstream lines(read_file(path + "/golden.jsonl"));
  int num_rows = 0, num_matched = 0;
  for (std::string line; std::getline(lines, line); ++num_rows) {
    const Json row = parse_json(line, path);
    const std::string got = render_or_error(chat_template, variables_of(row, facts), facts["now"].get<std::string>());
    const std::string want =
        row.contains("error") ? "ERROR " + row["error"].get<std::string>() : row["rendered"].get<std::string>();
    num_matched += got == want;
    EXPECT_EQ(got, want) << row["id"];
  }
  std::printf("%s: %d/%d rendered\n", folder.c_str(), num_matched, num_rows);
  EXPECT_EQ(num_rows, facts["rows"].get<int>());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTemplate,
                         testing::Values("chatml", "deepseek-r1-distill-llama", "gemma-2", "gpt-oss", "hermes-3-tools",
                                         "llama-3", "llama-3.1", "llama-3.2", "mistral-7b-v0.2", "mistral-nemo",
                                         "olmo-2", "olmo-3-tools", "phi-3.5", "phi-4-mini-tools", "qwen2.5", "qwen3",
                                         "qwen3-coder", "smollm2", "smollm3", "zephyr"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace plumbline
