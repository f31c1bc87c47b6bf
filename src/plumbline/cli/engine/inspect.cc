/// inspect MODEL [logits|modules]: what a checkpoint is, and exact outputs for comparison with other tools. The text
/// half (tokens, render) is in cli/core.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/cli/engine/inspect_summary.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/model/checkpoint.h"
#include "plumbline/model/decoder.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

struct InspectArguments {
  std::string model, part, out, preset, dtype = "float32", device = "cpu";
  std::vector<std::string> targets;
};

/// One line of stdin: a JSON array of token ids of the vocabulary.
std::vector<int64_t> parse_ids(const std::string& line, int64_t line_number, int64_t vocab_size) {
  const std::string where = fmt::format("stdin, line {}", line_number);
  const Json row = parse_json(line, where);
  const auto is_id = [&](const Json& id) { return id.is_number_integer() && id >= 0 && id < vocab_size; };
  if (!row.is_array() || row.empty() || !std::all_of(row.begin(), row.end(), is_id)) {
    throw DataError("data.token_ids", fmt::format("expected an array of ids, each from 0 to {}", vocab_size - 1), where,
                    "write one JSON array a line, [1, 2, 3]");
  }
  return row.get<std::vector<int64_t>>();
}

/// Tensor logits.<line> of shape [T, V], float32, for each line of stdin, counted from 0.
int inspect_logits(const InspectArguments& arguments) {
  if (arguments.out.empty()) {
    throw ConfigError("config.usage", "logits needs a file to write", "--out", "add --out FILE.safetensors");
  }
  const auto decoder = load_decoder(arguments.model, dtype_of_name(arguments.dtype), device_of_name(arguments.device));
  const c10::InferenceMode inference;
  TensorMap tensors;
  std::string line;
  int64_t number = 0;
  for (; std::getline(std::cin, line); ++number) {
    const std::vector<int64_t> ids = parse_ids(line, number + 1, decoder->config().vocab_size);
    ForwardBatch batch;
    batch.ids_BT = torch::tensor(ids).unsqueeze(0).to(decoder->device());
    batch.positions_BT = at::arange(batch.ids_BT.size(1), batch.ids_BT.options()).unsqueeze(0);
    tensors[fmt::format("logits.{}", number)] = decoder->logits(decoder->hidden(batch)[0]).to(torch::kFloat32).cpu();
  }
  if (number == 0) {
    throw DataError("data.no_rows", "nothing came on standard input", "stdin",
                    "write one JSON array a line, [1, 2, 3]");
  }
  write_tensors(arguments.out, tensors, {{"weight_hash", decoder->weight_hash()}, {"dtype", arguments.dtype}});
  return 0;
}

/// A JSON array with one row a line: every linear, in the order of the model, the head last when it is not tied. The
/// experts of a mixture are one row each. No weight is read.
int inspect_modules(const InspectArguments& arguments) {
  const std::string dtype = name_of_dtype(dtype_of_name(arguments.dtype));
  const ModelCheckpoint checkpoint = ModelCheckpoint::open(arguments.model);
  const DecoderConfig& config = checkpoint.config();
  const std::vector<std::string> names = linear_names(config);
  const std::vector<std::string> adapted = match_target_modules(names, arguments.targets);
  const std::set<std::string> is_adapted(adapted.begin(), adapted.end());
  std::vector<Json> rows;
  const auto add = [&](const std::string& name, const std::vector<int64_t>& shape) {
    rows.push_back({{"name", name},
                    {"shape", shape},
                    {"rank", std::min(shape[0], shape[1])},
                    {"dtype", dtype},
                    {"adapted", is_adapted.contains(name)}});
  };
  for (const std::string& name : names) add(name, checkpoint.files().weights().at(name + ".weight").raw.shape);
  if (!config.tied_head) add("lm_head", {config.vocab_size, config.width});
  for (size_t i = 0; i < rows.size(); ++i) {
    std::cout << (i == 0 ? "[" : " ") << to_json_line(rows[i]) << (i + 1 == rows.size() ? "]\n" : ",\n");
  }
  return 0;
}

}  // namespace

int inspect_main(const std::vector<std::string>& words) {
  InspectArguments arguments;
  Arguments parser("inspect", "what a checkpoint is, and exact outputs for comparison with other tools");
  parser
      .positional("MODEL", &arguments.model,
                  "a folder, a GGUF file, a name in the cache folder, or org/name[@revision] of the hub")
      .positional(
          "PART", &arguments.part,
          "tokens: JSON strings on stdin to ids (--decode: back); render: messages on stdin to prompts; logits: ids on "
          "stdin to logits; modules: the linear modules; without: a summary",
          false)
      .option("--out", &arguments.out, "safetensors file for logits")
      .option("--preset", &arguments.preset,
              "in the summary: the first prompt of this preset, with its template options")
      .option("--dtype", &arguments.dtype, "float32 (default) or bfloat16")
      .option("--device", &arguments.device, "cpu (default), cuda, cuda:N")
      .option("--target", &arguments.targets, "which modules count as adapted (default attn-mlp); may be repeated");
  if (!parser.parse(words)) return 0;
  if (arguments.targets.empty()) arguments.targets = {"attn-mlp"};
  if (arguments.part.empty()) return inspect_summary(arguments.model, arguments.preset);
  if (arguments.part == "logits") return inspect_logits(arguments);
  if (arguments.part == "modules") return inspect_modules(arguments);
  throw ConfigError("config.usage", "there is no part '" + arguments.part + "' of a model", "inspect",
                    "use tokens, render, logits or modules");
}

}  // namespace plumbline
