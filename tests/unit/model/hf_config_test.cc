/// What config.json means for every family, and what is refused in it.
#include "plumbline/model/hf_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// `changes` are merged into a plausible file of the family; a value of "absent" removes the field.
DecoderConfig read(const std::string& model_type, const std::string& changes = "{}") {
  Json config = Json::parse(R"({"vocab_size": 64, "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 4,
      "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128, "rms_norm_eps": 1e-6,
      "hidden_act": "silu", "bos_token_id": 1, "eos_token_id": [2, 3]})");
  config["model_type"] = model_type;
  if (model_type == "qwen3_moe" || model_type == "olmoe") {
    config.update(Json::parse(R"({"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 12})"));
  }
  const Json wanted = Json::parse(changes);
  for (const auto& [name, value] : wanted.items()) {
    if (value == "absent") {
      config.erase(name);
    } else {
      config[name] = value;
    }
  }
  const test::TemporaryFolder folder;
  const std::string path = folder.write("config.json", config.dump());
  return HfConfig(path).decoder_config(find_model_family(model_type, path));
}

std::vector<bool> layers(const DecoderConfig& config, bool LayerKind::*what) {
  std::vector<bool> found;
  for (int64_t layer = 0; layer < config.num_layers; ++layer) found.push_back(config.kind(layer).*what);
  return found;
}

using Layers = std::vector<bool>;

TEST(HfConfig, WindowsAreOnTheLayersThatTransformersGivesThem) {
  EXPECT_EQ(read("mistral", R"({"sliding_window": 7})").window_tokens, 7);
  EXPECT_EQ(layers(read("mistral", R"({"sliding_window": 7})"), &LayerKind::windowed), Layers(4, true));
  EXPECT_EQ(layers(read("mistral", R"({"sliding_window": null})"), &LayerKind::windowed), Layers(4, false));
  EXPECT_EQ(read("mistral").window_tokens, 4096);  // its default, for a file without the field
  EXPECT_EQ(layers(read("phi3"), &LayerKind::windowed), Layers(4, false));
  EXPECT_EQ(read("phi3", R"({"sliding_window": 9})").window_tokens, 9);
  for (const char* family : {"qwen2", "qwen3"}) {
    const std::string on = R"("use_sliding_window": true, "sliding_window": 5)";
    EXPECT_EQ(layers(read(family, "{" + on + R"(, "max_window_layers": 2})"), &LayerKind::windowed),
              (Layers{false, false, true, true}));
    EXPECT_EQ(layers(read(family, "{" + on + R"(, "max_window_layers": 0})"), &LayerKind::windowed), Layers(4, true));
    EXPECT_EQ(layers(read(family, "{" + on + R"(, "max_window_layers": 2, "layer_types": ["sliding_attention",
        "full_attention", "full_attention", "sliding_attention"]})"),
                     &LayerKind::windowed),
              (Layers{true, false, false, true}));
    EXPECT_EQ(layers(read(family, R"({"use_sliding_window": false, "sliding_window": 5, "max_window_layers": 0})"),
                     &LayerKind::windowed),
              Layers(4, false));
  }
  EXPECT_EQ(layers(read("qwen3_moe", R"({"use_sliding_window": true, "sliding_window": 5, "max_window_layers": 4})"),
                   &LayerKind::windowed),
            Layers(4, true));  // no max_window_layers there
}

TEST(HfConfig, LayersWithoutRotation) {
  EXPECT_EQ(layers(read("smollm3"), &LayerKind::rotary), (Layers{true, true, true, false}));
  EXPECT_EQ(layers(read("smollm3", R"({"no_rope_layer_interval": 2})"), &LayerKind::rotary),
            (Layers{true, false, true, false}));
  EXPECT_EQ(
      layers(read("smollm3", R"({"no_rope_layers": [0, 1, 1, 0], "no_rope_layer_interval": 2})"), &LayerKind::rotary),
      (Layers{false, true, true, false}));
  EXPECT_TRUE(read("smollm3").tied_head);
  EXPECT_EQ(read("smollm3").rope.theta, 2e6);
}

TEST(HfConfig, LayersWithExperts) {
  EXPECT_EQ(layers(read("olmoe"), &LayerKind::experts), Layers(4, true));
  EXPECT_EQ(layers(read("qwen3_moe"), &LayerKind::experts), Layers(4, true));
  EXPECT_EQ(layers(read("qwen3_moe", R"({"decoder_sparse_step": 2})"), &LayerKind::experts),
            (Layers{false, true, false, true}));
  EXPECT_EQ(layers(read("qwen3_moe", R"({"mlp_only_layers": [0, 3]})"), &LayerKind::experts),
            (Layers{false, true, true, false}));
  EXPECT_EQ(read("olmoe").expert_width, 40);
  EXPECT_EQ(read("qwen3_moe").expert_width, 12);
  EXPECT_EQ(read("qwen3_moe", R"({"num_experts": "absent", "num_local_experts": 5})").num_experts, 5);
  EXPECT_FALSE(read("olmoe").renormalise_experts);
  EXPECT_TRUE(read("olmoe", R"({"norm_topk_prob": true, "clip_qkv": 2.5})").renormalise_experts);
  EXPECT_EQ(read("olmoe", R"({"clip_qkv": 2.5})").clip_qkv, 2.5);
}

