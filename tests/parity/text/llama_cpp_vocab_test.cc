/// Tokenizers out of GGUF files against the vectors that llama.cpp ships with its vocabulary files (made by the
/// original tokenizers). The files are not stored here: PLUMBLINE_LLAMA_CPP_MODELS names the folder
/// vendor/llama.cpp/models of the sdist of llama-cpp-python (0.3.36 was used); without it these tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/text/tokenizer.h"

namespace plumbline {
namespace {

std::vector<std::string> texts_of(const std::string& file) {
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  size_t last = 0;
  for (size_t at = file.find(separator); at != file.npos; at = file.find(separator, last)) {
    texts.push_back(file.substr(last, at - last));
    last = at + separator.size();
  }
  return texts;
}

class LlamaCppVocabulary : public testing::TestWithParam<const char*> {};

TEST_P(LlamaCppVocabulary, EveryVectorIsExact) {
  const char* folder = std::getenv("PLUMBLINE_LLAMA_CPP_MODELS");
  if (!folder) GTEST_SKIP() << "PLUMBLINE_LLAMA_CPP_MODELS is not set";
  const std::string path = std::string(folder) + "/ggml-vocab-" + GetParam() + ".gguf";
  const Tokenizer tokenizer = Tokenizer::load(path);
  const std::vector<std::string> texts = texts_of(read_file(path + ".inp"));
  std::istringstream lines(read_file(path + ".out"));
  size_t num_rows = 0;
  for (std::string line; std::getline(lines, line); ++num_rows) {
    ASSERT_LT(num_rows, texts.size());
    std::vector<int64_t> ids;
    std::istringstream numbers(line);
    for (int64_t id = 0; numbers >> id;) ids.push_back(id);
    EXPECT_EQ(tokenizer.encode(texts[num_rows]), ids) << texts[num_rows];
  }
  EXPECT_GE(num_rows, 40u);
}

INSTANTIATE_TEST_SUITE_P(All, LlamaCppVocabulary,
                         testing::Values("gpt-2", "starcoder", "refact", "qwen2", "qwen35", "llama-bpe", "deepseek-llm",
                                         "deepseek-coder", "llama-spm", "phi-3"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace plumbline
