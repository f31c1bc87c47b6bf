#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

TEST(Json, ANullByteEndsNothing) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"{\"a\":1}\0"sv, "{\"a\":1}\0{\"a\":2}"sv, "{\"a\":\"x\0y\"}"sv, "\0{}"sv}) {
    EXPECT_THROW(parse_json(text, "text"), DataError);
  }
}

TEST(Error, LineHasIdMessagePlaceAndNextStep) {
  const ConfigError error("config.unknown_key", "train.lrr is not a key", "a.toml:3:1", "did you mean train.lr?");
  EXPECT_EQ(error.line(), "config.unknown_key: train.lrr is not a key (a.toml:3:1); did you mean train.lr?");
  EXPECT_EQ(static_cast<int>(error.exit_code()), 2);
}

TEST(Error, LineEscapesTerminalControl) {
  const DataError error("data.x", "bad \x1b[31mred\n\xc2\x9b", "", "");
  EXPECT_EQ(error.line(), "data.x: bad \\x1b[31mred\\n\\x9b");
}

TEST(Error, LineEscapesWhatReadsAsSomethingElse) {
  // Right-to-left override, line and paragraph separators, byte order mark, zero width space, isolate, a tag letter.
  EXPECT_EQ(escape_control("a\u202Eb\u2028c\u2029d\uFEFFe\u200Bf\u2066g\U000E0041h"),
            "a\\u202eb\\u2028c\\u2029d\\ufeffe\\u200bf\\u2066g\\U000e0041h");
  EXPECT_EQ(escape_control("lines\n\u2028", /*keep_newlines=*/true), "lines\n\\u2028");
}

TEST(Json, LineObeysNoTerminalAndKeepsItsValue) {
  const Json value = {{"a\u202E", "b\u009bc\u2028\u007f"}, {"tag", "\U000E0041"}, {"plain", "caf\u00e9 \U0001F469"}};
  const std::string line = to_json_line(value);
  EXPECT_EQ(line, R"({"a\u202e":"b\u009bc\u2028\u007f","tag":"\udb40\udc41","plain":")"
                  "caf\u00e9 \U0001F469\"}");
  EXPECT_EQ(parse_json(line, "here"), value);
}

TEST(Error, LineKeepsWhatIsWritten) {
  const std::string text = "caf\u00e9 \u65e5\u672c \u0645\u06cc\u200c\u062e \U0001F469\u200D\U0001F4BB";
  EXPECT_EQ(escape_control(text), text);
  EXPECT_EQ(escape_control("cut \xe2\x80"), "cut \xe2\\x80");  // a C1 control to whoever reads Latin-1
}

TEST(Check, StaysOnInRelease) {
  EXPECT_THROW(PL_CHECK(1 == 2, "sums"), InternalError);
}

TEST(Sha256, MatchesFips180Vectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(FileSystem, WriteReplacesWholeOrNotAtAll) {
  const test::TemporaryFolder folder;
  write_file(folder.file("a"), "one");
  write_file(folder.file("a"), "two");
  EXPECT_EQ(read_file(folder.file("a")), "two");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.partial")));
  EXPECT_THROW(write_file(folder.file("no/such/folder"), "x"), DataError);
}

// As root, a rename onto /dev/null replaces the device for the whole machine.
TEST(FileSystem, NothingButAPlainFileIsReplaced) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_file(folder.file("pipe"), "x"), DataError);
  EXPECT_TRUE(std::filesystem::is_fifo(folder.file("pipe")));
}

TEST(FileSystem, MissingFileNamesItself) {
  try {
    read_file("/nonexistent/x");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.missing_file");
    EXPECT_EQ(error.where(), "/nonexistent/x");
  }
}

TEST(Json, AnErrorShowsWhatStandsThereOrThatTheTextWasCut) {
  const auto line_of = [](std::string_view text) {
    try {
      parse_json(text, "config.json");
    } catch (const DataError& error) {
      return error.line();
    }
    return std::string("no error");
  };
  EXPECT_NE(line_of(R"({"rms_norm_eps": NaN, "x": 1})").find(R"(at "rms_norm_eps": NaN ()"), std::string::npos);
  EXPECT_NE(line_of("Write f(x)").find("at Write ("), std::string::npos);
  for (const std::string_view cut : {R"({"a": [1, 2)", R"({"a": "tex)", R"({"a": tr)", "{"}) {
    EXPECT_NE(line_of(cut).find("ends too early"), std::string::npos) << line_of(cut);
  }
}

TEST(Json, RefusesDuplicatesTrailingTextAndNan) {
  EXPECT_THROW(parse_json(R"({"a":1,"a":2})", "x"), DataError);
  EXPECT_THROW(parse_json(R"({"a":{"b":1,"b":2}})", "x"), DataError);
  EXPECT_THROW(parse_json("1 2", "x"), DataError);
  EXPECT_THROW(parse_json("NaN", "x"), DataError);
  EXPECT_THROW(parse_json("", "x"), DataError);
  EXPECT_THROW(parse_json("\"\xff\"", "x"), DataError);
  EXPECT_THROW(parse_json(std::string(2000, '[') + std::string(2000, ']'), "x"), DataError);
  EXPECT_EQ(parse_json(R"([{"a":1},{"a":2}])", "x").size(), 2u);
}

}  // namespace
}  // namespace plumbline