TEST(HfConfig, YarnTakesTheDefaultsOfTransformers) {
  const RopeConfig rope = read("qwen2", R"({"rope_theta": 1e6,
      "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 32}})")
                              .rope;
  EXPECT_EQ(rope.kind, "yarn");
  EXPECT_EQ(rope.original_context, 32);
  EXPECT_EQ(rope.beta_fast, 32);
  EXPECT_DOUBLE_EQ(rope.attention_factor, 0.1 * std::log(4.0) + 1);
  const RopeConfig other = read("llama", R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4, "factor": null,
      "original_max_position_embeddings": 64, "attention_factor": 0.5, "truncate": false}})")
                               .rope;
  EXPECT_EQ(other.factor, 2);  // context over original length
  EXPECT_EQ(other.attention_factor, 0.5);
  EXPECT_FALSE(other.truncate);
  const RopeConfig deepseek = read("llama", R"({"rope_parameters": {"rope_type": "yarn", "factor": 40,
      "original_max_position_embeddings": 64, "mscale": 1.0, "mscale_all_dim": 0.5}})")
                                  .rope;
  EXPECT_DOUBLE_EQ(deepseek.attention_factor, (0.1 * std::log(40.0) + 1) / (0.05 * std::log(40.0) + 1));
}

struct Refusal {
  const char *family, *changes, *word;
};

/// Every one changes what the model computes, or means nothing.
const std::vector<Refusal> kRefusals = {
    {"llama", R"({"hidden_act": "gelu"})", "hidden_act"},
    {"llama", R"({"hidden_activation": "gelu_pytorch_tanh"})", "hidden_activation"},
    {"llama", R"({"quantization_config": {"quant_method": "awq"}})", "quantization_config"},
    {"llama", R"({"attn_logit_softcapping": 50.0})", "attn_logit_softcapping"},
    {"llama", R"({"final_logit_softcapping": 30.0})", "final_logit_softcapping"},
    {"llama", R"({"query_pre_attn_scalar": 256})", "query_pre_attn_scalar"},
    {"llama", R"({"attention_multiplier": 0.0078125})", "attention_multiplier"},
    {"llama", R"({"residual_multiplier": 0.22})", "residual_multiplier"},
    {"llama", R"({"embedding_multiplier": 12})", "embedding_multiplier"},
    {"llama", R"({"logits_scaling": 8})", "logits_scaling"},
    {"llama", R"({"logit_scale": 0.0625})", "logit_scale"},
    {"llama", R"({"partial_rotary_factor": 0.5})", "partial_rotary_factor"},
    {"llama", R"({"sliding_window": 128})", "sliding_window"},
    {"llama", R"({"use_sliding_window": true})", "use_sliding_window"},
    {"llama", R"({"clip_qkv": 8})", "clip_qkv"},
    {"llama", R"({"num_local_experts": 8})", "num_local_experts"},
    {"llama", R"({"no_rope_layers": [1, 0, 1, 1]})", "no_rope_layers"},
    {"llama", R"({"layer_types": ["full_attention", "sliding_attention", "full_attention", "full_attention"]})",
     "layer_types"},
    {"llama", R"({"use_bidirectional_attention": true})", "use_bidirectional_attention"},
    {"llama", R"({"attention_bias": "yes"})", "attention_bias"},
    {"mistral", R"({"attention_bias": true})", "attention_bias"},
    {"mistral", R"({"mlp_bias": true})", "mlp_bias"},
    {"mistral", R"({"layer_types": ["chunked_attention"]})", "layer_types"},
    {"mistral", R"({"sliding_window": 0})", "sliding_window"},
    {"qwen2", R"({"layer_types": ["full_attention", "linear_attention", "full_attention", "full_attention"]})",
     "layer_types"},
    {"qwen2", R"({"layer_types": ["full_attention"]})", "layer_types"},
    {"qwen2", R"({"layer_types": ["sliding_attention", "full_attention", "full_attention", "full_attention"]})",
     "layer_types"},
    {"qwen2", R"({"mlp_bias": true})", "mlp_bias"},
    {"qwen3", R"({"num_experts": 4})", "num_experts"},
    {"smollm3", R"({"no_rope_layers": [1, 1]})", "no_rope_layers"},
    {"smollm3", R"({"no_rope_layers": [1, 2, 1, 1]})", "no_rope_layers"},
    {"phi3", R"({"rope_scaling": {"type": "longrope", "short_factor": [1], "long_factor": [1]}})", "longrope"},
    {"phi3", R"({"rope_scaling": {"type": "su"}})", "su"},
    {"phi3", R"({"rope_scaling": {"type": "yarn", "factor": 2}})", "yarn"},
    {"phi3", R"({"partial_rotary_factor": 0.75})", "partial_rotary_factor"},
    {"olmoe", R"({"clip_qkv": -1})", "clip_qkv"},
    {"olmoe", R"({"num_experts_per_tok": 7})", "7 of 6"},
    {"olmoe", R"({"num_experts": 0})", "num_experts"},
    {"olmoe", R"({"num_experts": 2000000000, "num_experts_per_tok": 2})", "experts"},
    {"olmoe", R"({"num_experts_per_tok": "absent"})", "num_experts_per_tok"},
    {"qwen3_moe", R"({"shared_expert_intermediate_size": 64})", "shared_expert_intermediate_size"},
    {"qwen3_moe", R"({"moe_intermediate_size": "absent"})", "moe_intermediate_size"},
    {"qwen3_moe", R"({"decoder_sparse_step": 0})", "decoder_sparse_step"},
    {"qwen3_moe", R"({"mlp_only_layers": "all"})", "mlp_only_layers"},
    {"llama", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2}})", "dynamic"},
    {"llama", R"({"rope_scaling": {"factor": 2}})", "rope_scaling"},
    {"llama", R"({"rope_scaling": {"rope_type": "linear"}})", "factor"},
    {"llama", R"({"rope_scaling": {"rope_type": "linear", "factor": -1}})", "factor"},
    {"llama", R"({"rope_scaling": {"rope_type": "llama3", "factor": 8}})", "low_freq_factor"},
    {"llama", R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "beta_slow": 0}})", "yarn"},
    {"llama", R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": -3}})",
     "original_max_position_embeddings"},
    {"llama", R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})", "full_attention"},
    {"llama", R"({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}})",
     "partial_rotary_factor"},
    {"llama", R"({"rope_theta": 0})", "rotary base"},
    {"llama", R"({"rms_norm_eps": 0})", "epsilon"},
    {"llama", R"({"rms_norm_eps": -1e-6})", "epsilon"},
    {"llama", R"({"rms_norm_eps": null})", "rms_norm_eps"},
    {"llama", R"({"rms_norm_eps": "1e-6"})", "rms_norm_eps"},
    {"llama", R"({"rms_norm_eps": "absent"})", "rms_norm_eps"},
    {"llama", R"({"vocab_size": null})", "vocab_size"},
    {"llama", R"({"vocab_size": 0})", "vocab_size"},
    {"llama", R"({"hidden_size": -8})", "hidden_size"},
    {"llama", R"({"hidden_size": 9223372036854775808})", "hidden_size"},
    {"llama", R"({"hidden_size": 1e30})", "hidden_size"},
    {"llama", R"({"num_attention_heads": 0})", "num_attention_heads"},
    {"llama", R"({"num_attention_heads": 5})", "num_attention_heads"},
    {"llama", R"({"num_key_value_heads": 3})", "key-value heads"},
    {"llama", R"({"head_dim": 5})", "head size"},
    {"llama", R"({"num_hidden_layers": 1000000})", "layers"},
    {"llama", R"({"max_position_embeddings": "absent"})", "max_position_embeddings"},
    {"llama", R"({"eos_token_id": 64})", "eos_token_id"},
    {"llama", R"({"eos_token_id": [2, -1]})", "eos_token_id"},
    {"llama", R"({"bos_token_id": 100})", "bos_token_id"},
    {"llama", R"({"tie_word_embeddings": 1})", "tie_word_embeddings"},
};

