/// inspect MODEL: what a checkpoint is, in words.
#include "plumbline/cli/engine/inspect_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/sha256.h"
#include "plumbline/cli/engine/inspect_prompt.h"
#include "plumbline/model/checkpoint.h"
#include "plumbline/preset/schema.h"
#include "plumbline/text/model_text.h"

namespace plumbline {
namespace {

int64_t count_parameters(const DecoderConfig& config) {
  DecoderParts parts;
  int64_t total = 0;
  for (const auto& [name, slot] : decoder_slots(config, parts)) {
    int64_t elements = 1;
    for (const int64_t extent : slot.shape) elements *= extent;
    total += elements;
  }
  return total;
}

/// What one token does not touch: the experts that are not chosen.
int64_t count_idle_parameters(const DecoderConfig& config) {
  int64_t total = 0;
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    if (config.kind(layer).experts) {
      total += (config.num_experts - config.experts_per_token) * 3 * config.width * config.expert_width;
    }
  }
  return total;
}

/// How many tensors there are of each stored type: "Q4_1 (210), F32 (61), Q8_0 (1)".
std::string stored_types(const WeightFiles& files) {
  std::map<std::string, int> counts;
  for (const auto& [name, weight] : files.weights()) ++counts[weight.raw.dtype];
  std::string text;
  for (const auto& [type, count] : counts) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", type, count);
  return text;
}

std::string describe_rope(const RopeConfig& rope) {
  std::string text = fmt::format("base {}", rope.theta);
  if (rope.kind != "default") text += ", scaling " + rope.kind;
  return text;
}

void print_row(const std::string& name, const std::string& value) {
  std::cout << fmt::format("{:<14} {}\n", name, escape_control(value));
}

void print_template(const ModelText& text) {
  const auto facts = text.template_facts();
  print_row("template", facts ? "sha256 " + facts->hash : "none; prompts are raw");
  if (facts) {
    print_row("reads", fmt::format("{}", fmt::join(facts->variables_read, ", ")));
    print_row("system prompt", facts->default_prompt.empty() ? "none put in" : "put in: " + facts->default_prompt);
    print_row("answer begins",
              facts->honours_generation_prompt ? facts->generation_prompt : "without a generation prompt");
  }
  const bool in_template = facts && facts->writes_bos;
  print_row("BOS", !text.wants_bos() ? (in_template ? "from the template" : "none")
                   : in_template     ? "from the template and from the tokenizer; prompts here get exactly one"
                                     : "from the tokenizer");
}

/// What sets layers apart: experts, windows, no rotation.
void print_layers(const DecoderConfig& config) {
  const auto count = [&](bool LayerKind::*what) {
    int64_t total = 0;
    for (int64_t layer = 0; layer < config.num_layers; ++layer) total += config.kind(layer).*what ? 1 : 0;
    return total;
  };
  if (const int64_t layers = count(&LayerKind::experts); layers > 0) {
    print_row("experts", fmt::format("{} of width {}, {} for a token, in {} layers", config.num_experts,
                                     config.expert_width, config.experts_per_token, layers));
  }
  if (const int64_t layers = count(&LayerKind::windowed); layers > 0) {
    print_row("window", fmt::format("{} tokens, in {} layers", config.window_tokens, layers));
  }
  if (const int64_t layers = config.num_layers - count(&LayerKind::rotary); layers > 0) {
    print_row("no rotation", fmt::format("in {} layers", layers));
  }
}

}  // namespace

int inspect_summary(const std::string& model, const std::string& preset_name) {
  const Preset preset = preset_name.empty() ? Preset() : load_preset(preset_name);
  const ModelCheckpoint checkpoint = ModelCheckpoint::open(model);
  const DecoderConfig& config = checkpoint.config();
  print_row("model", checkpoint.path());
  print_row("architecture", fmt::format("{}: {} layers, width {}, MLP {}, {} heads of {}, {} key-value heads",
                                        config.family, config.num_layers, config.width, config.mlp_width,
                                        config.num_heads, config.head_size, config.num_kv_heads));
  print_row("head", config.tied_head ? "tied to the embedding" : "its own");
  print_row("rotary", describe_rope(config.rope));
  print_layers(config);
  print_row("vocabulary", std::to_string(config.vocab_size));
  print_row("context", fmt::format("{} tokens", config.context_tokens));
  const int64_t total = count_parameters(config), idle = count_idle_parameters(config);
  print_row("parameters",
            idle == 0 ? std::to_string(total) : fmt::format("{}, {} of them for a token", total, total - idle));
  print_row("dtype", stored_types(checkpoint.files()));
  print_row("weights", "sha256 " + checkpoint.weight_hash());
  const ModelText text = ModelText::load(checkpoint.path(), preset.model.chat_template, preset.model.template_file);
  print_template(text);
  for (const StopToken& stop : text.stop_tokens()) {
    print_row("stop token", fmt::format("{} {} ({})", stop.id, stop.token, fmt::join(stop.sources, ", ")));
  }
  if (preset_name.empty()) return 0;
  const RenderedPrompt prompt = first_prompt(preset, text);
  print_row("first prompt", fmt::format("{} tokens, sha256 {}{}", prompt.token_ids.size(), sha256_hex(prompt.text),
                                        prompt.prefill.empty() ? "" : ", the answer begins with " + prompt.prefill));
  std::cout << escape_control(prompt.text, /*keep_newlines=*/true) << "\n";
  return 0;
}

}  // namespace plumbline
