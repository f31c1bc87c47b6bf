/// Random Unicode strings through small tokenizers and back, against the tokenizers library (roundtrip_rows.jsonl.gz by
/// tools/reference/roundtrip_tokenizers.py, which has the command).
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"
#include "plumbline/text/model_text.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

TEST(RoundtripRows, IdsAndDecodedTextAreTheLibrarys) {
  PL_NEED_SHARED("golden/tokenizers/small-gpt2-split");
  const std::string path = test::source_path("tests/parity/text/roundtrip_rows.jsonl.gz");
  std::istringstream lines(read_file_inflated(path));
  std::string line;
  std::getline(lines, line);
  std::map<std::string, ModelText> loaded;
  int num_rows = 0;
  for (; std::getline(lines, line); ++num_rows) {
    const Json row = parse_json(line, path);
    const auto name = row[0].get<std::string>();
    if (!loaded.contains(name)) {
      const std::string folder =
          name == "tiny" ? test::source_path("models/tiny") : test::shared_path("golden/tokenizers/" + name);
      loaded.emplace(name, ModelText::load(folder));
    }
    const Tokenizer& tokenizer = loaded.at(name).tokenizer();
    const std::vector<int64_t> ids = tokenizer.encode(row[1].get<std::string>());
    std::string answer;
    for (const int64_t id : ids) answer += (answer.empty() ? "" : " ") + std::to_string(id);
    answer += "\n" + tokenizer.decode(ids);
    EXPECT_EQ(sha256_hex(answer).substr(0, 16), row[2].get<std::string>()) << name << ": " << row[1];
  }
  EXPECT_GE(num_rows, 3000);
}

}  // namespace
}  // namespace plumbline
