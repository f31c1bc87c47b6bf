/// Tokenizer files put together from every known part against the tokenizers library (tokenizer_rows.jsonl.gz, written
/// by tools/reference/fuzz_tokenizers.py; its first line has the command and the version).
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/text/tokenizer.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using Ids = std::vector<int64_t>;

void expect_row(const Tokenizer& tokenizer, const Json& row, const Json& file) {
  const auto text = row["text"].get<std::string>();
  const Ids ids = tokenizer.encode(text);
  Ids special = tokenizer.ids_before();
  special.insert(special.end(), ids.begin(), ids.end());
  special.insert(special.end(), tokenizer.ids_after().begin(), tokenizer.ids_after().end());
  const auto tokens = row["tokens"].get<Ids>();
  const bool all_equal = ids == row["ids"].get<Ids>() && special == row["special"].get<Ids>() &&
                         tokenizer.decode(tokens) == row["decoded"].get<std::string>() &&
                         tokenizer.decode_text(tokens) == row["shown"].get<std::string>();
  EXPECT_TRUE(all_equal) << row << "\n"
                         << Json(ids) << tokenizer.decode(tokens) << "\n"
                         << file["pre_tokenizer"] << file["normalizer"] << file["decoder"] << file["added_tokens"];
}

TEST(TokenizerRows, EveryFileIsExactOrRefusedByName) {
  const std::string path = test::source_path("tests/parity/text/tokenizer_rows.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);  // how it was made
  int num_files = 0, num_refused = 0;
  const test::TemporaryFolder folder;
  for (; std::getline(lines, line); ++num_files) {
    const Json stored = parse_json(line, path);
    try {
      const Tokenizer tokenizer = Tokenizer::load(folder.write("tokenizer.json", stored["file"].dump()));
      for (const Json& row : stored["rows"]) expect_row(tokenizer, row, stored["file"]);
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.tokenizer_unsupported") << error.message();
      ++num_refused;
    }
  }
  std::printf("%d files, %d refused\n", num_files, num_refused);
  EXPECT_GE(num_files, 60);
  EXPECT_LE(num_refused, 3);
}

}  // namespace
}  // namespace plumbline
