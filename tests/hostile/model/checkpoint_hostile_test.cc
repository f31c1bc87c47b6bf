/// Checkpoints that somebody spoilt: configuration, index, links and headers. Every one is an Error with a place, never
/// a crash, a wait or a huge allocation.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/model/checkpoint.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using test::GgufWriter;

/// A golden checkpoint of the repository, its files copied so that they can be spoilt.
class Spoilt {
 public:
  explicit Spoilt(const std::string& name = "qwen3-moe-sparse") {
    const std::string source = test::source_path("tests/golden/models/" + name);
    for (const char* file : {"config.json", "model.safetensors"}) {
      folder.write(file, read_file(source + "/" + file));
    }
  }
  /// "" when it opens, else the error's id and place.
  std::string error() const {
    try {
      ModelCheckpoint::open(folder.path());
      return "";
    } catch (const DataError& error) {
      EXPECT_FALSE(error.where().empty());
      return error.id();
    }
  }
  /// An index that places every tensor in `file`, and one that is not there in `wrong`.
  void write_index(const std::string& file, const std::string& wrong) {
    Json map = Json::object();
    const SafetensorsFile weights(folder.file("model.safetensors"));
    for (const RawTensor& tensor : weights.tensors()) map[tensor.name] = file;
    if (!wrong.empty()) map["model.extra"] = wrong;
    folder.write("model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  }

  test::TemporaryFolder folder;
};

TEST(CheckpointHostile, ShardIndexes) {
  Spoilt good;
  EXPECT_EQ(good.error(), "");
  good.write_index("model.safetensors", "");
  EXPECT_EQ(good.error(), "");
  for (const auto& [wrong, id] :
       std::vector<std::pair<std::string, std::string>>{{"../model.safetensors", "data.model_weights"},
                                                        {"/etc/passwd", "data.model_weights"},
                                                        {"..", "data.unreadable_file"},
                                                        {".", "data.unreadable_file"},
                                                        {"absent.safetensors", "data.missing_file"},
                                                        {"config.json", "data.safetensors_header"},
                                                        {"model.safetensors", "data.model_weights"}}) {
    Spoilt spoilt;
    spoilt.write_index("model.safetensors", wrong);
    EXPECT_EQ(spoilt.error(), id) << wrong;
  }
  Spoilt elsewhere;  // a tensor that stands in two shards
  fs::copy(elsewhere.folder.file("model.safetensors"), elsewhere.folder.file("twice.safetensors"));
  elsewhere.write_index("model.safetensors", "twice.safetensors");
  EXPECT_EQ(elsewhere.error(), "data.model_weights");
  for (const char* index : {"{}", "[]", "{\"weight_map\":[]}", "{\"weight_map\":{\"a\":1}}", "{\"weight_map\":{}}"}) {
    Spoilt spoilt;
    spoilt.folder.write("model.safetensors.index.json", index);
    EXPECT_EQ(spoilt.error(), "data.model_weights") << index;
  }
}

TEST(CheckpointHostile, LinksAndThingsThatAreNoFiles) {
  const auto replaced = [](const std::function<void(const std::string&)>& make) {
    Spoilt spoilt;
    const std::string path = spoilt.folder.file("model.safetensors");
    fs::rename(path, spoilt.folder.file("real"));
    make(path);
    return spoilt.error();
  };
  // The cache of the hub is made of links: one to a plain file is followed.
  EXPECT_EQ(replaced([](const std::string& path) { fs::create_symlink("real", path); }), "");
  EXPECT_EQ(replaced([](const std::string& path) { fs::create_symlink("nowhere", path); }), "data.missing_file");
  EXPECT_NE(replaced([](const std::string& path) { fs::create_symlink(path, path); }), "");
  EXPECT_EQ(replaced([](const std::string& path) { fs::create_symlink("/dev/zero", path); }), "data.unreadable_file");
  EXPECT_EQ(replaced([](const std::string& path) { fs::create_directory(path); }), "data.unreadable_file");
  EXPECT_EQ(replaced([](const std::string& path) { ::mkfifo(path.c_str(), 0600); }), "data.unreadable_file");
}

TEST(CheckpointHostile, FusedWeightsOfAnotherShape) {
  for (const char* name : {"model.layers.1.mlp.experts.gate_up_proj", "model.layers.1.mlp.experts.down_proj"}) {
    Spoilt spoilt;
    TensorMap weights = read_tensors(spoilt.folder.file("model.safetensors"));
    for (const torch::Tensor& wrong : {weights.at(name).narrow(0, 0, 4), weights.at(name).narrow(1, 0, 23 % 31),
                                       weights.at(name)[0], weights.at(name).unsqueeze(0), torch::zeros({5, 0, 0})}) {
      TensorMap spoilt_weights = weights;
      spoilt_weights[name] = wrong;
      write_tensors(spoilt.folder.file("model.safetensors"), spoilt_weights);
      EXPECT_EQ(spoilt.error(), "data.model_weights") << name << " " << wrong.sizes();
    }
    TensorMap both = weights;
    both["model.layers.1.mlp.experts.2.down_proj.weight"] = torch::zeros({32, 12});
    write_tensors(spoilt.folder.file("model.safetensors"), both);
    EXPECT_EQ(spoilt.error(), "data.model_weights");
  }
  Spoilt phi("phi3");
  TensorMap weights = read_tensors(phi.folder.file("model.safetensors"));
  weights["model.layers.0.self_attn.qkv_proj.weight"] = torch::zeros({63, 32});
  write_tensors(phi.folder.file("model.safetensors"), weights);
  EXPECT_EQ(phi.error(), "data.model_weights");
}

/// Numbers that would make something enormous out of a small file.
TEST(CheckpointHostile, ConfigurationsThatAskForTheMoon) {
  for (const char* change :
       {R"({"num_local_experts": 2147483648})", R"({"num_experts_per_tok": 6})", R"({"num_hidden_layers": 4097})",
        R"({"vocab_size": 2147483648})",
        R"({"hidden_size": 2147483648, "num_attention_heads": 1073741824, "head_dim": 2147483646})",
        R"({"moe_intermediate_size": 2147483648})", R"({"mlp_only_layers": [-9223372036854775808]})",
        R"({"decoder_sparse_step": 9223372036854775807})"}) {
    Spoilt spoilt;
    Json config = Json::parse(read_file(spoilt.folder.file("config.json")));
    config.update(Json::parse(change));
    spoilt.folder.write("config.json", config.dump());
    EXPECT_NE(spoilt.error(), "") << change;
  }
}

/// Bytes replaced anywhere in configuration and header; what still opens must still fit together.
TEST(CheckpointHostile, FlippedBytesNeverCrash) {
  const Spoilt spoilt;
  CounterRng rng(StreamKey{.seed = 11});
  for (const char* file : {"config.json", "model.safetensors"}) {
    const std::string good = read_file(spoilt.folder.file(file));
    const size_t reach = std::min<size_t>(good.size(), 5000);
    for (int i = 0; i < 300; ++i) {
      std::string bad = good;
      const uint64_t num_flips = 1 + rng.next_below(3);
      for (uint64_t f = 0; f < num_flips; ++f) bad[rng.next_below(reach)] = static_cast<char>(rng.next_u64());
      spoilt.folder.write(file, bad);
      spoilt.error();
    }
    spoilt.folder.write(file, good);
  }
}

/// A GGUF of one layer, as small as it gets.
std::string tiny_gguf() {
  GgufWriter writer;
  writer.key_text("general.architecture", "olmoe")
      .key_u32("olmoe.block_count", 1)
      .key_u32("olmoe.context_length", 16)
      .key_u32("olmoe.embedding_length", 4)
      .key_u32("olmoe.feed_forward_length", 2)
      .key_u32("olmoe.attention.head_count", 2)
      .key_u32("olmoe.expert_count", 2)
      .key_u32("olmoe.expert_used_count", 1)
      .key_u32("tokenizer.ggml.eos_token_id", 1)
      .key_f32("olmoe.attention.layer_norm_rms_epsilon", 1e-5f);
  const auto add = [&](const std::string& name, const std::vector<uint64_t>& shape) {
    uint64_t elements = 1;
    for (const uint64_t extent : shape) elements *= extent;
    writer.tensor(name, shape, 0, std::string(elements * 4, '\0'));
  };
  add("token_embd.weight", {4, 3});
  add("output.weight", {4, 3});
  for (const char* norm :
       {"output_norm", "blk.0.attn_norm", "blk.0.ffn_norm", "blk.0.attn_q_norm", "blk.0.attn_k_norm"}) {
    add(std::string(norm) + ".weight", {4});
  }
  for (const char* square : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    add(fmt::format("blk.0.{}.weight", square), {4, 4});
  }
  add("blk.0.ffn_gate_inp.weight", {4, 2});
  add("blk.0.ffn_gate_exps.weight", {4, 2, 2});
  add("blk.0.ffn_up_exps.weight", {4, 2, 2});
  add("blk.0.ffn_down_exps.weight", {2, 4, 2});
  return writer.bytes();
}

TEST(CheckpointHostile, FlippedBytesOfGguf) {
  const test::TemporaryFolder folder;
  const std::string good = tiny_gguf();
  EXPECT_EQ(ModelCheckpoint::open(folder.write("good.gguf", good)).config().num_experts, 2);
  CounterRng rng(StreamKey{.seed = 12});
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    const uint64_t num_flips = 1 + rng.next_below(3);
    for (uint64_t f = 0; f < num_flips; ++f) bad[rng.next_below(1700)] = static_cast<char>(rng.next_u64());
    try {
      ModelCheckpoint::open(folder.write("bad.gguf", bad));
    } catch (const DataError& error) {
      EXPECT_FALSE(error.where().empty());
    }
  }
}

TEST(CheckpointHostile, GgufNumbersWithoutAMeaning) {
  const test::TemporaryFolder folder;
  const auto error = [&](const std::string& key, uint32_t value) {
    std::string bad = tiny_gguf();
    const size_t at = bad.find(key);
    std::memcpy(bad.data() + at + key.size() + 4, &value, sizeof value);
    try {
      ModelCheckpoint::open(folder.write("bad.gguf", bad));
      return std::string();
    } catch (const DataError& seen) {
      return seen.message();
    }
  };
  EXPECT_NE(error("olmoe.block_count", 0).find("block_count"), std::string::npos);
  EXPECT_NE(error("olmoe.attention.head_count", 3), "");
  EXPECT_NE(error("olmoe.expert_used_count", 3).find("3 of 2"), std::string::npos);
  EXPECT_NE(error("olmoe.expert_count", 4000000000u), "");
  EXPECT_NE(error("tokenizer.ggml.eos_token_id", 3).find("eos_token_id"), std::string::npos);
  EXPECT_NE(error("olmoe.attention.layer_norm_rms_epsilon", 0x7fc00000u).find("epsilon"), std::string::npos);  // NaN
}

}  // namespace
}  // namespace plumbline
