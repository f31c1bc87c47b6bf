/// Checkpoints that do not fit their configuration, and the same weights in another container.
#include <gtest/gtest.h>

#include <cstring>

#include "plumbline/base/error.h"
#include "plumbline/model/decoder.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/golden_model.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::GgufWriter;

/// A tiny Llama in a folder of its own whose parts can be spoilt before loading.
class TinyCheckpoint {
 public:
  TinyCheckpoint() {
    const std::string layer = "model.layers.0.";
    weights = {{"model.embed_tokens.weight", torch::randn({11, 8})},
               {"model.norm.weight", torch::ones({8})},
               {"lm_head.weight", torch::randn({11, 8})},
               {layer + "input_layernorm.weight", torch::ones({8})},
               {layer + "post_attention_layernorm.weight", torch::ones({8})},
               {layer + "self_attn.q_proj.weight", torch::randn({8, 8})},
               {layer + "self_attn.k_proj.weight", torch::randn({4, 8})},
               {layer + "self_attn.v_proj.weight", torch::randn({4, 8})},
               {layer + "self_attn.o_proj.weight", torch::randn({8, 8})},
               {layer + "mlp.gate_proj.weight", torch::randn({12, 8})},
               {layer + "mlp.up_proj.weight", torch::randn({12, 8})},
               {layer + "mlp.down_proj.weight", torch::randn({8, 12})}};
  }

  /// `extra` is put into config.json, replacing what is there.
  std::string config(const std::string& extra = "") const {
    std::map<std::string, std::string> fields = {{"model_type", "\"llama\""},  {"vocab_size", "11"},
                                                 {"hidden_size", "8"},         {"intermediate_size", "12"},
                                                 {"num_hidden_layers", "1"},   {"num_attention_heads", "2"},
                                                 {"num_key_value_heads", "1"}, {"max_position_embeddings", "32"},
                                                 {"rms_norm_eps", "1e-5"},     {"hidden_act", "\"silu\""}};
    if (!extra.empty()) fields[extra.substr(0, extra.find(':'))] = extra.substr(extra.find(':') + 1);
    std::string text = "{";
    for (const auto& [name, value] : fields) text += (text.size() > 1 ? ",\"" : "\"") + name + "\":" + value;
    return text + "}";
  }

  std::unique_ptr<Decoder> load(const std::string& extra = "") const {
    folder.write("config.json", config(extra));
    write_tensors(folder.file("model.safetensors"), weights);
    return load_decoder(folder.path(), torch::kFloat32, torch::kCPU);
  }

  /// id and message of the error that loading ends in; empty when it loads.
  std::pair<std::string, std::string> error(const std::string& extra = "") const {
    try {
      load(extra);
      return {};
    } catch (const DataError& error) {
      return {error.id(), error.message()};
    }
  }

  test::TemporaryFolder folder;
  TensorMap weights;
};

TEST(LoadDecoder, NamesWeightsThatDoNotFit) {
  const TinyCheckpoint good;
  EXPECT_EQ(good.error().first, "");
  const std::string name = "model.layers.0.mlp.up_proj.weight";
  TinyCheckpoint missing, unexpected, misshaped, tied;
  missing.weights.erase(name);
  unexpected.weights["model.layers.1.mlp.up_proj.weight"] = torch::ones({12, 8});
  misshaped.weights[name] = torch::ones({8, 12});
  for (const auto& [checkpoint, words] : std::vector<std::pair<TinyCheckpoint*, std::vector<std::string>>>{
           {&missing, {"missing", name}},
           {&unexpected, {"unexpected", "model.layers.1.mlp.up_proj.weight"}},
           {&misshaped, {name, "[8, 12]", "[12, 8]"}}}) {
    const auto [id, message] = checkpoint->error();
    EXPECT_EQ(id, "data.model_weights");
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  }
  // A tied checkpoint may repeat its embedding as a head, and may not have another head.
  EXPECT_EQ(tied.error("tie_word_embeddings:true").first, "data.model_weights");
  tied.weights["lm_head.weight"] = tied.weights["model.embed_tokens.weight"];
  EXPECT_EQ(tied.error("tie_word_embeddings:true").first, "");
}

