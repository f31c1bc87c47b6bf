/// generate MODEL: one prompt in the terminal, streamed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/model/decoder.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/text/model_text.h"
#include "plumbline/text/text_stream.h"

namespace plumbline {
namespace {

constexpr int64_t kDefaultNewTokens = 256;
/// More than the longest contexts there are, at many bytes a token: what is longer is a mistake (a wrong file on stdin)
/// and would be tokenised for minutes before the context refuses it.
constexpr size_t kMaxPrompt_bytes = size_t{16} << 20;

struct GenerateArguments {
  std::string model, prompt, dtype = "float32", device = "auto";
  int64_t max_new_tokens = 0, seed = 0, top_k = 0;
  double temperature = 0.7, top_p = 1.0;
  bool raw = false;
};

void print_chunk(const std::string& chunk) {
  if (!chunk.empty()) std::cout << escape_control(chunk, /*keep_newlines=*/true) << std::flush;
}

std::string read_prompt(const GenerateArguments& arguments) {
  std::string prompt = arguments.prompt;
  if (prompt.empty()) {
    prompt.resize(kMaxPrompt_bytes + 1);
    std::cin.read(prompt.data(), static_cast<std::streamsize>(prompt.size()));
    prompt.resize(static_cast<size_t>(std::cin.gcount()));
  }
  if (prompt.size() > kMaxPrompt_bytes) {
    throw ConfigError("config.prompt_too_long",
                      "the prompt has more than 16 MiB, which is beyond every model's context",
                      arguments.prompt.empty() ? "stdin" : "--prompt", "shorten it");
  }
  return prompt;
}

std::vector<int64_t> prompt_ids(const ModelText& text, const GenerateArguments& arguments) {
  const std::string prompt = read_prompt(arguments);
  std::vector<int64_t> ids = text.render({{"user", prompt}}).token_ids;
  if (ids.empty()) throw ConfigError("config.empty_prompt", "the prompt has no tokens", "--prompt", "write something");
  return ids;
}

/// What was asked for, within the model's context: positions beyond it were never trained.
int64_t num_new_tokens(const GenerateArguments& arguments, int64_t prompt_tokens, int64_t context_tokens) {
  const int64_t left = context_tokens - prompt_tokens;
  const int64_t wanted = arguments.max_new_tokens == 0 ? std::min(kDefaultNewTokens, left) : arguments.max_new_tokens;
  if (wanted < 1 || wanted > left) {
    throw ConfigError("config.context",
                      fmt::format("the prompt has {} tokens and the model's context {}", prompt_tokens, context_tokens),
                      "--max-new-tokens", "ask for at least 1 and at most what is left, or shorten the prompt");
  }
  return wanted;
}

int run_generate(const GenerateArguments& arguments) {
  const ModelText text = ModelText::load(resolve_model_path(arguments.model), arguments.raw ? "never" : "auto");
  const std::vector<Prompt> prompts = {{prompt_ids(text, arguments), 0, 0}};
  const auto decoder = load_decoder(arguments.model, dtype_of_name(arguments.dtype), device_of_name(arguments.device));
  SamplingOptions sampling;
  sampling.temperature = arguments.temperature;
  sampling.top_p = arguments.top_p;
  sampling.top_k = arguments.top_k;
  sampling.max_new_tokens =
      num_new_tokens(arguments, static_cast<int64_t>(prompts[0].token_ids.size()), decoder->config().context_tokens);
  sampling.seed = static_cast<uint64_t>(arguments.seed);
  sampling.stop_ids = text.stop_ids();
  LocalEngine engine(*decoder, 1);
  TextStream stream(text.tokenizer());
  engine.watch_tokens([&](size_t, int64_t id) {
    print_chunk(stream.add(id));
    if (!interrupt_requested()) return;
    print_chunk(stream.finish());
    std::cout << std::endl;
    throw Interrupted("generation stopped");
  });
  const double start_s = now_s();
  const Rollout rollout = engine.generate(prompts, sampling)[0];
  print_chunk(stream.finish());
  std::cout << std::endl;
  const double seconds = now_s() - start_s;
  log_info(fmt::format("{} tokens in {} ({:.1f} a second), {}", rollout.token_ids.size(), format_duration(seconds),
                       static_cast<double>(rollout.token_ids.size()) / seconds,
                       rollout.finish_reason == FinishReason::kStop ? "stopped by itself" : "cut at --max-new-tokens"));
  return 0;
}

}  // namespace

int generate_main(const std::vector<std::string>& words) {
  GenerateArguments arguments;
  Arguments parser("generate", "one prompt in the terminal, streamed");
  parser
      .positional("MODEL", &arguments.model,
                  "a folder, a GGUF file, a name in the cache folder, or org/name[@revision] of the hub")
      .option("--prompt", &arguments.prompt, "what the user says (default: all of stdin)")
      .option("--max-new-tokens", &arguments.max_new_tokens,
              "at most this many tokens (default 256, or what the context leaves)")
      .option("--temperature", &arguments.temperature, "0 = greedy, else 0.01 or more (default 0.7)")
      .option("--top-p", &arguments.top_p, "smallest set of likeliest tokens with this mass (default 1, off)")
      .option("--top-k", &arguments.top_k, "the k likeliest tokens (default 0, off)")
      .option("--seed", &arguments.seed, "seed of the random stream (default 0)")
      .option("--dtype", &arguments.dtype, "float32 (default) or bfloat16")
      .option("--device", &arguments.device, "auto (default), cpu, cuda, cuda:N")
      .flag("--raw", &arguments.raw, "no chat template: the prompt is continued as it is");
  if (!parser.parse(words)) return 0;
  return run_generate(arguments);
}

}  // namespace plumbline
