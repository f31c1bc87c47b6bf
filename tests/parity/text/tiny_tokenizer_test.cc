/// The tokenizer and the template of models/tiny against transformers (tests/golden/tiny, made by
/// tools/reference/tiny_golden.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/text/model_text.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

TEST(TinyTokenizer, IdsAndTextAreTransformers) {
  const ModelText text = ModelText::load(test::source_path("models/tiny"));
  const std::string path = test::source_path("tests/golden/tiny/tokens.jsonl");
  std::istringstream lines(read_file(path));
  int num_rows = 0;
  for (std::string line; std::getline(lines, line); ++num_rows) {
    const Json row = parse_json(line, path);
    const auto ids = row.at("ids").get<std::vector<int64_t>>();
    EXPECT_EQ(text.tokenizer().encode(row.at("text").get<std::string>()), ids) << line;
    EXPECT_EQ(text.tokenizer().decode(ids), row.at("decoded").get<std::string>()) << line;
  }
  EXPECT_GT(num_rows, 300);
}

TEST(TinyTokenizer, OneUserTurnIsThePromptOfTheCorpus) {
  const ModelText text = ModelText::load(test::source_path("models/tiny"));
  const std::string path = test::source_path("tests/golden/tiny/logits.json");
  for (const Json& row : parse_json(read_file(path), path)) {
    const auto content = row.at("content").get<std::string>();
    const RenderedPrompt prompt = text.render({{"user", content}});
    EXPECT_EQ(prompt.text, content + "\n");
    EXPECT_EQ(prompt.prefill, "");
    EXPECT_EQ(prompt.token_ids, row.at("prompt_ids").get<std::vector<int64_t>>());
  }
  ASSERT_EQ(text.stop_tokens().size(), 1u);
  EXPECT_EQ(text.stop_tokens()[0].token, "<eos>");
  EXPECT_EQ(text.stop_tokens()[0].sources.size(), 3u);  // generation config, tokenizer, template
}

}  // namespace
}  // namespace plumbline
