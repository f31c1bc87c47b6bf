/// Readers on text that is nearly, or not at all, what it should be.
#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/base/crc32c.h"
#include "plumbline/base/error.h"
#include "plumbline/doctor/readers/completion_text.h"
#include "plumbline/doctor/readers/flat_row.h"
#include "plumbline/doctor/readers/judge_rows.h"
#include "plumbline/doctor/readers/read_inputs.h"
#include "plumbline/doctor/readers/series.h"
#include "plumbline/doctor/readers/tensorboard.h"
#include "plumbline/doctor/readers/text_log.h"
#include "tests/support/temporary_folder.h"

namespace plumbline::doctor {
namespace {

FlatRow row_of(const std::string& text) {
  JsonStream stream(text, nullptr, "text");
  FlatRow row;
  row.read(stream);
  return row;
}

std::string error_of(const std::string& text) {
  try {
    JsonStream stream(text, nullptr, "text");
    stream.skip();
    if (stream.kind() != JsonStream::Kind::kEnd) return "rest";
    return "";
  } catch (const DataError& error) {
    return error.id();
  }
}

TEST(JsonStream, RefusesWhatIsNoJsonAndSaysWhatIsCut) {
  for (const char* text :
       {"{'a': 1}", "[1,]", "{\"a\" 1}", "[01x]", "\"a\nb\"", "\"\\x\"", "nul0", "{\"a\":1,}", "[1 2]", "+1", "--1"}) {
    EXPECT_EQ(error_of(text), "data.json") << text;
  }
  for (const char* text : {"{\"a\": ", "[1, 2", "\"abc", "{\"a\"", "tru"}) {
    EXPECT_EQ(error_of(text), "data.truncated_file") << text;
  }
  EXPECT_EQ(error_of(std::string(300, '[')), "data.json");
  EXPECT_EQ(error_of("{} {}"), "rest");
  EXPECT_EQ(error_of("\xEF\xBB\xBF [1, -2.5e3, \"\\u00e9\\ud83d\\ude00\", null, true, {}]\r\n"), "");
}

TEST(JsonStream, DecodesAsJsonSays) {
  const FlatRow row =
      row_of("{\"a\":\"\\u00e9\\ud83d\\ude00\\ud800x\\n\",\"b\":NaN,\"c\":\"-1.5\",\"d\":[[\"x\"],{\"e\":true}]}");
  EXPECT_EQ(row.text("a"), "\u00e9\U0001F600\uFFFDx\n");
  EXPECT_FALSE(row.number("b"));
  EXPECT_EQ(row.number("c"), -1.5);
  EXPECT_EQ(row.text("d[0][0]"), "x");
  EXPECT_EQ(row.flag("d[1].e"), true);
  EXPECT_EQ(row.array_size("d"), 2);
}

TEST(FlatRow, NamesAKeyWithTwoValuesAndAcceptsARepeatedOne) {
  EXPECT_EQ(row_of("{\"a\":1,\"b\":{\"c\":2,\"c\":3}}").conflict(), "b.c");
  EXPECT_EQ(row_of("{\"a\":1,\"a\":1}").conflict(), "");
}

TEST(FlatRow, KeepsWithinItsLimits) {
  std::string wide = "{";
  for (int i = 0; i < 5000; ++i) wide += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  EXPECT_EQ(row_of(wide + "}").leaves().size(), FlatRow::kMaxLeaves);
  std::string ids = "{\"token_ids\":[0";
  for (int i = 1; i < 9000; ++i) ids += "," + std::to_string(i);
  const FlatRow row = row_of(ids + "]}");
  EXPECT_EQ(row.array_size("token_ids"), 9000);
  EXPECT_LT(row.leaves().size(), 10u);
}

TEST(CompletionText, FencesCodeAndMarkers) {
  EXPECT_EQ(fence_of("text"), Fence::kNone);
  EXPECT_EQ(fence_of("a\n```python\nx"), Fence::kOpen);
  EXPECT_EQ(fence_of("```\nx\n```\nand ```inline"), Fence::kClosed);
  EXPECT_EQ(fence_of("say ``` inside a line"), Fence::kNone);
  EXPECT_TRUE(looks_like_code("    return x"));
  EXPECT_TRUE(looks_like_code("from math import pi"));
  EXPECT_FALSE(looks_like_code("To return the sum, go over the list.\nfor each one add it."));
  EXPECT_TRUE(has_chat_markers("<|im_start|>user"));
  EXPECT_FALSE(has_chat_markers("Question: a < b | c > d"));
  EXPECT_TRUE(is_chat_model_name("google/gemma-2-2b-it"));
  EXPECT_FALSE(is_chat_model_name("lab/bitnet-critic"));
  EXPECT_TRUE(is_chat_model_name("zai-org/glm-4-9b-chat-hf"));
}

TEST(CompletionText, StepsThatOnlyRepeatAreOne) {
  EXPECT_EQ(count_distinct_steps({"(x + 1)", "x+1", "x + 1 "}), 1);
  EXPECT_EQ(count_distinct_steps({"(x**2 + 1)*(sin(x)**2 + cos(x)**2)", "(x**2+1)*1", "x**2 + 1"}), 1);
  EXPECT_EQ(count_distinct_steps({"(x+2)*(x+3)", "x*(x+3)+2*(x+3)", "x**2+5*x+6"}), 3);
}

TEST(JudgeReply, OnlyABooleanIsAVerdict) {
  EXPECT_TRUE(is_verdict_reply("Sure: {\"supported\": true}"));
  for (const char* reply :
       {"", "yes", "{\"supported\": \"false\"}", "{\"supported\": tr", "I'm sorry", "{\"other\": true}"}) {
    EXPECT_FALSE(is_verdict_reply(reply)) << reply;
  }
}

TEST(Series, NamesOfTrainers) {
  EXPECT_EQ(canonical_series("critic/rewards/mean"), "reward");
  EXPECT_EQ(canonical_series("rewards/ground_truth_pass/mean"), "truth");
  EXPECT_EQ(canonical_series("rewards/ground_truth_pass/std"), "");
  EXPECT_EQ(canonical_series("clip_ratio/high_mean"), "");
  EXPECT_EQ(canonical_series("response_length/clip_ratio"), "clipped");
}

TEST(EventFile, ChecksumIsThatOfTheStandardAndLengthsAreBounded) {
  // RFC 3720 B.4: 32 bytes of zeros have the CRC-32C 0x8A9136AA.
  const uint32_t crc = 0x8A9136AA;
  EXPECT_EQ(masked_crc32c(std::string(32, '\0')), (crc >> 15 | crc << 17) + 0xA282EAD8u);
  const test::TemporaryFolder folder;
  std::string huge = "\xff\xff\xff\xff\xff\xff\xff\x7f";
  const uint32_t masked = masked_crc32c(huge);
  for (int i = 0; i < 4; ++i) huge += static_cast<char>(masked >> 8 * i);
  ByteSource source(folder.write("e", huge));
  Collector collector;
  EXPECT_THROW(read_event_file("e", "", source, collector), DataError);
}

TEST(TextLog, LinesMayEndAnyhowAndBeEndless) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("log", "a\rb\r\nc" + std::string(3 << 20, 'x') + "\nlast");
  ByteSource source(path);
  std::vector<std::string> lines;
  for_each_line("", source, [&](std::string_view line) { lines.emplace_back(line.substr(0, 5)); });
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "", "cxxxx", "last"}));
}

