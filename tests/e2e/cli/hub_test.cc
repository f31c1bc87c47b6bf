/// Models of a hub, as a user names them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/support/fake_hub.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kTokenizer =
    R"({"version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": null, "post_processor": null,
        "decoder": {"type": "Fuse"}, "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";

/// A hub with one model, and the user's folders.
class HubVerbs : public ::testing::Test {
 protected:
  HubVerbs()
      : hub_({{"config.json", {"{}"}},
              {"tokenizer.json", {kTokenizer, true}},
              {"chat_template.jinja", {"{{ messages[0].content }}!"}},
              {"model.safetensors", {std::string(2 << 20, 'w'), true}}}) {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HF_HUB_OFFLINE"}) ::unsetenv(name);
    ::setenv("HF_HOME", folder_.path().c_str(), 1);
    ::setenv("HF_ENDPOINT", hub_.endpoint().c_str(), 1);
    ::setenv("PLUMBLINE_CACHE", folder_.file("plumbline").c_str(), 1);
  }
  ~HubVerbs() override {
    for (const char* name : {"HF_HOME", "HF_ENDPOINT", "PLUMBLINE_CACHE"}) ::unsetenv(name);
  }
  test::ProcessResult run(std::vector<std::string> words, const std::string& input = "",
                          const std::map<std::string, std::string>& environment = {}) {
    words.insert(words.begin(), test::binary_path("plumbline"));
    return test::run_process(words, input, environment, folder_.path());
  }

  test::TemporaryFolder folder_;
  test::FakeHub hub_;
};

TEST_F(HubVerbs, TextVerbsFetchTheTextAndOnlyOnce) {
  const auto first = run({"inspect", "org/model", "tokens"}, "\"abba\"\n");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "[2,1,0]\n");
  EXPECT_THAT(first.err, HasSubstr("org/model is not in " + folder_.file("hub")));
  EXPECT_THAT(first.err, HasSubstr(hub_.endpoint()));
  EXPECT_TRUE(hub_.downloads_of("model.safetensors").empty());

  const size_t before = hub_.hub_requests().size();
  const auto second = run({"inspect", "org/model", "render"}, "[{\"role\": \"user\", \"content\": \"hi\"}]\n");
  EXPECT_EQ(second.out, "\"hi!\"\n") << second.err;
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(hub_.hub_requests().size(), before) << "no network for what is in the cache";
}

TEST_F(HubVerbs, ARefusalIsOneLineWithExitSix) {
  const auto result = run({"inspect", "org/none", "tokens"}, "\"a\"\n");
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("remote.no_repository: the hub knows no org/none"));
}

TEST_F(HubVerbs, OfflineUsesNoNetwork) {
  const auto result = run({"inspect", "org/model", "tokens"}, "", {{"HF_HUB_OFFLINE", "1"}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, StartsWith("data.missing_model: "));
  EXPECT_THAT(result.err, HasSubstr("HF_HUB_OFFLINE"));
  EXPECT_TRUE(hub_.hub_requests().empty());
}

TEST_F(HubVerbs, DryRunAsksNobodyAndCheckAsksForTheListOnly) {
  const std::string problems = folder_.write(
      "p.jsonl",
      R"({"id": 1, "prompt": "p", "entry_point": "f", "reference": "r", "tests": [{"args": [1], "expected": 1}]})"
      "\n");
  const std::string preset = folder_.write("hub.toml", "[model]\npath = \"org/model@v1\"\n[data]\nproblems = \"" +
                                                           problems + "\"\n[grade]\nmin_isolation = \"limits\"\n");
  const auto dry = run({"check", preset, "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("path = \"org/model@v1\""));
  EXPECT_THAT(dry.err,
              HasSubstr("model org/model@v1: not here; it would be downloaded from the hub to " + folder_.file("hub")));
  EXPECT_TRUE(hub_.hub_requests().empty());

  const auto checked = run({"check", preset});
  EXPECT_THAT(checked.out,
              HasSubstr("org/model@v1 is not here; the first run downloads 4 files, 2 MiB, at cccccccccccc"));
  EXPECT_EQ(hub_.hub_requests().size(), 1u);
  EXPECT_FALSE(fs::exists(folder_.file("hub")));

  const auto missing = run({"check", preset, "--set", "model.path=org/none"});
  EXPECT_THAT(missing.out, HasSubstr("remote.no_repository"));
}

TEST_F(HubVerbs, CtrlCKeepsWhatCameAndTheNextRunGoesOn) {
  const std::string target = "/store/" + hub_.hash_of("tokenizer.json");
  hub_.on_store([&](const test::ServedRequest& request) -> std::optional<test::ServedAnswer> {
    if (!request.target.starts_with(target)) return std::nullopt;
    test::ServedAnswer half = test::answer(200, kTokenizer);
    half.bytes.resize(half.bytes.size() - 100);
    half.stall_s = 20;
    return half;
  });
  const std::string incomplete =
      folder_.file("hub/models--org--model/blobs/" + hub_.hash_of("tokenizer.json") + ".incomplete");
  test::BackgroundProcess process({test::binary_path("plumbline"), "inspect", "org/model", "tokens"});
  std::error_code ignored;
  for (int i = 0; i < 1000 && !(fs::exists(incomplete) && fs::file_size(incomplete, ignored) > 0); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.send(SIGINT);  // to the one process only: it passes the signal on to its download
  EXPECT_EQ(process.wait(), 130);
  ASSERT_TRUE(fs::exists(incomplete));

  hub_.on_store(nullptr);
  const auto again = run({"inspect", "org/model", "tokens"}, "\"ab\"\n");
  EXPECT_EQ(again.out, "[2]\n") << again.err;
  EXPECT_EQ(hub_.downloads_of("tokenizer.json").back().headers.count("range"), 1u);
}

}  // namespace
}  // namespace plumbline
