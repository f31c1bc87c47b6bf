/// Every way in which providers misbehave: the typed outcome, and that it is no verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "plumbline/judge/chat_client.h"
#include "plumbline/judge/question.h"
#include "plumbline/judge/verdict_reply.h"
#include "tests/support/fake_provider.h"
#include "tests/support/tls_server.h"

namespace plumbline {
namespace {

using test::AskedQuestion;
using test::FakeProvider;
using test::Misbehaviour;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKey = "sk-test-7f3a91c2d4e5b6a798c0d1e2f3a4b5c6";

struct Asked {
  ChatReply reply;
  JudgeAnswer answer;
};

RemoteOptions quick() {
  RemoteOptions options;
  options.attempts = 2;
  options.timeout_s = 1;
  return options;
}

Asked ask(const std::string& spec, RemoteOptions options = quick()) {
  ::setenv("PLUMBLINE_PROVIDER_KEY", kKey, 1);
  const ChatClient client(parse_provider_spec(spec, "test"), options, {}, nullptr);
  const Question question(JudgeMode::kSupport, "");
  Asked asked;
  asked.reply = client.ask(question.request({"2 + 2?", "4", "4", ""}));
  asked.answer = read_verdict(asked.reply, JudgeMode::kSupport);
  return asked;
}

struct Case {
  Misbehaviour how;
  JudgeOutcome outcome;
  const char* kind;
  int http_status;
  int num_requests;
  const char* words;  ///< that must be in the reason
};

class Misbehaving : public testing::TestWithParam<Case> {};

TEST_P(Misbehaving, HasItsOwnOutcomeAndIsNoVerdict) {
  const Case& expected = GetParam();
  const FakeProvider provider(
      [&](const AskedQuestion& question) { return FakeProvider::misbehaves(question, expected.how); });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.outcome, expected.outcome);
  EXPECT_FALSE(is_verdict(asked.answer.outcome));
  EXPECT_EQ(asked.answer.kind, expected.kind);
  EXPECT_EQ(asked.reply.http_status, expected.http_status);
  EXPECT_EQ(provider.num_requests(), expected.num_requests);
  EXPECT_THAT(asked.answer.reason, HasSubstr(expected.words));
  for (const std::string& text : {asked.answer.reason, asked.reply.content, asked.reply.detail}) {
    EXPECT_THAT(text, Not(HasSubstr(kKey)));
    EXPECT_THAT(text, Not(HasSubstr(std::string(kKey).substr(8, 16))));
  }
}

constexpr auto kTransport = JudgeOutcome::kTransportError;
constexpr auto kUnparsable = JudgeOutcome::kUnparsable;

INSTANTIATE_TEST_SUITE_P(
    All, Misbehaving,
    testing::Values(
        Case{Misbehaviour::kUnauthorized, kTransport, "unauthorized", 401, 1, "Incorrect API key provided: [key]."},
        Case{Misbehaviour::kTermsOfService, kTransport, "forbidden", 403, 1,
             "not available in your region under the provider's Terms of Service"},
        Case{Misbehaviour::kNoSuchModel, kTransport, "not_found", 404, 1, "`fake-judge-1` does not exist"},
        Case{Misbehaviour::kRateLimit, kTransport, "rate_limited", 429, 2, "Rate limit reached"},
        Case{Misbehaviour::kServerError, kTransport, "server_error", 500, 2, "had an error while processing"},
        Case{Misbehaviour::kSlow, kTransport, "timeout", 200, 2, "in time"},
        Case{Misbehaviour::kCutBody, kTransport, "cut_body", 200, 2, "in the middle of the answer"},
        Case{Misbehaviour::kStreamCut, kTransport, "cut_body", 200, 2, "in the middle of the answer"},
        Case{Misbehaviour::kErrorUnder200, kTransport, "server_error", 200, 2, "Upstream is overloaded"},
        Case{Misbehaviour::kOtherModel, kTransport, "changed_model", 200, 1,
             "'fake-judge-1' was asked and 'cheaper-model-7b' answered"},
        Case{Misbehaviour::kOtherHost, kTransport, "redirect", 307, 1, "redirects a POST"},
        Case{Misbehaviour::kEmptyBody, kUnparsable, "empty_body", 200, 1, "empty"},
        Case{Misbehaviour::kHtml, kTransport, "html", 200, 2, "Sign in to the network"},
        Case{Misbehaviour::kWrongJson, kUnparsable, "wrong_json", 200, 1, "no choices"},
        Case{Misbehaviour::kRefusalText, kUnparsable, "refusal", 200, 1, "declines"},
        Case{Misbehaviour::kRefusalField, kUnparsable, "refusal", 200, 1, "I cannot judge this."},
        Case{Misbehaviour::kFalseAsText, kUnparsable, "not_boolean", 200, 1, "\"supported\" is \"false\""},
        Case{Misbehaviour::kEmptyContent, kUnparsable, "empty", 200, 1, "empty"},
        Case{Misbehaviour::kCutContent, kUnparsable, "cut", 200, 1, "token limit"},
        Case{Misbehaviour::kCutAtTheEnd, kUnparsable, "cut", 200, 1, "token limit"},
        Case{Misbehaviour::kProseAround, kUnparsable, "no_json", 200, 1, "not one JSON object"},
        Case{Misbehaviour::kTwoVerdicts, kUnparsable, "no_json", 200, 1, "not one JSON object"}),
    [](const auto& tested) { return std::string(tested.param.kind) + "_" + std::to_string(tested.index); });

TEST(Misbehaving, NobodyThere) {
  std::string spec;
  {
    const FakeProvider gone;
    spec = gone.spec();
  }
  const Asked asked = ask(spec);
  EXPECT_EQ(asked.answer.outcome, kTransport);
  EXPECT_EQ(asked.answer.kind, "connect");
}

TEST(Misbehaving, ACertificateThatNobodyVouchesForGetsNoKey) {
  const test::TlsServer server("DNS:localhost", 86400, "{}");
  const Asked asked = ask("local:fake@" + server.url("/v1"));
  EXPECT_EQ(asked.answer.outcome, kTransport);
  EXPECT_EQ(asked.answer.kind, "tls");
  EXPECT_THAT(asked.answer.reason, HasSubstr("certificate"));
  EXPECT_EQ(server.num_requests, 0);
}

TEST(Misbehaving, AHeaderThatIsTooLargeIsNoConnectionFailure) {
  const FakeProvider provider([](const AskedQuestion&) {
    return test::answer(200, "{}", {{"X-Padding", std::string(20000, 'a')}});
  });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.outcome, kTransport);
  EXPECT_EQ(asked.answer.kind, "protocol");
  EXPECT_THAT(asked.answer.reason, HasSubstr("a header of its answer is too large"));
  EXPECT_EQ(provider.num_requests(), 1);
}

