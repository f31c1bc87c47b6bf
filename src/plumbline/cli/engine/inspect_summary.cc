/// inspect MODEL: what a checkpoint is, in words.
#include "plumbline/cli/engine/inspect_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/model/decoder.h"
#include "plumbline/model/weight_files.h"
#include "plumbline/text/model_text.h"

namespace plumbline {
namespace {

int64_t count_parameters(Decoder& decoder) {
  int64_t total = decoder.embedding_VD().numel() + decoder.norm_D().numel();
  if (!decoder.config().tied_head) total += decoder.head_VD().numel();
  for (const DecoderLayer& layer : decoder.layers()) {
    for (const torch::Tensor& norm : {layer.input_norm_D, layer.mlp_norm_D, layer.q_norm_K, layer.k_norm_K}) {
      if (norm.defined()) total += norm.numel();
    }
  }
  for (const Linear* linear : decoder.linears()) {
    total += linear->base_OI.numel() + (linear->bias_O.defined() ? linear->bias_O.numel() : 0);
  }
  return total;
}

/// How many tensors there are of each stored type: "Q4_1 (210), F32 (61), Q8_0 (1)".
std::string stored_types(const std::string& path) {
  const WeightFiles files = std::filesystem::is_directory(path)
                                ? WeightFiles::open_folder(path)
                                : WeightFiles::open_gguf(std::make_unique<GgufFile>(path), 0, 0);
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

}  // namespace

int inspect_summary(const std::string& model) {
  const auto decoder = load_decoder(model, torch::kBFloat16, torch::kCPU);  // only counted: the smaller type will do
  const DecoderConfig& config = decoder->config();
  print_row("model", resolve_model_path(model));
  print_row("architecture", fmt::format("{}: {} layers, width {}, MLP {}, {} heads of {}, {} key-value heads",
                                        config.family, config.num_layers, config.width, config.mlp_width,
                                        config.num_heads, config.head_size, config.num_kv_heads));
  print_row("head", config.tied_head ? "tied to the embedding" : "its own");
  print_row("rotary", describe_rope(config.rope));
  print_row("vocabulary", std::to_string(config.vocab_size));
  print_row("context", fmt::format("{} tokens", config.context_tokens));
  print_row("parameters", std::to_string(count_parameters(*decoder)));
  print_row("dtype", stored_types(resolve_model_path(model)));
  print_row("weights", "sha256 " + decoder->weight_hash());
  const ModelText text = ModelText::load(resolve_model_path(model));
  print_template(text);
  for (const StopToken& stop : text.stop_tokens()) {
    print_row("stop token", fmt::format("{} {} ({})", stop.id, stop.token, fmt::join(stop.sources, ", ")));
  }
  return 0;
}

}  // namespace plumbline
