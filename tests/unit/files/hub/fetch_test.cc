#include "plumbline/files/hub/fetch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/fake_hub.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using test::answer;
using test::FakeHub;
using test::hub_error;
using test::ServedAnswer;
using test::ServedRequest;
using ::testing::HasSubstr;
using ::testing::Not;

const HubName kName = *parse_hub_name("org/model");

std::map<std::string, test::HubedFile> small_model() {
  return {{"README.md", {"# read me"}},
          {"config.json", {"{}"}},
          {"generation_config.json", {"{\"eos_token_id\": 1}"}},
          {"tokenizer.json", {"{\"version\": \"1.0\"}", true}},
          {"tokenizer_config.json", {"{ }"}},
          {"chat_template.jinja", {"{{ messages }}"}},
          {"pytorch_model.bin", {"a pickle", true}},
          {"consolidated.safetensors", {"another form of the weights", true}},
          {"model.safetensors", {std::string(300000, 'w') + "the end", true}}};
}

std::map<std::string, test::HubedFile> sharded_model() {
  auto files = small_model();
  files.erase("model.safetensors");
  files["model.safetensors.index.json"] = {
      R"({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "weights/model-00002-of-00002.safetensors"}})"};
  files["model-00001-of-00002.safetensors"] = {"first", true};
  files["weights/model-00002-of-00002.safetensors"] = {"second", true};
  return files;
}

HttpOptions quick() {
  HttpOptions options;
  options.connect_timeout_s = 2;
  options.read_timeout_s = 2;
  options.backoff_s = 0.01;
  options.max_attempts = 3;
  options.stop = nullptr;
  return options;
}

/// A cache and an environment of the test's own.
class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    for (const char* name :
         {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
          "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_IMPLICIT_TOKEN"}) {
      ::unsetenv(name);
    }
    ::setenv("HF_HOME", folder_.path().c_str(), 1);
    ::setenv("PLUMBLINE_CACHE", folder_.file("plumbline").c_str(), 1);
    ::setenv("PLUMBLINE_PROGRESS", "off", 1);
  }
  ~Fetch() override {
    for (const char* name : {"HF_HOME", "HF_ENDPOINT", "HF_TOKEN", "PLUMBLINE_CACHE", "PLUMBLINE_PROGRESS"})
      ::unsetenv(name);
  }
  std::string fetch(const FakeHub& hub, const HubName& name = kName, ModelNeed need = ModelNeed::kWeights) {
    ::setenv("HF_ENDPOINT", hub.endpoint().c_str(), 1);
    return fetch_model(name, need, quick());
  }
  /// The error that a fetch ends with.
  Error error_of(const FakeHub& hub, const HubName& name = kName) {
    try {
      fetch(hub, name);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return DataError("none", "");
  }
  std::string repository() const { return folder_.file("hub/models--org--model"); }
  std::string blob(const std::string& hash) const { return repository() + "/blobs/" + hash; }
  /// Nothing stands under a name by which it could be taken for whole.
  void expect_nothing_usable(const FakeHub& hub, const std::string& file = "model.safetensors") {
    EXPECT_FALSE(find_in_hub_cache(kName, ModelNeed::kWeights)) << file;
    EXPECT_FALSE(fs::exists(blob(hub.hash_of(file))));
    EXPECT_FALSE(fs::exists(repository() + "/refs/main"));
  }

  test::TemporaryFolder folder_;
};

TEST_F(Fetch, MakesTheLayoutOfHuggingfaceHub) {
  const FakeHub hub(small_model());
  const std::string snapshot = fetch(hub);
  EXPECT_EQ(snapshot, repository() + "/snapshots/" + hub.commit());
  EXPECT_EQ(read_file(repository() + "/refs/main"), hub.commit()) << "without a line end";
  for (const char* path : {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
                           "chat_template.jinja", "model.safetensors"}) {
    const std::string pointer = snapshot + "/" + path;
    EXPECT_EQ(fs::read_symlink(pointer), "../../blobs/" + hub.hash_of(path));
    EXPECT_EQ(read_file(pointer), small_model().at(path).content);
  }
  for (const char* path : {"README.md", "pytorch_model.bin", "consolidated.safetensors"}) {
    EXPECT_FALSE(fs::exists(snapshot + "/" + path)) << path << " is not needed";
  }
  EXPECT_TRUE(fs::exists(folder_.file("hub/.locks/models--org--model/" + hub.hash_of("config.json") + ".lock")));
  EXPECT_EQ(find_in_hub_cache(kName, ModelNeed::kWeights), snapshot);
  for (const auto& entry : fs::directory_iterator(repository() + "/blobs")) {
    EXPECT_NE(entry.path().extension(), ".incomplete");
  }
}