TEST(HfConfig, RefusesByNameWhatWouldChangeTheResult) {
  for (const Refusal& refusal : kRefusals) {
    try {
      read(refusal.family, refusal.changes);
      ADD_FAILURE() << refusal.family << " took " << refusal.changes;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.model_config") << refusal.changes;
      EXPECT_NE(error.message().find(refusal.word), std::string::npos) << error.message();
    }
  }
}

TEST(HfConfig, TakesNeutralValuesOfTheSameFields) {
  EXPECT_NO_THROW(read("llama", R"({"quantization_config": null, "logits_scaling": 1, "residual_multiplier": 1.0,
      "attention_bias": false, "sliding_window": null, "clip_qkv": null, "num_experts": 0,
      "partial_rotary_factor": 1.0, "layer_types": ["full_attention", "full_attention", "full_attention",
      "full_attention"], "hidden_act": "swish", "eos_token_id": null, "rope_scaling": null})"));
}

TEST(HfConfig, NumbersThatJsonDoesNotHaveAreDataErrors) {
  const test::TemporaryFolder folder;
  for (const char* text :
       {R"({"model_type": "llama", "rms_norm_eps": NaN})", R"({"model_type": "llama", "rms_norm_eps": Infinity})",
        R"({"model_type": "llama", "rms_norm_eps": 1e999})", R"({"model_type": "llama")", "[]", ""}) {
    EXPECT_THROW(HfConfig(folder.write("config.json", text)), DataError) << text;
  }
}

TEST(FindModelFamily, NamesTheKnownOnes) {
  try {
    find_model_family("gemma2", "config.json");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(error.message().find("gemma2"), std::string::npos);
    EXPECT_NE(error.line().find("qwen3_moe"), std::string::npos) << error.line();
  }
}

}  // namespace
}  // namespace plumbline
