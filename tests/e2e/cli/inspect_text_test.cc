/// `plumbline inspect MODEL tokens` and `render` as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

test::ProcessResult inspect(std::vector<std::string> words, const std::string& input) {
  words.insert(words.begin(), {test::binary_path("plumbline"), "inspect"});
  return test::run_process(words, input);
}

TEST(InspectTokens, BothWays) {
  PL_NEED_SHARED("golden/tokenizers/small-gpt2-split");
  const std::string folder = test::shared_path("golden/tokenizers/small-gpt2-split");
  std::ifstream golden(folder + "/golden.jsonl");
  std::string texts, ids, decoded;
  for (std::string line; std::getline(golden, line);) {
    const Json row = parse_json(line, "golden");
    texts += to_json_line(row["text"]) + "\n";
    ids += to_json_line(row["ids"]) + "\n";
    decoded += to_json_line(row.contains("decoded") ? row["decoded"] : row["text"]) + "\n";
  }
  const auto forward = inspect({folder, "tokens"}, texts);
  EXPECT_EQ(forward.exit_code, 0) << forward.err;
  EXPECT_EQ(forward.out, ids);
  EXPECT_EQ(inspect({folder + "/tokenizer.json", "tokens", "--decode"}, ids).out, decoded);
}

TEST(InspectTokens, DecodeRefusesImpossibleIdsByLineAndId) {
  const std::string folder = test::source_path("models/tiny");
  for (const std::string id : {"-1", "4294967296", "9223372036854775807", "999999"}) {
    const auto result = inspect({folder, "tokens", "--decode"}, "[0, 1]\n\n[1, " + id + "]\n");
    EXPECT_EQ(result.exit_code, 3) << id;
    EXPECT_EQ(result.err.rfind("data.unknown_token_id: ", 0), 0u) << result.err;
    EXPECT_NE(result.err.find("the id " + id), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("stdin, line 3"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << "the good line before it is answered";
  }
  for (const std::string line : {"[1.5]", "[\"1\"]", "[true]", "[18446744073709551615]", "7", "[[1]]"}) {
    const auto result = inspect({folder, "tokens", "--decode"}, line + "\n");
    EXPECT_EQ(result.exit_code, 3) << line;
    EXPECT_EQ(result.err.rfind("data.", 0), 0u) << result.err;
    EXPECT_NE(result.err.find("stdin, line 1"), std::string::npos) << result.err;
  }
}

TEST(InspectRender, TemplateFileAloneIsEnough) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("t.jinja",
                   "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
                   "{{ strftime_now('%d %b %Y') }}{{ raise_exception('no') if stop }}{{ tools is none }}");
  const std::string input =
      "[{\"role\": \"user\", \"content\": \"\xC3\xA9\"}]\n"
      "{\"messages\": [], \"extra\": {\"bos_token\": \"<s>\", \"stop\": true}}\n";
  const auto result =
      inspect({folder.path() + "/nothing", "render", "--template", file, "--now", "2025-03-14T15:09:26"}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "\"\xC3\xA9"
            "14 Mar 2025True\"\n{\"error\":\"TemplateError: no\"}\n");
}

TEST(InspectText, NothingOnStandardInputIsAnErrorThatSaysWhatALineHolds) {
  const std::string folder = test::source_path("models/tiny");
  for (const auto& [words, holds] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{folder, "tokens"}, "a JSON string"},
           {{folder, "tokens", "--decode"}, "an array of token ids"},
           {{folder, "render"}, "an array of messages"}}) {
    for (const char* input : {"", "\n \n"}) {
      const auto result = inspect(words, input);
      EXPECT_EQ(result.exit_code, 3);
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err.rfind("data.no_rows: nothing came on standard input", 0), 0u) << result.err;
      EXPECT_NE(result.err.find(holds), std::string::npos) << result.err;
    }
  }
}

TEST(InspectText, AnAbsolutePathThatIsMissingIsNamedAsItIs) {
  const auto result = inspect({"/no/such/model", "tokens"}, "");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("(/no/such/model)"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("models//no"), std::string::npos) << result.err;
}

TEST(InspectText, WrongInputIsOneLineAndTheDocumentedCode) {
  const test::TemporaryFolder folder;
  const std::string bad = folder.write("bad.jinja", "{% nope %}");
  const auto unknown_tag = inspect({folder.path(), "render", "--template", bad}, "[]\n");
  EXPECT_EQ(unknown_tag.exit_code, 3);
  EXPECT_EQ(unknown_tag.err.rfind("data.template_syntax: ", 0), 0u) << unknown_tag.err;
  EXPECT_NE(unknown_tag.err.find("line 1, column 4"), std::string::npos) << unknown_tag.err;
  EXPECT_EQ(inspect({folder.file("missing"), "tokens"}, "").exit_code, 3);
  EXPECT_EQ(inspect({folder.file("missing"), "render"}, "").exit_code, 3);
  EXPECT_EQ(
      inspect({folder.path(), "render", "--template", folder.write("ok.jinja", "x"), "--now", "soon"}, "").exit_code,
      2);
  EXPECT_EQ(inspect({folder.path(), "render", "--template", folder.file("ok.jinja")}, "{\"messages\": 3}\n").exit_code,
            3);
}

}  // namespace
}  // namespace plumbline