TEST(Replies, HalfASurrogatePairIsAReplacementCharacter) {
  const FakeProvider provider([](const AskedQuestion&) {
    return test::answer(200, R"({"choices": [{"message": {"role": "assistant",
        "content": "cut \ud83d, \udc69 and \ud83d\udc69, \\ud83d"}, "finish_reason": "stop"}]})");
  });
  const ChatReply reply = ask(provider.spec()).reply;
  EXPECT_EQ(reply.kind, CallKind::kReply);
  EXPECT_EQ(reply.content, "cut \uFFFD, \uFFFD and \U0001F469, \\ud83d");
}

TEST(Replies, EndsHaveOneNameWhateverTheServerCallsThem) {
  const auto reason = [](const std::string& name) {
    const FakeProvider provider([&](const AskedQuestion&) {
      return test::answer(200, R"({"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": ")" +
                                   name + "\"}]}");
    });
    return ask(provider.spec()).reply.finish_reason;
  };
  for (const char* name : {"length", "LENGTH", "MAX_TOKENS", "max_tokens"}) EXPECT_EQ(reason(name), "length") << name;
  for (const char* name : {"stop", "STOP", "end_turn", "eos"}) EXPECT_EQ(reason(name), "stop") << name;
  EXPECT_EQ(reason("content_filter"), "content_filter");
}

TEST(Misbehaving, TwoChoicesAreNoVerdictAlsoWhenTheFirstIsOne) {
  const FakeProvider provider([](const AskedQuestion&) {
    const auto choice = [](const char* value) {
      return std::string(R"({"message": {"role": "assistant", "content": "{\"supported\": )") + value +
             R"(}"}, "finish_reason": "stop"})";
    };
    return test::answer(200, "{\"choices\": [" + choice("true") + ", " + choice("false") + "]}");
  });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.outcome, kUnparsable);
  EXPECT_EQ(asked.answer.kind, "wrong_json");
  EXPECT_THAT(asked.answer.reason, HasSubstr("2 choices"));
}

