/// Chunks of a stream put together are what the tokenizer decodes at once, for every kind of decoder.
#include "plumbline/text/text_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/text/unicode.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using Ids = std::vector<int64_t>;

/// Returns the number of chunks that were not empty.
int expect_stream_equals(const Tokenizer& tokenizer, const Ids& ids, bool keep_special) {
  TextStream stream(tokenizer, keep_special);
  std::string whole;
  int num_chunks = 0;
  for (size_t i = 0; i <= ids.size(); ++i) {
    const std::string chunk = i < ids.size() ? stream.add(ids[i]) : stream.finish();
    EXPECT_TRUE(is_valid_utf8(chunk));
    num_chunks += !chunk.empty();
    whole += chunk;
  }
  EXPECT_EQ(whole, keep_special ? tokenizer.decode(ids) : tokenizer.decode_text(ids)) << Json(ids);
  return num_chunks;
}

Ids random_ids(std::mt19937& random, const Tokenizer& tokenizer, size_t max_length) {
  Ids ids;
  for (size_t i = random() % max_length; i > 0; --i) {
    ids.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(tokenizer.size() + 2)));
  }
  return ids;
}

TEST(TextStream, EqualsTheWholeForEveryDecoder) {
  const std::string path = test::source_path("tests/parity/text/tokenizer_rows.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);
  const test::TemporaryFolder folder;
  std::mt19937 random(20261);
  int num_files = 0;
  for (; std::getline(lines, line);) {
    const Json stored = parse_json(line, path);
    try {
      const Tokenizer tokenizer = Tokenizer::load(folder.write("tokenizer.json", stored["file"].dump()));
      ++num_files;
      for (const Json& row : stored["rows"]) {
        expect_stream_equals(tokenizer, row["ids"].get<Ids>(), true);
        expect_stream_equals(tokenizer, row["tokens"].get<Ids>(), false);
      }
      for (int round = 0; round < 60; ++round) {
        expect_stream_equals(tokenizer, random_ids(random, tokenizer, 120), round % 2 == 0);
      }
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.tokenizer_unsupported");
    }
  }
  EXPECT_GE(num_files, 55);
}

class GoldenStream : public testing::TestWithParam<const char*> {};

TEST_P(GoldenStream, EqualsTheWhole) {
  const std::string folder = std::string("golden/tokenizers/") + GetParam();
  PL_NEED_SHARED(folder);
  const Tokenizer tokenizer = Tokenizer::load(test::shared_path(folder));
  std::istringstream lines(read_file(test::shared_path(folder + "/golden.jsonl")));
  int num_ids = 0, num_chunks = 0;
  for (std::string line; std::getline(lines, line);) {
    const Ids ids = parse_json(line, folder)["ids"].get<Ids>();
    num_ids += static_cast<int>(ids.size());
    num_chunks += expect_stream_equals(tokenizer, ids, true);
  }
  EXPECT_GT(num_chunks, num_ids / 5);  // it does stream
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    expect_stream_equals(tokenizer, random_ids(random, tokenizer, 200), round % 2 == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenStream,
                         testing::Values("gpt2", "mistral-v1", "qwen3", "small-gpt2-split", "small-llama3-split",
                                         "small-sentencepiece", "smollm2"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TextStream, CharactersComeWhole) {
  PL_NEED_SHARED("golden/tokenizers/qwen3");
  const Tokenizer tokenizer = Tokenizer::load(test::shared_path("golden/tokenizers/qwen3"));
  const std::string family = "\U0001F469\u200D\U0001F469\u200D\U0001F467";
  const Ids ids = tokenizer.encode(family);
  ASSERT_GT(ids.size(), 3u);  // its characters are spread over tokens
  TextStream stream(tokenizer);
  std::string shown;
  for (const int64_t id : ids) {
    shown += stream.add(id);
    EXPECT_EQ(shown.find("\uFFFD"), std::string::npos);
    EXPECT_TRUE(family.starts_with(shown));
  }
  EXPECT_EQ(shown + stream.finish(), family);
}

}  // namespace
}  // namespace plumbline