TEST_F(Fetch, BringsEveryShardOfAnIndex) {
  const FakeHub hub(sharded_model());
  const std::string snapshot = fetch(hub);
  EXPECT_EQ(read_file(snapshot + "/model-00001-of-00002.safetensors"), "first");
  const std::string nested = "weights/model-00002-of-00002.safetensors";
  EXPECT_EQ(fs::read_symlink(snapshot + "/" + nested), "../../../blobs/" + hub.hash_of(nested));

  // A snapshot that lacks one shard is not whole, and only that shard comes again.
  fs::remove(snapshot + "/" + nested);
  EXPECT_EQ(missing_file(snapshot, kName, ModelNeed::kWeights), nested);
  const size_t before = hub.store_requests().size();
  fetch(hub);
  EXPECT_EQ(hub.store_requests().size(), before) << "its blob was still there";
  EXPECT_TRUE(find_in_hub_cache(kName, ModelNeed::kWeights));
}

TEST_F(Fetch, TextNeedsNoWeights) {
  const FakeHub hub(small_model());
  const std::string snapshot = fetch(hub, kName, ModelNeed::kText);
  EXPECT_TRUE(hub.downloads_of("model.safetensors").empty());
  EXPECT_EQ(find_in_hub_cache(kName, ModelNeed::kText), snapshot);
  EXPECT_FALSE(find_in_hub_cache(kName, ModelNeed::kWeights));
  fetch(hub);
  EXPECT_EQ(hub.downloads_of("tokenizer.json").size(), 1u) << "what is there is not fetched again";
}

TEST_F(Fetch, TakesOneGgufFile) {
  const FakeHub hub(
      {{"README.md", {"x"}}, {"m.Q4_0.gguf", {"GGUF four", true}}, {"m.Q8_0.gguf", {"GGUF eight", true}}});
  const HubName name = *parse_hub_name("org/model/m.Q8_0.gguf@v1");
  EXPECT_EQ(read_file(fetch(hub, name)), "GGUF eight");
  EXPECT_TRUE(hub.downloads_of("m.Q4_0.gguf").empty());
  EXPECT_EQ(read_file(repository() + "/refs/v1"), hub.commit());
  EXPECT_EQ(find_in_hub_cache(name, ModelNeed::kWeights), repository() + "/snapshots/" + hub.commit() + "/m.Q8_0.gguf");

  Error error = error_of(hub);
  EXPECT_EQ(error.id(), "data.no_weights");
  EXPECT_THAT(error.next_step(), HasSubstr("m.Q4_0.gguf"));
  error = error_of(hub, *parse_hub_name("org/model/m.gguf"));
  EXPECT_EQ(error.id(), "remote.no_file");
  EXPECT_THAT(error.next_step(), HasSubstr("m.Q8_0.gguf"));
}

TEST_F(Fetch, TheTokenStaysWithTheHub) {
  FakeHub hub(small_model());
  hub.token = "hf_secret";
  folder_.write("token", "hf_secret\n");
  fetch(hub);
  for (const ServedRequest& request : hub.hub_requests()) {
    EXPECT_EQ(request.headers.at("authorization"), "Bearer hf_secret");
  }
  ASSERT_FALSE(hub.store_requests().empty());
  for (const ServedRequest& request : hub.store_requests()) {
    EXPECT_EQ(request.headers.count("authorization"), 0u);
  }
}

TEST_F(Fetch, RefusalsSayWhatToDo) {
  FakeHub hub(small_model());
  hub.token = "hf_secret";
  Error error = error_of(hub);
  EXPECT_EQ(error.id(), "remote.no_access");
  EXPECT_EQ(error.exit_code(), ExitCode::kRemote);
  EXPECT_THAT(error.next_step(), HasSubstr("set HF_TOKEN"));

  ::setenv("HF_TOKEN", "hf_other", 1);
  error = error_of(hub);
  EXPECT_EQ(error.id(), "remote.no_access");
  EXPECT_THAT(error.next_step(), HasSubstr("check HF_TOKEN"));
  EXPECT_THAT(error.line(), Not(HasSubstr("hf_other")));
  ::unsetenv("HF_TOKEN");

  hub.token.clear();
  hub.on_hub(
      [](const ServedRequest&) { return hub_error(403, "GatedRepo", "Access to model org/model is restricted"); });
  error = error_of(hub);
  EXPECT_EQ(error.id(), "remote.no_access");
  EXPECT_THAT(error.next_step(), HasSubstr("accept its licence at " + hub.endpoint() + "/org/model"));
}

