/// Ids and decoded text against the reference tokenizers' own (shared golden rows).
#include "plumbline/text/tokenizer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

std::vector<Json> golden_rows(const std::string& folder) {
  const std::string path = test::shared_path(folder + "/golden.jsonl");
  std::istringstream lines(read_file(path));
  std::vector<Json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(parse_json(line, path));
  return rows;
}

/// Every row both ways; prints matched/total.
void expect_rows_match(const Tokenizer& tokenizer, const std::string& folder) {
  const std::vector<Json> rows = golden_rows(folder);
  ASSERT_GT(rows.size(), 300u);
  int num_encoded = 0, num_decoded = 0;
  for (const Json& row : rows) {
    const auto text = row["text"].get<std::string>();
    const auto ids = row["ids"].get<std::vector<int64_t>>();
    const auto decoded = row.value("decoded", text);
    const auto got_ids = tokenizer.encode(text);
    const auto got_text = tokenizer.decode(ids);
    num_encoded += got_ids == ids;
    num_decoded += got_text == decoded;
    EXPECT_EQ(got_ids, ids) << row.dump();
    EXPECT_EQ(got_text, decoded) << row.dump();
  }
  std::printf("%s: %d/%zu encoded, %d/%zu decoded\n", folder.c_str(), num_encoded, rows.size(), num_decoded,
              rows.size());
}

class GoldenTokenizer : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTokenizer, EveryRowIsExact) {
  const std::string folder = std::string("golden/tokenizers/") + GetParam();
  PL_NEED_SHARED(folder);
  const Tokenizer tokenizer = Tokenizer::load(test::shared_path(folder));
  const Json facts = parse_json(read_file(test::shared_path(folder + "/case.json")), folder);
  EXPECT_EQ(tokenizer.size(), facts["vocab_size_with_added"].get<int64_t>());
  EXPECT_EQ(tokenizer.ids_before(), facts["add_special_tokens"]["before"].get<std::vector<int64_t>>());
  expect_rows_match(tokenizer, folder);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTokenizer,
                         testing::Values("gpt2", "mistral-v1", "olmoe", "qwen3", "small-gpt2-split",
                                         "small-llama3-split", "small-sentencepiece", "smollm2"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class GoldenModelTokenizer : public testing::TestWithParam<const char*> {};

TEST_P(GoldenModelTokenizer, PromptIdsAreExact) {
  const std::string folder = std::string("golden/models/") + GetParam();
  PL_NEED_SHARED(folder);
  const Tokenizer tokenizer = Tokenizer::load(test::shared_path(folder));
  const Json chat = parse_json(read_file(test::shared_path(folder + "/case.json")), folder)["chat"];
  EXPECT_EQ(tokenizer.encode(chat["rendered"].get<std::string>()), chat["prompt_ids"].get<std::vector<int64_t>>());
  EXPECT_EQ(tokenizer.decode_text(chat["greedy_ids"].get<std::vector<int64_t>>()),
            chat["greedy_text"].get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenModelTokenizer,
                         testing::Values("llama-gqa", "llama-rope-llama3", "llama-tied", "llama-bf16", "qwen2",
                                         "qwen2-sharded", "qwen3", "qwen3-moe", "olmoe-norm", "olmoe-plain"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumbline
