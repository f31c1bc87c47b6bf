/// Loading maps the files and drops their pages: what it needs is little more than what it makes.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plumbline/base/file_system.h"
#include "plumbline/model/checkpoint.h"
#include "plumbline/model/decoder.h"
#include "plumbline/model/hf_config.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// A line of /proc/self/status in bytes.
double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

/// Makes the peak of resident memory start again from what is resident now.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

/// About 100 MB of bfloat16 in four shards. Returns the bytes of the weights.
double write_sharded(const test::TemporaryFolder& folder) {
  const std::string config = R"({"model_type": "qwen3", "vocab_size": 2048, "hidden_size": 512,
      "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 8, "num_key_value_heads": 8,
      "head_dim": 64, "max_position_embeddings": 128, "rms_norm_eps": 1e-6, "tie_word_embeddings": true})";
  const std::string path = folder.write("config.json", config);
  DecoderParts parts;
  const auto slots = decoder_slots(HfConfig(path).decoder_config(find_model_family("qwen3", path)), parts);
  std::array<TensorMap, 4> shards;
  Json map = Json::object();
  double bytes = 0;
  size_t next = 0;
  for (const auto& [name, slot] : slots) {
    const size_t shard = next++ % shards.size();
    shards[shard][name] = torch::ones(slot.shape, torch::kBFloat16);
    bytes += static_cast<double>(shards[shard][name].nbytes());
    map[name] = "part-" + std::to_string(shard) + ".safetensors";
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    write_tensors(folder.file("part-" + std::to_string(i) + ".safetensors"), shards[i]);
  }
  folder.write("model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  return bytes;
}

TEST(LoadDecoder, PeakMemoryStaysWithinATenthOfTheWeights) {
  const test::TemporaryFolder folder;
  const double weight_bytes = write_sharded(folder);
  ASSERT_GT(weight_bytes, 1e8);
  if (!reset_peak()) GTEST_SKIP() << "the peak of resident memory cannot be reset here";
  const double before = status_bytes("VmRSS");
  const auto decoder = load_decoder(folder.path(), torch::kBFloat16, torch::kCPU);
  const double peak = status_bytes("VmHWM") - before;
  std::printf("    %.3f times the weights\n", peak / weight_bytes);
  EXPECT_GE(peak, 0.95 * weight_bytes);  // else nothing was measured
  EXPECT_LE(peak, 1.1 * weight_bytes);
}

}  // namespace
}  // namespace plumbline