TEST(LoadDecoder, FieldsThatWouldChangeTheResultAreRefused) {
  const TinyCheckpoint checkpoint;
  EXPECT_EQ(checkpoint.error("quantization_config:{}").first, "data.model_config");
  EXPECT_EQ(checkpoint.error("model_type:\"gemma2\"").first, "data.model_config");
}

TEST(LoadDecoder, AMistralWithoutAWindowIsALlama) {
  const TinyCheckpoint checkpoint;
  const auto llama = checkpoint.load(), mistral = checkpoint.load("model_type:\"mistral\",\"sliding_window\":null");
  const ForwardBatch batch = test::plain_batch(torch::arange(11, torch::kInt64).unsqueeze(0));
  EXPECT_TRUE(at::equal(llama->hidden(batch), mistral->hidden(batch)));
  const auto windowed = checkpoint.load("model_type:\"mistral\",\"sliding_window\":3");
  EXPECT_FALSE(at::equal(llama->hidden(batch)[0][5], windowed->hidden(batch)[0][5]));
  EXPECT_TRUE(
      at::equal(checkpoint.load("model_type:\"mistral\",\"sliding_window\":11")->hidden(batch), llama->hidden(batch)));
}

TEST(LoadDecoder, ShardIndexesAreChecked) {
  TinyCheckpoint checkpoint;
  checkpoint.load();
  std::filesystem::rename(checkpoint.folder.file("model.safetensors"), checkpoint.folder.file("part.safetensors"));
  const auto index_error = [&](const std::string& wrong_name, const std::string& wrong_file) {
    std::string map;
    for (const auto& [name, tensor] : checkpoint.weights) map += "\"" + name + "\":\"part.safetensors\",";
    map += "\"" + wrong_name + "\":\"" + wrong_file + "\"";
    checkpoint.folder.write("model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
    try {
      load_decoder(checkpoint.folder.path(), torch::kFloat32, torch::kCPU);
      return std::string();
    } catch (const DataError& error) {
      return error.id();
    }
  };
  EXPECT_EQ(index_error("model.layers.9.x", "part.safetensors"), "data.model_weights");
  EXPECT_EQ(index_error("model.layers.9.x", "../part.safetensors"), "data.model_weights");
  EXPECT_EQ(index_error("model.layers.9.x", "absent.safetensors"), "data.missing_file");
}

TEST(LoadDecoder, WeightsNeverRequireGradientsAndTheHashIsOfTheFile) {
  const TinyCheckpoint checkpoint;
  const auto decoder = checkpoint.load();
  for (const Linear* linear : decoder->linears()) {
    EXPECT_FALSE(linear->base_OI.requires_grad());
    EXPECT_TRUE(linear->weight_OI.is_same(linear->base_OI));
  }
  EXPECT_EQ(decoder->linears().size(), 7u);
  EXPECT_EQ(decoder->linears()[1]->rank(), 4);
  const auto cast = load_decoder(checkpoint.folder.path(), torch::kBFloat16, torch::kCPU);
  EXPECT_EQ(decoder->weight_hash(), cast->weight_hash());
  TinyCheckpoint other = TinyCheckpoint();
  other.weights = checkpoint.weights;
  other.weights["model.norm.weight"] = torch::full({8}, std::nextafter(1.0f, 2.0f));
  EXPECT_NE(other.load()->weight_hash(), decoder->weight_hash());
}

TEST(ResolveModelPath, NamesWhatIsMissing) {
  try {
    resolve_model_path("no-such-model");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.missing_model");
  }
}

/// The converter's reordering of q and k rows for Llama: each head's halves become neighbours.
torch::Tensor interleave(const torch::Tensor& weight, int64_t num_heads) {
  const auto shape = weight.sizes().vec();
  return weight.reshape({num_heads, 2, shape[0] / num_heads / 2, -1}).transpose(1, 2).reshape(shape).contiguous();
}

/// A golden checkpoint as the GGUF converter would write it in float32.
std::string gguf_of(const test::GoldenModel& golden, const Decoder& decoder) {
  const DecoderConfig& config = decoder.config();
  const std::string family = config.family == "qwen3_moe" ? "qwen3moe" : config.family, prefix = family + ".";
  GgufWriter writer;
  const auto count = [](int64_t value) { return static_cast<uint32_t>(value); };
  writer.key_text("general.architecture", family)
      .key_u32(prefix + "block_count", count(config.num_layers))
      .key_u32(prefix + "context_length", count(config.context_tokens))
      .key_u32(prefix + "embedding_length", count(config.width))
      .key_u32(prefix + "feed_forward_length", count(config.mlp_width))
      .key_u32(prefix + "attention.head_count", count(config.num_heads))
      .key_u32(prefix + "attention.head_count_kv", count(config.num_kv_heads))
      .key_u32(prefix + "attention.key_length", count(config.head_size))
      .key_f32(prefix + "rope.freq_base", static_cast<float>(config.rope.theta))
      .key_f32(prefix + "attention.layer_norm_rms_epsilon", static_cast<float>(config.rms_norm_eps));
  if (config.num_experts > 0) {
    writer.key_u32(prefix + "expert_count", count(config.num_experts))
        .key_u32(prefix + "expert_used_count", count(config.experts_per_token))
        .key_u32(prefix + "expert_feed_forward_length", count(config.expert_width))
        .key(prefix + "expert_weights_norm", 7, std::string(1, config.renormalise_experts ? '\1' : '\0'));
  }
  if (config.clip_qkv > 0) writer.key_f32(prefix + "attention.clamp_kqv", static_cast<float>(config.clip_qkv));
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"input_layernorm", "attn_norm"},    {"post_attention_layernorm", "ffn_norm"},
      {"self_attn.q_proj", "attn_q"},      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},      {"self_attn.o_proj", "attn_output"},
      {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
      {"mlp.gate_proj", "ffn_gate"},       {"mlp.up_proj", "ffn_up"},
      {"mlp.down_proj", "ffn_down"},       {"mlp.gate", "ffn_gate_inp"}};
  TensorMap stored_tensors;
  std::map<std::string, std::vector<torch::Tensor>> stacks;  // experts of a layer in one tensor, in their order
  for (auto& [name, tensor] : read_tensors(golden.folder + "/model.safetensors")) {
    const size_t at = name.find(".mlp.experts.");
    if (at == std::string::npos) {
      stored_tensors[name] = tensor;
      continue;
    }
    const auto expert = static_cast<size_t>(std::stoi(name.substr(at + 13)));
    const std::string kind = name.find("gate_proj") != std::string::npos ? "gate"
                             : name.find("up_proj") != std::string::npos ? "up"
                                                                         : "down";
    auto& stack = stacks["blk." + name.substr(13, at - 13) + ".ffn_" + kind + "_exps.weight"];
    stack.resize(static_cast<size_t>(config.num_experts));
    stack[expert] = tensor;
  }
  for (const auto& [name, stack] : stacks) stored_tensors[name] = at::stack(stack).contiguous();
  for (auto& [name, tensor] : stored_tensors) {
    std::string gguf_name = name;
    torch::Tensor stored = tensor;
    if (name == "model.embed_tokens.weight") gguf_name = "token_embd.weight";
    if (name == "model.norm.weight") gguf_name = "output_norm.weight";
    if (name == "lm_head.weight") gguf_name = "output.weight";
    for (const auto& [hf, gguf] : parts) {
      const size_t at = name.find("." + hf + ".");
      if (at != std::string::npos) {
        gguf_name = "blk." + name.substr(13, at - 13) + "." + gguf + name.substr(name.rfind('.'));
      }
    }
    if (config.family == "llama" && name.find("q_proj") != std::string::npos)
      stored = interleave(tensor, config.num_heads);
    if (config.family == "llama" && name.find("k_proj") != std::string::npos) {
      stored = interleave(tensor, config.num_kv_heads);
    }
    std::vector<uint64_t> shape(stored.sizes().rbegin(), stored.sizes().rend());
    writer.tensor(gguf_name, shape, 0, std::string(static_cast<const char*>(stored.const_data_ptr()), stored.nbytes()));
  }
  if (config.rope.kind == "llama3") {  // the converter stores what the frequencies are divided by
    std::string divisors;
    for (int64_t i = 0; i < config.head_size / 2; ++i) {
      const double frequency =
          std::pow(config.rope.theta, -2.0 * static_cast<double>(i) / static_cast<double>(config.head_size));
      const double wavelength = 2 * M_PI / frequency, context = static_cast<double>(config.rope.original_context);
      double divisor = 1;
      if (wavelength > context / config.rope.low_freq_factor) {
        divisor = config.rope.factor;
      } else if (wavelength > context / config.rope.high_freq_factor) {
        const double smooth = (context / wavelength - config.rope.low_freq_factor) /
                              (config.rope.high_freq_factor - config.rope.low_freq_factor);
        divisor = 1 / ((1 - smooth) / config.rope.factor + smooth);
      }
      divisors += GgufWriter::raw(static_cast<float>(divisor));
    }
    writer.tensor("rope_freqs.weight", {static_cast<uint64_t>(config.head_size / 2)}, 0, divisors);
  }
  return writer.bytes();
}