TEST_F(Fetch, TellsRepositoryRevisionAndFileApart) {
  FakeHub hub(small_model());
  EXPECT_EQ(error_of(hub, *parse_hub_name("org/other")).id(), "remote.no_repository");
  const Error error = error_of(hub, *parse_hub_name("org/model@none"));
  EXPECT_EQ(error.id(), "remote.no_revision");
  EXPECT_THAT(error.message(), HasSubstr("'none'"));
  hub.on_hub([](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (request.target.ends_with("/config.json")) return hub_error(404, "EntryNotFound", "Entry not found");
    return std::nullopt;
  });
  EXPECT_EQ(error_of(hub).id(), "remote.no_file");
}

TEST_F(Fetch, WaitsWhenTheHubAsksForIt) {
  FakeHub hub(small_model());
  std::atomic<int> calls = 0;
  hub.on_hub([&](const ServedRequest&) -> std::optional<ServedAnswer> {
    if (++calls == 1) return answer(429, "", {{"Retry-After", "1"}});
    return std::nullopt;
  });
  const double start_s = now_s();
  fetch(hub);
  EXPECT_GE(now_s() - start_s, 1);
}

TEST_F(Fetch, ACutConnectionIsGoneOnWith) {
  FakeHub hub(small_model());
  std::atomic<int> calls = 0;
  hub.on_store([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.starts_with("/store/" + hub.hash_of("model.safetensors")) || ++calls > 1) return std::nullopt;
    ServedAnswer half = answer(200, small_model().at("model.safetensors").content);
    half.bytes.resize(half.bytes.size() / 2);
    return half;
  });
  EXPECT_EQ(read_file(fetch(hub) + "/model.safetensors"), small_model().at("model.safetensors").content);
  const auto downloads = hub.downloads_of("model.safetensors");
  ASSERT_EQ(downloads.size(), 2u);
  EXPECT_EQ(downloads[0].headers.count("range"), 0u);
  EXPECT_GT(std::stoul(downloads[1].headers.at("range").substr(6)), 100000u);
}

TEST_F(Fetch, AStoppedDownloadKeepsItsPartAndIsGoneOnWith) {
  FakeHub hub(small_model());
  hub.on_store([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.starts_with("/store/" + hub.hash_of("model.safetensors"))) return std::nullopt;
    ServedAnswer slow = answer(200, small_model().at("model.safetensors").content);
    slow.bytes.resize(slow.bytes.size() / 2);
    slow.stall_s = 10;
    return slow;
  });
  ::setenv("HF_ENDPOINT", hub.endpoint().c_str(), 1);
  const std::string incomplete = blob(hub.hash_of("model.safetensors")) + ".incomplete";
  HttpOptions options = quick();
  options.read_timeout_s = 20;
  options.stop = [&] { return fs::exists(incomplete) && fs::file_size(incomplete) > 100000; };
  EXPECT_THROW(fetch_model(kName, ModelNeed::kWeights, options), Interrupted);
  EXPECT_GT(fs::file_size(incomplete), 100000u);
  expect_nothing_usable(hub);

  hub.on_store(nullptr);
  fetch(hub);
  EXPECT_EQ(hub.downloads_of("model.safetensors").back().headers.count("range"), 1u);
  EXPECT_FALSE(fs::exists(incomplete));
}

TEST_F(Fetch, AServerThatIgnoresRangeIsReadFromTheStart) {
  FakeHub hub(small_model());
  hub.knows_ranges = false;
  fs::create_directories(repository() + "/blobs");
  write_file(blob(hub.hash_of("model.safetensors")) + ".incomplete", std::string(1000, 'w'));
  EXPECT_EQ(read_file(fetch(hub) + "/model.safetensors"), small_model().at("model.safetensors").content);
}

