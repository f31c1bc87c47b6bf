#include "plumbline/judge/provider.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

ProviderSpec parse(const std::string& text) {
  return parse_provider_spec(text, "judge.judges");
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

TEST(ProviderSpec, TakesItsPartsApart) {
  const ProviderSpec plain = parse("openrouter:meta-llama/llama-3.3-70b-instruct:free");
  EXPECT_EQ(plain.provider, "openrouter");
  EXPECT_EQ(plain.model, "meta-llama/llama-3.3-70b-instruct:free");
  EXPECT_EQ(plain.base_url, "https://openrouter.ai/api/v1");
  EXPECT_EQ(plain.key_variable, "OPENROUTER_API_KEY");
  const ProviderSpec other = parse("openai:my@model@https://gateway.example/v1/");
  EXPECT_EQ(other.model, "my@model");
  EXPECT_EQ(other.base_url, "https://gateway.example/v1");
}

TEST(ProviderSpec, AnAddressWithoutHttpInFrontIsNoPartOfTheModelsName) {
  for (const char* address : {"127.0.0.1:9001", "localhost", "localhost/v1", "10.0.0.7", "box:8000/v1",
                              "judge.example/v1", "HTTP://box/v1", "ftp://box/v1", "[::1]:9001"}) {
    try {
      parse(std::string("local:m@") + address);
      ADD_FAILURE() << address;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.id(), "config.provider") << address;
      EXPECT_NE(error.next_step().find("write local:m@http://"), std::string::npos) << error.next_step();
      EXPECT_EQ(error.next_step().find("HTTP://"), std::string::npos) << error.next_step();
    }
  }
  for (const char* model : {"claude-sonnet-4@20250514", "my@model", "m@v1.2", "m@latest", "org/m@sha/x"}) {
    EXPECT_EQ(parse(std::string("local:") + model).model, model);
  }
}

TEST(ProviderSpec, Reasoning) {
  const ProviderSpec spec = parse("openai:o3-mini#reasoning");
  EXPECT_EQ(spec.model, "o3-mini");
  EXPECT_TRUE(spec.is_reasoning);
  const ProviderSpec other = parse("local:m@http://127.0.0.1:1/v1#reasoning");
  EXPECT_EQ(other.base_url, "http://127.0.0.1:1/v1");
  EXPECT_TRUE(other.is_reasoning);
  EXPECT_FALSE(parse("openai:o3-mini").is_reasoning);
  EXPECT_EQ(error_of([] { parse("local:m@http://127.0.0.1:1/v1#other"); }), "config.provider");
}

TEST(ProviderSpec, AProvidersKeyGoesToNoOtherAddress) {
  EXPECT_EQ(parse("openai:gpt@https://gateway.example/v1").key_variable, "PLUMBLINE_PROVIDER_KEY");
}

TEST(ProviderSpec, RefusesWhatItIsNot) {
  for (const char* text : {"", "openai", "openai:", "nobody:x", ":x", "openai:@https://x.example", "openai:a b",
                           "local:x@http://", "local:x@http://user:secret@host/v1", "local:x@http://h/v1?key=1"}) {
    EXPECT_NE(error_of([&] { parse(text); }), "none") << text;
  }
}