TEST(LoadGguf, GivesTheSameModelAsTheFolderItWasConvertedFrom) {
  const torch::NoGradGuard no_grad;
  for (const char* name :
       {"llama-gqa", "llama-tied", "llama-rope-llama3", "qwen2", "qwen3", "qwen3-moe", "olmoe-norm", "olmoe-plain"}) {
    PL_NEED_SHARED(std::string("golden/models/") + name);
    const test::GoldenModel golden(name);
    const auto expected = load_decoder(golden.folder, torch::kFloat32, torch::kCPU);
    const test::TemporaryFolder folder;
    const auto got = load_decoder(folder.write("model.gguf", gguf_of(golden, *expected)), torch::kFloat32, torch::kCPU);
    EXPECT_EQ(got->weight_hash(), expected->weight_hash()) << name;
    const ForwardBatch batch = test::plain_batch(golden.row(2, "ids").unsqueeze(0));
    const torch::Tensor difference = (got->hidden(batch) - expected->hidden(batch)).abs().max();
    EXPECT_LT(difference.item<float>(), 1e-5) << name;
  }
}

TEST(LoadGguf, NamesUnsupportedKeysAndUnknownTensors) {
  PL_NEED_SHARED("golden/models/llama-gqa");
  const test::GoldenModel golden("llama-gqa");
  const auto expected = load_decoder(golden.folder, torch::kFloat32, torch::kCPU);
  const std::string good = gguf_of(golden, *expected);
  const test::TemporaryFolder folder;
  const auto load_error = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    try {
      load_decoder(folder.write("bad.gguf", bad), torch::kFloat32, torch::kCPU);
      return std::string();
    } catch (const DataError& error) {
      return error.id() + " " + error.message();
    }
  };
  EXPECT_NE(load_error("attn_output", "attn_0utput").find("attn_0utput"), std::string::npos);
  EXPECT_NE(load_error("llama.block_count", "llama.bl0ck_count").find("block_count"), std::string::npos);
  EXPECT_NE(load_error("llama.block_count", "llama.logit_scale").find("logit_scale"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