TEST_F(Fetch, APartOfOtherBytesIsThrownAway) {
  FakeHub hub(small_model());
  fs::create_directories(repository() + "/blobs");
  const std::string incomplete = blob(hub.hash_of("model.safetensors")) + ".incomplete";
  write_file(incomplete, std::string(1000, '?'));
  EXPECT_EQ(read_file(fetch(hub) + "/model.safetensors"), small_model().at("model.safetensors").content);
  EXPECT_EQ(hub.downloads_of("model.safetensors").size(), 2u);

  // One that is longer than the file cannot be gone on with either.
  fs::remove_all(repository());
  fs::create_directories(repository() + "/blobs");
  write_file(incomplete, std::string(400000, 'w'));
  EXPECT_EQ(read_file(fetch(hub) + "/model.safetensors"), small_model().at("model.safetensors").content);
}

TEST_F(Fetch, WrongBytesAreNeverUsed) {
  FakeHub hub(small_model());
  hub.on_store([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.starts_with("/store/" + hub.hash_of("model.safetensors"))) return std::nullopt;
    return answer(200, std::string(small_model().at("model.safetensors").content.size(), 'x'));
  });
  EXPECT_EQ(error_of(hub).id(), "remote.wrong_hash");
  EXPECT_EQ(hub.downloads_of("model.safetensors").size(), 2u) << "once more, then no more";
  expect_nothing_usable(hub);
  EXPECT_FALSE(fs::exists(blob(hub.hash_of("model.safetensors")) + ".incomplete"));
}

TEST_F(Fetch, ASmallFileIsCheckedByGitsHash) {
  FakeHub hub(small_model());
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (request.method != "GET" || !request.target.ends_with("/config.json")) return std::nullopt;
    return answer(200, "{ }", {{"ETag", "\"" + hub.hash_of("config.json") + "\""}});
  });
  EXPECT_THAT(error_of(hub).id(), ::testing::AnyOf("remote.wrong_hash", "remote.size"));
  expect_nothing_usable(hub, "config.json");
}

TEST_F(Fetch, AWrongEtagIsRefused) {
  FakeHub hub(small_model());
  std::string etag = "\"" + std::string(64, 'a') + "\"";
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.ends_with("/model.safetensors")) return std::nullopt;
    return ServedAnswer{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nX-Linked-Etag: " + etag +
                        "\r\nX-Repo-Commit: " + hub.commit() + "\r\n\r\n"};
  });
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.ends_with("/model.safetensors")) return std::nullopt;
    return answer(200, "", {{"X-Linked-Etag", etag}, {"X-Repo-Commit", hub.commit()}});
  });
  EXPECT_EQ(error_of(hub).id(), "remote.wrong_hash") << "the list says another";
  expect_nothing_usable(hub);
}

TEST_F(Fetch, AMirrorWithEtagsOfItsOwnIsCheckedByTheList) {
  FakeHub hub(small_model());
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.ends_with("/config.json")) return std::nullopt;
    ServedAnswer plain = answer(200, "{}", {{"ETag", "W/\"5f-abc\""}});
    if (request.method == "HEAD") plain.bytes.resize(plain.bytes.size() - 2);
    return plain;
  });
  EXPECT_EQ(read_file(fetch(hub) + "/config.json"), "{}");
}

TEST_F(Fetch, AnotherCommitOrMoreBytesThanAnnouncedAreRefused) {
  FakeHub hub(small_model());
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.ends_with("/config.json")) return std::nullopt;
    return answer(200, "", {{"X-Repo-Commit", std::string(40, 'd')}, {"ETag", hub.hash_of("config.json")}});
  });
  EXPECT_EQ(error_of(hub).id(), "remote.bad_answer");

  hub.on_hub(nullptr);
  hub.on_store([](const ServedRequest&) { return answer(200, std::string(2000000, 'w')); });
  EXPECT_EQ(error_of(hub).id(), "remote.size");
  expect_nothing_usable(hub);
}

TEST_F(Fetch, ARedirectLoopEnds) {
  FakeHub hub(small_model());
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    return answer(302, "", {{"Location", request.target + "x"}});
  });
  EXPECT_EQ(error_of(hub).id(), "remote.redirect");
  EXPECT_LT(hub.hub_requests().size(), 20u);
}

TEST_F(Fetch, PathsThatLeaveTheFolderAreRefused) {
  for (const char* path : {"../../evil.json", "/etc/config.json", "a/../../config.json", "tokenizer\\\\..\\\\x.json",
                           "", "a//b", "./config.json", "tokenizer\\u0000.json"}) {
    FakeHub hub(small_model());
    hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
      if (request.target.find("/api/") == std::string::npos) return std::nullopt;
      return answer(200, "{\"sha\":\"" + hub.commit() +
                             "\",\"siblings\":[{\"rfilename\":\"config.json\"},{\"rfilename\":\"" + path + "\"}]}");
    });
    EXPECT_EQ(error_of(hub).id(), "remote.unsafe_path") << path;
    EXPECT_FALSE(fs::exists(repository())) << "nothing was written";
  }
  EXPECT_FALSE(fs::exists(folder_.path() + "/../evil.json"));
}