TEST(ReadInputs, AFileWithoutAReadableRowIsToldOnceAndWithTheReason) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("rows.jsonl", "{\"a\" 1}\n{\"b\" 2}\n");
  const Evidence evidence = read_inputs({path}, {});
  ASSERT_EQ(evidence.unreadable.size(), 1u);
  EXPECT_EQ(evidence.unreadable[0].where, path);
  EXPECT_NE(evidence.unreadable[0].reason.find("no row of it can be read; the first: "), std::string::npos)
      << evidence.unreadable[0].reason;
  EXPECT_EQ(evidence.num_read, 0);
}

TEST(ReadInputs, LocksAndSettingsOfJudgeAndTeachAreKnown) {
  const test::TemporaryFolder folder;
  folder.write("verdicts.jsonl.lock", "");
  folder.write("settings.json", "{\"schema\": \"judge_settings.v1\", \"mode\": \"support\"}\n");
  folder.write("rows.jsonl", "{\"id\": 1, \"passed\": true, \"completion\": \"x\"}\n");
  const Evidence evidence = read_inputs({folder.path()}, {});
  EXPECT_TRUE(evidence.unreadable.empty());
  for (const NotChecked& item : evidence.not_checked) {
    EXPECT_EQ(item.reason.find("kind"), std::string::npos) << item.where << ": " << item.reason;
  }
}

}  // namespace
}  // namespace plumbline::doctor