TEST(Request, AReasoningModelGetsItsLimitUnderItsOwnNameAndNoTemperature) {
  const FakeProvider provider;
  EXPECT_EQ(ask(provider.spec() + "#reasoning").answer.outcome, JudgeOutcome::kSupported);
  EXPECT_EQ(ask(provider.spec()).answer.outcome, JudgeOutcome::kSupported);
  const auto questions = provider.questions();
  EXPECT_THAT(questions.at(0).body, HasSubstr("\"max_completion_tokens\":1024"));
  EXPECT_THAT(questions.at(0).body, Not(HasSubstr("max_tokens")));
  EXPECT_THAT(questions.at(0).body, Not(HasSubstr("temperature")));
  EXPECT_THAT(questions.at(1).body, HasSubstr("\"temperature\":0"));
  EXPECT_THAT(questions.at(1).body, HasSubstr("\"max_tokens\":1024"));
  EXPECT_EQ(questions.at(0).model, "fake-judge-1");
}

TEST(Misbehaving, ARedirectToAnotherHostIsNotFollowedWithTheKey) {
  const FakeProvider other;
  const FakeProvider provider([&](const AskedQuestion&) {
    return test::answer(307, "", {{"Location", other.base_url() + "/chat/completions"}});
  });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.kind, "redirect");
  EXPECT_EQ(other.num_requests(), 0);
  EXPECT_EQ(provider.questions().at(0).key, kKey);
}

TEST(Misbehaving, ARedirectThatCarriesTheKeyInItsAddressDoesNotShowIt) {
  const FakeProvider provider([&](const AskedQuestion& question) {
    return test::answer(307, "", {{"Location", "http://localhost:9/" + question.key + "/x"}});
  });
  EXPECT_THAT(ask(provider.spec()).answer.reason, Not(HasSubstr("7f3a91c2d4e5")));
}

TEST(Misbehaving, AKeyInTheReplyIsTakenOut) {
  const FakeProvider provider(
      [](const AskedQuestion& question) { return FakeProvider::misbehaves(question, Misbehaviour::kKeyInTheReply); });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.outcome, JudgeOutcome::kSupported);
  EXPECT_EQ(asked.answer.reason, "your key is [key]");
  EXPECT_EQ(asked.reply.content, R"({"supported": true, "reason": "your key is [key]"})");
}

TEST(Retries, AnOutageUnderStatus200IsAskedAgainLikeA503) {
  for (const Misbehaviour how : {Misbehaviour::kHtml, Misbehaviour::kErrorUnder200}) {
    std::atomic<int> number = 0;
    const FakeProvider provider([&](const AskedQuestion& question) -> std::optional<test::ServedAnswer> {
      if (number++ > 0) return std::nullopt;
      return FakeProvider::misbehaves(question, how);
    });
    const Asked asked = ask(provider.spec());
    EXPECT_EQ(asked.answer.outcome, JudgeOutcome::kSupported) << asked.answer.reason;
    EXPECT_EQ(asked.reply.num_attempts, 2);
  }
}

// A key that is refused under status 200 stays refused.
TEST(Retries, ARefusalUnderStatus200IsNotAskedAgain) {
  const FakeProvider provider([](const AskedQuestion&) {
    return test::answer(200, R"({"error": {"message": "No credits left", "code": 402}})");
  });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.kind, "refused_call");
  EXPECT_EQ(provider.num_requests(), 1);
}

// What a page repeats of the key is in no line of the log either.
TEST(Retries, APageThatRepeatsTheKeyIsLoggedWithoutIt) {
  const FakeProvider provider([](const AskedQuestion& question) {
    return test::answer(200, "<html><title>Who is " + question.key + "?</title></html>");
  });
  testing::internal::CaptureStderr();
  const Asked asked = ask(provider.spec());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(asked.answer.reason, HasSubstr("Who is [key]?"));
  EXPECT_THAT(log, HasSubstr("a web page under status 200; trying again"));
  EXPECT_THAT(log, Not(HasSubstr("7f3a91c2d4e5")));
}

TEST(Retries, WaitAsLongAsTheProviderAsksAndThenSucceed) {
  std::atomic<int> number = 0;
  const FakeProvider provider([&](const AskedQuestion& question) -> std::optional<test::ServedAnswer> {
    if (number++ > 0) return std::nullopt;
    auto limited = FakeProvider::misbehaves(question, Misbehaviour::kRateLimit);
    limited.bytes.replace(limited.bytes.find("Retry-After: 0"), 14, "Retry-After: 2");
    return limited;
  });
  const Asked asked = ask(provider.spec());
  EXPECT_EQ(asked.answer.outcome, JudgeOutcome::kSupported);
  EXPECT_EQ(asked.reply.num_attempts, 2);
  EXPECT_GE(asked.reply.wall_s, 2.0);
  EXPECT_EQ(asked.reply.usage.prompt_tokens, 100);
  EXPECT_EQ(asked.reply.usage.completion_tokens, 10);
}

}  // namespace
}  // namespace plumbline
