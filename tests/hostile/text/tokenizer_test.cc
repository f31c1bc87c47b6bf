/// Tokenizer files and texts that are damaged or made to hurt.
#include "plumbline/text/tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/text/unicode.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// A complete small tokenizer: letters, one merge, one added token.
Json small_tokenizer() {
  return parse_json(R"({"version": "1.0", "added_tokens": [{"id": 4, "content": "<e>", "single_word": false,
      "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s+"}, "behavior": "Isolated", "invert": false},
    "post_processor": null, "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, " ": 3}, "merges": ["a b"]}})",
                    "small");
}

std::string outcome(const std::string& content) {
  const test::TemporaryFolder folder;
  try {
    const Tokenizer tokenizer = Tokenizer::load(folder.write("tokenizer.json", content));
    tokenizer.decode(tokenizer.encode("ab <e>a\xCC\x81 ba"));
    return "ok";
  } catch (const DataError& error) {
    EXPECT_FALSE(error.where().empty());
    return error.id();
  }
}

std::string outcome_with(const std::string& pointer, const Json& value) {
  Json json = small_tokenizer();
  json[Json::json_pointer(pointer)] = value;
  return outcome(json.dump());
}

TEST(HostileTokenizer, TheSmallOneWorks) {
  const test::TemporaryFolder folder;
  const Tokenizer tokenizer = Tokenizer::load(folder.write("tokenizer.json", small_tokenizer().dump()));
  EXPECT_EQ(tokenizer.encode("ab <e>ba"), (std::vector<int64_t>{2, 3, 4, 1, 0}));
  EXPECT_EQ(tokenizer.decode({2, 3, 4, 99, -1}), "ab <e>");
  EXPECT_EQ(tokenizer.decode_text({2, 3, 4}), "ab ");
}

TEST(HostileTokenizer, EveryCutIsAnError) {
  const std::string whole = small_tokenizer().dump();
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(outcome(whole.substr(0, length)), "data.json") << length;
}

TEST(HostileTokenizer, UnknownPartsAreNamed) {
  for (const auto& [pointer, name] :
       std::vector<std::pair<std::string, std::string>>{{"/normalizer/type", "Precompiled"},
                                                        {"/pre_tokenizer/type", "UnicodeScripts"},
                                                        {"/decoder/type", "WordPiece"},
                                                        {"/model/type", "Unigram"},
                                                        {"/pre_tokenizer/behavior", "Sideways"}}) {
    EXPECT_EQ(outcome_with(pointer, name), "data.tokenizer_unsupported") << pointer;
  }
  EXPECT_EQ(outcome_with("/post_processor", {{"type", "WordProcessing"}}), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/model/dropout", 0.1), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/normalizer", {{"type", "BertNormalizer"}}), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/pre_tokenizer/pattern/Regex", "\\p{Greek}"), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/pre_tokenizer/pattern/Regex", "(?<name>a)"), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/pre_tokenizer/pattern/Regex", "a{2,3}+"), "data.tokenizer_unsupported");
  EXPECT_EQ(outcome_with("/pre_tokenizer/pattern/Regex", "(a"), "data.tokenizer");
}

TEST(HostileTokenizer, WrongIdsAndMergesAreRefused) {
  for (const int64_t id : {int64_t{-1}, int64_t{0}, int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(outcome_with("/model/vocab/ab", id), "data.tokenizer") << id;
  }
  EXPECT_EQ(outcome_with("/added_tokens/0/id", 2), "data.tokenizer");
  EXPECT_EQ(outcome_with("/added_tokens/0/id", -5), "data.tokenizer");
  EXPECT_EQ(outcome_with("/model/merges", {"a c"}), "data.tokenizer");
  EXPECT_EQ(outcome_with("/model/merges", {"b a"}), "data.tokenizer");
  EXPECT_EQ(outcome_with("/model/merges", {"a b c"}), "data.tokenizer");
  EXPECT_EQ(outcome_with("/model/merges", {{"a", "b", "c"}}), "data.tokenizer");
  EXPECT_EQ(outcome_with("/model/vocab/ab", "2"), "data.tokenizer");
  EXPECT_EQ(outcome(R"({"model": {"vocab": {"a": 0, "a": 1}, "merges": []}})"), "data.tokenizer");
}

TEST(HostileTokenizer, WrongTypesAnywhereAreErrors) {
  const Json flat = small_tokenizer().flatten();
  for (const auto& [pointer, ignored] : flat.items()) {
    for (const Json& value :
         {Json(nullptr), Json(1.5), Json("x"), Json::array({1}), Json::object({{"k", 1}}), Json(-3)}) {
      outcome_with(pointer, value);  // a DataError or a tokenizer that works: anything but a crash
    }
  }
  EXPECT_EQ(outcome(std::string(100000, '[')), "data.tokenizer");
  EXPECT_EQ(outcome("[]"), "data.json_type");
}

TEST(HostileTokenizer, DeepAndRepeatedPartsAreRefused) {
  std::string nested = R"({"type": "NFC"})";
  for (int i = 0; i < 5000; ++i) nested = R"({"type": "Sequence", "normalizers": [)" + nested + "]}";
  EXPECT_EQ(outcome(R"({"model": {"vocab": {"a": 0}, "merges": []}, "normalizer": )" + nested + "}"), "data.tokenizer");
}

TEST(HostileTokenizer, AnyBytesCanBeEncoded) {
  PL_NEED_SHARED("golden/tokenizers/small-gpt2-split");
  for (const char* name : {"small-gpt2-split", "small-llama3-split", "small-sentencepiece"}) {
    const Tokenizer tokenizer = Tokenizer::load(test::shared_path(std::string("golden/tokenizers/") + name));
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes(random() % 24, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random() % 3 ? random() % 256 : " ab<\n"[random() % 5]);
      // What is not UTF-8 is replaced before anything else happens.
      const auto ids = tokenizer.encode(bytes);
      EXPECT_EQ(ids, tokenizer.encode(replace_invalid_utf8(bytes)));
      EXPECT_TRUE(is_valid_utf8(tokenizer.decode(ids)));
    }
  }
}

TEST(HostileTokenizer, LongRunsTakeNoQuadraticTime) {
  PL_NEED_SHARED("golden/tokenizers/small-sentencepiece");
  for (const char* name : {"small-gpt2-split", "small-llama3-split", "small-sentencepiece"}) {
    const Tokenizer tokenizer = Tokenizer::load(test::shared_path(std::string("golden/tokenizers/") + name));
    for (const std::string unit : {" ", "a", "ab ", "\n", "1", "!", "<", "\xE4\xB8\xAD", "\t "}) {
      std::string text;
      while (text.size() < 200000) text += unit;
      const double start = now_s();
      tokenizer.encode(text);
      EXPECT_LT(now_s() - start, 10.0) << name << ": " << unit;
    }
  }
}

}  // namespace
}  // namespace plumbline
