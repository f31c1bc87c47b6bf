/// inspect (summary, logits, modules) and generate as a user runs them, on golden checkpoints.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/files/safetensors.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

#define PL_NEED_ENGINE() \
  if (read_engine().empty()) GTEST_SKIP() << "plumbline-engine is not part of this build"

std::string read_engine() {
  try {
    return MappedFile(test::binary_path("plumbline-engine")).path();
  } catch (const DataError&) {
    return "";
  }
}

const std::string kModel = "golden/models/qwen3";

test::ProcessResult run(std::vector<std::string> words, const std::string& input = "") {
  words.insert(words.begin(), test::binary_path("plumbline"));
  return test::run_process(words, input, {{"OMP_NUM_THREADS", "1"}});
}

std::vector<float> floats(const RawTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

std::string ids_line(const RawTensor& tensor) {
  std::vector<int64_t> ids(tensor.bytes.size() / sizeof(int64_t));
  std::memcpy(ids.data(), tensor.bytes.data(), tensor.bytes.size());
  return Json(ids).dump() + "\n";
}

TEST(InspectLogits, AreTransformers) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const SafetensorsFile golden(test::shared_path(kModel + "/golden.safetensors"));
  const test::TemporaryFolder folder;
  const auto result = run({"inspect", test::shared_path(kModel), "logits", "--out", folder.file("logits.safetensors")},
                          ids_line(*golden.find("row.0.ids")) + ids_line(*golden.find("row.2.ids")));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const SafetensorsFile written(folder.file("logits.safetensors"));
  ASSERT_EQ(written.tensors().size(), 2u);
  for (const auto& [ours, theirs] : {std::pair("logits.0", "row.0.logits"), std::pair("logits.1", "row.2.logits")}) {
    ASSERT_NE(written.find(ours), nullptr);
    EXPECT_EQ(written.find(ours)->dtype, "F32");
    EXPECT_EQ(written.find(ours)->shape, golden.find(theirs)->shape);
    const std::vector<float> a = floats(*written.find(ours)), b = floats(*golden.find(theirs));
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 7e-5);
  }
}

TEST(InspectLogits, NamesLineAndReasonOfBadIds) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  for (const char* bad : {"[1, 310]", "[-1]", "[]", "[1.5]", "{}", "[[1]]"}) {
    const auto result = run({"inspect", test::shared_path(kModel), "logits", "--out", folder.file("x")},
                            std::string("[1, 2]\n") + bad + "\n");
    EXPECT_EQ(result.exit_code, 3) << bad;
    EXPECT_NE(result.err.find("data.token_ids"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("line 2"), std::string::npos) << result.err;
  }
}

TEST(InspectModules, ListsEveryLinearInOrder) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const auto result = run({"inspect", test::shared_path(kModel), "modules", "--target", "q_proj"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json rows = parse_json(result.out, "stdout");
  ASSERT_EQ(rows.size(), 15u);
  EXPECT_EQ(rows[0], parse_json(R"({"name":"model.layers.0.self_attn.q_proj","shape":[64,48],"rank":48,)"
                                R"("dtype":"float32","adapted":true})",
                                "expected"));
  EXPECT_EQ(rows[13].at("name"), "model.layers.1.mlp.down_proj");
  EXPECT_EQ(rows[13].at("adapted"), false);
  EXPECT_EQ(rows[14].at("name"), "lm_head");
}

TEST(InspectSummary, SaysWhatTheCheckpointIs) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const auto result = run({"inspect", test::shared_path(kModel)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"qwen3", "66928", "256 tokens", "F32", "generation_config.json", "sha256"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

TEST(Generate, GreedyAnswerIsTransformers) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const std::string path = test::shared_path(kModel + "/case.json");
  const Json chat = parse_json(read_file(path), path).at("chat");
  const auto result = run({"generate", test::shared_path(kModel), "--prompt", "Say hi.", "--temperature", "0",
                           "--max-new-tokens", "24", "--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, escape_control(chat.at("greedy_text").get<std::string>(), true) + "\n");
}

TEST(Generate, ATinyTemperatureIsRefusedWithItsReason) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const auto result = run({"generate", test::shared_path(kModel), "--prompt", "x", "--temperature", "1e-39"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("config.out_of_range: temperature"), std::string::npos) << result.err;
}

TEST(Generate, APromptBeyondEveryContextIsRefusedBeforeItIsTokenised) {
  PL_NEED_ENGINE();
  PL_NEED_SHARED(kModel);
  const auto result = run({"generate", test::shared_path(kModel)}, std::string((16u << 20) + 1, 'x'));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("config.prompt_too_long"), std::string::npos) << result.err;
}

TEST(Generate, ReportsWhatIsMissing) {
  PL_NEED_ENGINE();
  const auto result = run({"generate", "no-such-model", "--prompt", "x"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("data.missing_model"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