TEST(Key, AMissingOneIsNamed) {
  ::unsetenv("OPENAI_API_KEY");
  ::unsetenv("PLUMBLINE_PROVIDER_KEY");
  try {
    key_of(parse("openai:gpt-4o"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.no_key");
    EXPECT_NE(error.message().find("OPENAI_API_KEY"), std::string::npos);
  }
  EXPECT_TRUE(key_of(parse("local:x")).empty());
}

TEST(Key, NeverTravelsUnencrypted) {
  ::setenv("PLUMBLINE_PROVIDER_KEY", "0123456789abcdef", 1);
  EXPECT_EQ(error_of([] { key_of(parse("local:x@http://machine.example:8000/v1")); }), "config.key_over_http");
  EXPECT_EQ(error_of([] { key_of(parse("local:x@http://localhost:8000/v1")); }), "none");
  EXPECT_EQ(error_of([] { key_of(parse("local:x@https://machine.example/v1")); }), "none");
  ::unsetenv("PLUMBLINE_PROVIDER_KEY");
  EXPECT_EQ(error_of([] { key_of(parse("local:x@http://machine.example:8000/v1")); }), "none");
}

TEST(Secret, IsTakenOutWholeAndInPieces) {
  const Secret secret("sk-abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(secret.redact("key sk-abcdefghijklmnopqrstuvwxyz!"), "key [key]!");
  EXPECT_EQ(secret.redact("sk-abcdefghijklmno...wxyz"), "[key]...wxyz");
  EXPECT_EQ(secret.redact("...ijklmnopqrstuvwxyz"), "...[key]");
  EXPECT_EQ(secret.redact("sk-abcdefghijklmnopqrstuvwxyzsk-abcdefghijklmnopqrstuvwxyz"), "[key][key]");
  EXPECT_EQ(secret.redact("sk-abc"), "sk-abc");
  EXPECT_EQ(Secret("EMPTY").redact("an EMPTY box"), "an EMPTY box");
  EXPECT_EQ(Secret("12345678").redact("a12345678b"), "a[key]b");
  EXPECT_EQ(Secret().redact("x"), "x");
}

TEST(Secret, ATextThatSpellsItIsWithheld) {
  const Secret secret("sk-verysecret1234567890");
  for (const std::string& text :
       {std::string(R"({"reason":"key sk-v\u0065rys\u0065cr\u0065t1234567890 is bad"})"),
        std::string(R"({"supported":"\u0073\u006b\u002d\u0076erys\u0065cret1234\u00355567890"})"),
        std::string(R"({"m":"{\"r\":\"v\\u0065rysecret1\\u00323\"}"})"),
        std::string("http://host/%73%6b%2dvery%73ecret1%3234567890"), std::string(R"(v\x65rysecret1\x323)")}) {
    EXPECT_EQ(secret.redact(text), "[withheld: it spells the key]") << text;
  }
  const std::string honest = R"({"supported":true,"reason":"100% sure, \u00e9 and \"quoted\" C:\\path"})";
  EXPECT_EQ(secret.redact(honest), honest);
}

TEST(ModelName, TheSameModelUnderItsOtherNames) {
  const auto same = [](const char* asked, const char* answered) { return is_same_model(asked, answered, {}); };
  EXPECT_TRUE(same("gpt-4o", "gpt-4o"));
  EXPECT_TRUE(same("gpt-4o", "gpt-4o-2024-08-06"));
  EXPECT_TRUE(same("gpt-4", "gpt-4-0613"));
  EXPECT_TRUE(same("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"));
  EXPECT_TRUE(same("meta-llama/llama-3.3-70b-instruct:free", "meta-llama/Llama-3.3-70B-Instruct"));
  EXPECT_TRUE(same("gemini-2.0-flash", "models/gemini-2.0-flash"));
  EXPECT_FALSE(same("gpt-4o", "gpt-4o-mini"));
  EXPECT_FALSE(same("gpt-4", "gpt-4.1"));
  EXPECT_FALSE(same("gpt-4", "gpt-4o"));
  EXPECT_FALSE(same("llama-3", "llama-3-70b"));
  EXPECT_FALSE(same("qwen2.5-72b", "qwen2.5-7b"));
  EXPECT_FALSE(is_same_model("a", "/models/a.gguf", {}));
  EXPECT_TRUE(is_same_model("a", "/models/a.gguf", {"/models/a.gguf"}));
}

TEST(ModelName, Families) {
  EXPECT_EQ(model_family("meta-llama/llama-3.3-70b-instruct"), "meta");
  EXPECT_EQ(model_family("mistralai/mistral-large"), "mistral");
  for (const char* name :
       {"magistral-medium-2506", "codestral-latest", "devstral-small", "pixtral-12b", "voxtral-mini"}) {
    EXPECT_EQ(model_family(name), "mistral") << name;  // one maker: no two witnesses
  }
  EXPECT_EQ(model_family("phi4:14b"), model_family("microsoft/phi-4"));
  EXPECT_EQ(model_family("gpt-4o-mini"), "openai");
  EXPECT_EQ(model_family("o3-mini"), "openai");
  EXPECT_EQ(model_family("claude-3-5-sonnet-latest"), "anthropic");
  for (const char* name : {"phoenix-o1", "my-judge", "aurora-7b-gptq", "o"}) EXPECT_EQ(model_family(name), "") << name;
  EXPECT_EQ(model_family("qwen2.5-7b-gptq"), "qwen");
  EXPECT_EQ(model_family("x-gptq-gpt-4"), "openai");
}

}  // namespace
}  // namespace plumbline