TEST_F(Fetch, AShardThatLeavesTheFolderIsNotListed) {
  auto files = sharded_model();
  files["model.safetensors.index.json"].content = R"({"weight_map": {"a": "../../../evil"}})";
  const FakeHub hub(files);
  EXPECT_EQ(error_of(hub).id(), "remote.no_file");
}

TEST_F(Fetch, AnswersThatAreNoHubsAreTold) {
  for (const char* body :
       {"<!doctype html><html>Please log in</html>", "{}", "[]", "{\"sha\":\"main\",\"siblings\":[]}", ""}) {
    FakeHub hub(small_model());
    hub.on_hub([&](const ServedRequest&) { return answer(200, body, {{"Content-Type", "text/html"}}); });
    const Error error = error_of(hub);
    EXPECT_EQ(error.id(), "remote.bad_answer") << body;
    EXPECT_THAT(error.next_step(), HasSubstr("HF_ENDPOINT"));
  }
}

TEST_F(Fetch, TooLittleSpaceIsToldBeforeTheFirstByte) {
  FakeHub hub(small_model());
  hub.on_hub([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (request.target.find("/api/") == std::string::npos) return std::nullopt;
    return answer(200, "{\"sha\":\"" + hub.commit() +
                           "\",\"siblings\":[{\"rfilename\":\"config.json\",\"size\":2},"
                           "{\"rfilename\":\"model.safetensors\",\"size\":9000000000000000}]}");
  });
  EXPECT_EQ(error_of(hub).id(), "data.no_space");
  EXPECT_EQ(hub.hub_requests().size(), 1u);
}

TEST_F(Fetch, TwoAtOnceDownloadOnce) {
  FakeHub hub(small_model());
  hub.on_store([&](const ServedRequest& request) -> std::optional<ServedAnswer> {
    if (!request.target.starts_with("/store/" + hub.hash_of("model.safetensors"))) return std::nullopt;
    ServedAnswer slow = answer(200, small_model().at("model.safetensors").content);
    slow.piece_bytes = 100000;
    slow.pace_s = 0.1;
    return slow;
  });
  ::setenv("HF_ENDPOINT", hub.endpoint().c_str(), 1);
  std::vector<std::thread> threads;
  std::atomic<int> num_whole = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const std::string snapshot = fetch_model(kName, ModelNeed::kWeights, quick());
      num_whole += read_file(snapshot + "/model.safetensors") == small_model().at("model.safetensors").content;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_whole, 4);
  EXPECT_EQ(hub.downloads_of("model.safetensors").size(), 1u);
  EXPECT_EQ(hub.downloads_of("config.json").size(), 1u);
}

TEST_F(Fetch, WaitsForTheLockThatHuggingfaceHubHolds) {
  const FakeHub hub(small_model());
  ::setenv("HF_ENDPOINT", hub.endpoint().c_str(), 1);
  fs::create_directories(folder_.file("hub/.locks/models--org--model"));
  const std::string path = folder_.file("hub/.locks/models--org--model/" + hub.hash_of("config.json") + ".lock");
  const int held = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  HttpOptions options = quick();
  const double start_s = now_s();
  options.stop = [start_s] { return now_s() - start_s > 0.5; };
  EXPECT_THROW(fetch_model(kName, ModelNeed::kWeights, options), Interrupted);
  EXPECT_TRUE(hub.downloads_of("config.json").empty());
  ::close(held);
  fetch(hub);
}

TEST_F(Fetch, APlanDownloadsNothing) {
  const FakeHub hub(sharded_model());
  ::setenv("HF_ENDPOINT", hub.endpoint().c_str(), 1);
  const FetchPlan plan = plan_fetch(kName, ModelNeed::kWeights, quick());
  EXPECT_EQ(plan.commit, hub.commit());
  EXPECT_EQ(hub.hub_requests().size(), 1u);
  EXPECT_TRUE(hub.store_requests().empty());
  EXPECT_FALSE(fs::exists(folder_.file("hub")));
}

}  // namespace
}  // namespace plumbline
