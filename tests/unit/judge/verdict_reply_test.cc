/// The strict reading of a reply, both ways: what is a verdict, and what is none.
#include "plumbline/judge/verdict_reply.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

JudgeAnswer read(const std::string& content, JudgeMode mode = JudgeMode::kSupport) {
  ChatReply reply;
  reply.content = content;
  reply.finish_reason = "stop";
  return read_verdict(reply, mode);
}

TEST(VerdictReply, WhatIsAVerdict) {
  EXPECT_EQ(read(R"({"supported": true})").outcome, JudgeOutcome::kSupported);
  EXPECT_EQ(read(R"({"supported": false, "reason": "off by one"})").outcome, JudgeOutcome::kNotSupported);
  EXPECT_EQ(read(R"({"supported": false, "reason": "off by one"})").reason, "off by one");
  EXPECT_EQ(read("  \n{\"supported\": true, \"abstained\": false}\n").outcome, JudgeOutcome::kSupported);
  EXPECT_EQ(read("```json\n{\"supported\": false}\n```").outcome, JudgeOutcome::kNotSupported);
  EXPECT_EQ(read("<think>maybe {\"supported\": false}</think>\n{\"supported\": true}").outcome,
            JudgeOutcome::kSupported);
}

TEST(VerdictReply, AnAbstentionIsTheJudgesOwnAndNoVerdict) {
  const JudgeAnswer answer = read(R"({"abstained": true, "reason": "no reference"})");
  EXPECT_EQ(answer.outcome, JudgeOutcome::kAbstained);
  EXPECT_EQ(answer.reason, "no reference");
  EXPECT_FALSE(is_verdict(answer.outcome));
  EXPECT_EQ(read(R"({"supported": null, "abstained": true})").outcome, JudgeOutcome::kAbstained);
}

TEST(VerdictReply, WhatIsNone) {
  const char* texts[] = {R"({"supported": "true"})",
                         R"({"supported": "false"})",
                         R"({"supported": 1})",
                         R"({"supported": 0})",
                         R"({"supported": null})",
                         R"({"Supported": true})",
                         R"({"supported": true, "abstained": true})",
                         R"({"abstained": "yes", "supported": true})",
                         R"({"abstained": false})",
                         R"({"supported": true, "supported": false})",
                         R"([{"supported": true}])",
                         R"({"verdict": {"supported": true}})",
                         R"({"supported": true} {"supported": false})",
                         R"({"supported": true}. I am sure.)",
                         "{\"supported\": true",
                         "true",
                         "supported",
                         "null",
                         "",
                         "   ",
                         "<think>{\"supported\": true}",
                         "```\n{\"supported\": true}",
                         "```json\n{\"supported\": true}\n```\n```json\n{\"supported\": false}\n```",
                         "{'supported': True}",
                         "{\"supported\": NaN}",
                         "\xff\xfe"};
  for (const char* text : texts) {
    const JudgeAnswer answer = read(text);
    EXPECT_EQ(answer.outcome, JudgeOutcome::kUnparsable) << text;
    EXPECT_FALSE(answer.kind.empty()) << text;
    EXPECT_FALSE(answer.reason.empty()) << text;
  }
}

TEST(VerdictReply, Pairs) {
  EXPECT_EQ(read(R"({"better": "A"})", JudgeMode::kPair).outcome, JudgeOutcome::kFirst);
  EXPECT_EQ(read(R"({"better": "B"})", JudgeMode::kPair).outcome, JudgeOutcome::kSecond);
  EXPECT_EQ(read(R"({"better": "tie"})", JudgeMode::kPair).outcome, JudgeOutcome::kTie);
  EXPECT_EQ(read(R"({"abstained": true})", JudgeMode::kPair).outcome, JudgeOutcome::kAbstained);
  for (const char* text : {R"({"better": "a"})", R"({"better": ""})", R"({"better": null})", R"({"supported": true})",
                           R"({"better": ["A"]})", "A", "tie"}) {
    EXPECT_EQ(read(text, JudgeMode::kPair).outcome, JudgeOutcome::kUnparsable) << text;
  }
}

TEST(VerdictReply, ACallThatFailedIsNeverATie) {
  for (int kind = static_cast<int>(CallKind::kUnauthorized); kind <= static_cast<int>(CallKind::kWrongJson); ++kind) {
    ChatReply reply;
    reply.kind = static_cast<CallKind>(kind);
    reply.content = R"({"better": "tie"})";
    EXPECT_FALSE(is_verdict(read_verdict(reply, JudgeMode::kPair).outcome)) << to_string(reply.kind);
  }
}

}  // namespace
}  // namespace plumbline
