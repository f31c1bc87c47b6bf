/// Tokenizers out of GGUF metadata give the ids of the original tokenizer.json.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/text/tokenizer.h"
#include "plumbline/text/tokenizer_document.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

void expect_golden_rows(const Tokenizer& tokenizer, const std::string& folder) {
  const std::string path = test::shared_path(folder + "/golden.jsonl");
  std::istringstream lines(read_file(path));
  int num_rows = 0, num_matched = 0;
  for (std::string line; std::getline(lines, line); ++num_rows) {
    const Json row = parse_json(line, path);
    const auto ids = row["ids"].get<std::vector<int64_t>>();
    const auto got = tokenizer.encode(row["text"].get<std::string>());
    num_matched += got == ids;
    EXPECT_EQ(got, ids) << row.dump();
    EXPECT_EQ(tokenizer.decode(ids), row.value("decoded", row["text"].get<std::string>())) << row.dump();
  }
  std::printf("%s from GGUF: %d/%d\n", folder.c_str(), num_matched, num_rows);
  EXPECT_GT(num_rows, 300);
}

/// Writes GGUF version 3 metadata without tensors.
class GgufWriter {
 public:
  void text(const std::string& key, const std::string& value) {
    entry(key, 8, [&] { put_text(value); });
  }
  void boolean(const std::string& key, bool value) {
    entry(key, 7, [&] { put(static_cast<uint8_t>(value)); });
  }
  void texts(const std::string& key, const std::vector<std::string>& values) {
    array(key, 8, values, [this](const std::string& value) { put_text(value); });
  }
  void integers(const std::string& key, const std::vector<int32_t>& values) {
    array(key, 5, values, [this](int32_t value) { put(value); });
  }
  void floats(const std::string& key, const std::vector<float>& values) {
    array(key, 6, values, [this](float value) { put(value); });
  }
  std::string finish() const {
    std::string file = "GGUF";
    const auto append = [&file](auto value) { file.append(reinterpret_cast<const char*>(&value), sizeof value); };
    append(uint32_t{3});
    append(uint64_t{0});
    append(num_entries_);
    return file + body_;
  }

 private:
  template <typename Write>
  void entry(const std::string& key, uint32_t type, Write write) {
    put_text(key);
    put(type);
    write();
    ++num_entries_;
  }
  template <typename T, typename Write>
  void array(const std::string& key, uint32_t type, const std::vector<T>& values, Write write) {
    entry(key, 9, [&] {
      put(type);
      put(static_cast<uint64_t>(values.size()));
      for (const T& value : values) write(value);
    });
  }
  template <typename T>
  void put(T value) {
    body_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(const std::string& value) {
    put(static_cast<uint64_t>(value.size()));
    body_ += value;
  }

  std::string body_;
  uint64_t num_entries_ = 0;
};

struct Original {
  std::vector<std::string> tokens, merges;
  std::vector<int32_t> types;
};

/// The tokens of a golden tokenizer.json, as a conversion to GGUF writes them.
Original read_original(const std::string& folder) {
  const std::string path = test::shared_path(folder + "/tokenizer.json.gz");
  const TokenizerDocument document = parse_tokenizer_document(read_file_inflated(path), path);
  Original original;
  const auto place = [&](int64_t id, const std::string& token, int32_t type) {
    const auto at = static_cast<size_t>(id);
    if (original.tokens.size() <= at) original.tokens.resize(at + 1), original.types.resize(at + 1, 5);
    original.tokens[at] = token;
    original.types[at] = type;
  };
  for (const auto& [token, id] : document.vocabulary) place(id, token, token.starts_with("<0x") ? 6 : 1);
  for (const Json& token : (*document.rest)["added_tokens"]) {
    const auto content = token["content"].get<std::string>();
    place(token["id"].get<int64_t>(), content, content == "<unk>" ? 2 : token["special"].get<bool>() ? 3 : 4);
  }
  for (const auto& [left, right] : document.merges) original.merges.push_back(left + " " + right);
  return original;
}

TEST(GgufTokenizer, SmolLm2FromItsOwnFile) {
  PL_NEED_SMOLLM2();
  PL_NEED_SHARED("golden/tokenizers/smollm2");
  const Tokenizer tokenizer = Tokenizer::load(test::smollm2_path());
  EXPECT_EQ(tokenizer.size(), 49152);
  EXPECT_TRUE(tokenizer.ids_before().empty());
  expect_golden_rows(tokenizer, "golden/tokenizers/smollm2");
}

class ConvertedTokenizer : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ConvertedTokenizer, GivesTheOriginalsIds) {
  const auto& [name, pre] = GetParam();
  const std::string folder = std::string("golden/tokenizers/") + name;
  PL_NEED_SHARED(folder);
  const Original original = read_original(folder);
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", pre);
  writer.texts("tokenizer.ggml.tokens", original.tokens);
  writer.integers("tokenizer.ggml.token_type", original.types);
  writer.texts("tokenizer.ggml.merges", original.merges);
  const test::TemporaryFolder temporary;
  expect_golden_rows(Tokenizer::load(temporary.write("model.gguf", writer.finish())), folder);
}

INSTANTIATE_TEST_SUITE_P(All, ConvertedTokenizer,
                         testing::Values(std::pair("gpt2", "gpt-2"), std::pair("qwen3", "qwen2"),
                                         std::pair("olmoe", "olmo")),
                         [](const auto& parameter) { return std::string(parameter.param.first); });

TEST(GgufTokenizer, SentencePieceFromScores) {
  PL_NEED_SHARED("golden/tokenizers/mistral-v1");
  const Original original = read_original("golden/tokenizers/mistral-v1");
  // The merges of the conversion are sorted by the score of what they make, so the first merge that makes a token has
  // its score's rank.
  std::map<std::string, float> score_of_token;
  for (size_t rank = 0; rank < original.merges.size(); ++rank) {
    std::string whole = original.merges[rank];
    whole.erase(whole.find(' '), 1);
    score_of_token.emplace(whole, -static_cast<float>(rank));
  }
  std::vector<float> scores;
  for (const std::string& token : original.tokens) {
    const auto found = score_of_token.find(token);
    scores.push_back(found == score_of_token.end() ? -1e9f : found->second);
  }
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "llama");
  writer.texts("tokenizer.ggml.tokens", original.tokens);
  writer.integers("tokenizer.ggml.token_type", original.types);
  writer.floats("tokenizer.ggml.scores", scores);
  const test::TemporaryFolder temporary;
  expect_golden_rows(Tokenizer::load(temporary.write("model.gguf", writer.finish())), "golden/tokenizers/mistral-v1");
}

}  // namespace
}  // namespace plumbline
