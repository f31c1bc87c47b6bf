#include "plumbline/preset/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/toml_reader.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/preset/suggestion.h"

namespace plumbline {
namespace {

class ValueCheck {
 public:
  ValueCheck(const KeyRow& row, const std::string& where) : row_(row), where_(where) {}

  void operator()(const std::string* value) const { check_word(*value); }
  void operator()(const bool*) const {}
  void operator()(const int64_t* value) const { check_number(static_cast<double>(*value), std::to_string(*value)); }
  void operator()(const uint64_t* value) const { check_number(static_cast<double>(*value), std::to_string(*value)); }
  void operator()(const double* value) const { check_number(*value, toml_real(*value)); }
  template <typename Item>
  void operator()(const std::vector<Item>* items) const {
    check_length(items->size());
    for (const Item& item : *items) (*this)(&item);
  }

 private:
  void check_word(const std::string& word) const {
    if (row_.allowed.empty()) return;
    if (!matches_any(word, row_.allowed)) {
      const std::string near = nearest(word, row_.allowed);
      throw ConfigError("config.not_allowed", fmt::format("{} cannot be {}", row_.name(), toml_quoted(word)), where_,
                        near.empty() ? "one of: " + join(row_.allowed)
                                     : fmt::format("did you mean \"{}\"? one of: {}", near, join(row_.allowed)));
    }
  }

  void check_number(double value, const std::string& text) const {
    if (!row_.range.contains(value) || std::abs(value) == std::numeric_limits<double>::infinity()) {
      throw ConfigError("config.out_of_range", fmt::format("{} = {} is out of range", row_.name(), text), where_,
                        fmt::format("it must be {}", row_.range.text()));
    }
  }

  void check_length(size_t size) const {
    if (row_.list_size > 0 && size != row_.list_size) {
      throw ConfigError("config.out_of_range", fmt::format("{} has {} items", row_.name(), size), where_,
                        fmt::format("it must have exactly {}", row_.list_size));
    }
    if (size == 0 && !row_.may_be_empty) {
      throw ConfigError("config.out_of_range", row_.name() + " is an empty list", where_, "name at least one item");
    }
  }

  const KeyRow& row_;
  const std::string& where_;
};

[[noreturn]] void conflict(const std::string& message, const std::string& where, const std::string& next_step) {
  throw ConfigError("config.conflict", message, where, next_step);
}

void check_required(const Preset& preset, const WhereOf& where_of, bool needs_model) {
  for (const KeyRow& row : key_rows()) {
    if (!row.required || (!needs_model && row.name() == "model.path")) continue;
    if (!std::get<std::string*>(slot_of(row, preset))->empty()) continue;
    throw ConfigError("config.missing_key", row.name() + " is not set", where_of(row.name()),
                      fmt::format("add it to [{}]: {}", row.table, row.doc));
  }
}

void check_model_and_data(const Preset& preset, const WhereOf& where_of) {
  if (preset.model.chat_template == "never" && !preset.model.template_file.empty()) {
    conflict("model.template_file is set and model.chat_template = \"never\" ignores it",
             where_of("model.template_file"), "drop one of the two");
  }
  const std::string& name = preset.data.tester_name;
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
      !std::all_of(name.begin(), name.end(), is_word)) {
    throw ConfigError("config.not_allowed", "data.tester_name is not a Python identifier: " + toml_quoted(name),
                      where_of("data.tester_name"), "use a name such as run_tests");
  }
}

void check_rollout(const Preset& preset, const WhereOf& where_of) {
  const RolloutOptions& rollout = preset.rollout;
  if (rollout.max_new_tokens >= rollout.context_tokens) {
    conflict(fmt::format("rollout.max_new_tokens = {} leaves no room for a prompt in rollout.context_tokens = {}",
                         rollout.max_new_tokens, rollout.context_tokens),
             where_of("rollout.max_new_tokens"), "raise context_tokens or lower max_new_tokens");
  }
}

void check_eval(const Preset& preset, const WhereOf& where_of) {
  const EvalOptions& eval = preset.eval;
  if (!eval.adapter.empty() + !eval.candidate.empty() + !eval.served.empty() > 1) {
    conflict("more than one of eval.adapter, eval.candidate and eval.served is set, and there is one candidate",
             where_of(eval.served.empty() ? "eval.candidate" : "eval.served"), "remove the others");
  }
  const double temperature = preset.eval.temperature;
  if (temperature == 0 || temperature >= kMinTemperature) return;
  throw ConfigError("config.out_of_range",
                    fmt::format("eval.temperature = {} is between greedy and {}", temperature, kMinTemperature),
                    where_of("eval.temperature"), "use 0 for greedy, or 0.01 and more: smaller ones overflow float32");
}

/// Arms that are monitors.
bool is_monitor(const std::string& arm) {
  return matches_any(arm, {"penalty", "screening", "rebound"});
}

/// Arms that need a direction of the adapter's vectors.
bool uses_direction(const std::string& arm) {
  return matches_any(
      arm, {"projected", "haar", "haar.N", "shuffled", "shuffled.N", "placebo", "route", "absorb", "erase_weights"});
}

void check_adapter(const Preset& preset, const WhereOf& where_of) {
  const bool is_lora = preset.adapter.kind == "lora";
  for (const char* key : {"rank", "alpha"}) {
    const bool set = std::string(key) == "rank" ? preset.adapter.rank != 0 : preset.adapter.alpha != 0;
    if (!is_lora && set) {
      conflict(fmt::format("adapter.{} belongs to lora and adapter.kind is \"svd\"", key),
               where_of(std::string("adapter.") + key), "drop it");
    }
    if (is_lora && !set) {
      throw ConfigError("config.missing_key", fmt::format("adapter.{} is not set and adapter.kind = \"lora\"", key),
                        where_of("adapter.kind"), "set adapter.rank and adapter.alpha, 8 and 16 for instance");
    }
  }
  if (is_lora && preset.steer.alignment_every > 0) {
    conflict("the alignment is a cosine in the SVD adapter's coordinates and adapter.kind is \"lora\"",
             where_of("steer.alignment_every"), "set it to 0");
  }
  if (is_lora && uses_direction(preset.run.arm)) {
    conflict(
        fmt::format("arm {} projects on the SVD adapter's coordinates and adapter.kind is \"lora\"", preset.run.arm),
        where_of("run.arm"), "set adapter.kind = \"svd\", or another arm");
  }
  for (const std::string& target : preset.adapter.target_modules) {
    if (target.empty()) {
      throw ConfigError("config.not_allowed", "adapter.target_modules has an empty name",
                        where_of("adapter.target_modules"), "name a module, or the set attn-mlp");
    }
  }
}

/// What one objective needs and the other would ignore.
void check_objective(const Preset& preset, const WhereOf& where_of) {
  const bool is_supervised = preset.train.objective == "sft", mixes = preset.train.teacher_mix > 0;
  if (!is_supervised && !mixes && !preset.data.completions.empty()) {
    conflict("data.completions is set and nothing takes from it", where_of("data.completions"),
             "drop it, or set train.objective = \"sft\" or train.teacher_mix");
  }
  if ((is_supervised || mixes) && preset.data.completions.empty()) {
    const char* key = is_supervised ? "train.objective" : "train.teacher_mix";
    throw ConfigError("config.missing_key", fmt::format("data.completions is not set and {} takes from it", key),
                      where_of(key), "name a file of completions, such as the pool.jsonl of teach");
  }
  if (!is_supervised) return;
  if (preset.train.beta != 0) {
    conflict(fmt::format("train.beta = {} and train.objective = \"sft\", whose loss has no KL", preset.train.beta),
             where_of("train.beta"), "set train.beta = 0.0");
  }
  if (mixes) {
    conflict("train.teacher_mix and train.objective = \"sft\", which has no groups", where_of("train.teacher_mix"),
             "set train.teacher_mix = 0.0");
  }
  if (preset.monitor.kind != "none" || is_monitor(preset.run.arm)) {
    conflict("a monitor changes rewards and train.objective = \"sft\" has none", where_of("train.objective"),
             "drop the monitor, or set train.objective = \"rl\"");
  }
}

/// An arm that is a monitor brings its own.
void check_monitor(const Preset& preset, const WhereOf& where_of) {
  const MonitorOptions& monitor = preset.monitor;
  if (is_monitor(preset.run.arm) && monitor.kind != "none" && monitor.kind != preset.run.arm) {
    conflict(fmt::format("arm {} and monitor.kind = \"{}\" are two monitors", preset.run.arm, monitor.kind),
             where_of("monitor.kind"), "drop monitor.kind, or choose another arm");
  }
}

void check_steer(const Preset& preset, const WhereOf& where_of) {
  const SteerOptions& steer = preset.steer;
  if (steer.method != "svd" && steer.k != 1) {
    conflict(fmt::format("steer.k = {} and steer.method = \"{}\", which decides that itself", steer.k, steer.method),
             where_of("steer.k"), "set k = 1");
  }
}

void check_prices(const RemoteOptions& options, size_t num_models, const std::string& table, const WhereOf& where_of) {
  if (options.prices.empty() || options.prices.size() == 2 * num_models) return;
  conflict(fmt::format("{}.prices has {} numbers for {} models", table, options.prices.size(), num_models),
           where_of(table + ".prices"), "give two a model: a million tokens in, a million tokens out");
}

template <typename Item>
void check_unique(const std::vector<Item>& items, const std::string& key, const WhereOf& where_of) {
  if (std::set<Item>(items.begin(), items.end()).size() != items.size()) {
    conflict(key + " names an item twice", where_of(key), "name each once");
  }
}

}  // namespace

void check_value(const KeyRow& row, const Preset& preset, const std::string& where) {
  std::visit(ValueCheck(row, where), slot_of(row, preset));
}

void check_combinations(const Preset& preset, const WhereOf& where_of, bool needs_model) {
  check_required(preset, where_of, needs_model);
  check_model_and_data(preset, where_of);
  check_rollout(preset, where_of);
  check_eval(preset, where_of);
  check_adapter(preset, where_of);
  check_objective(preset, where_of);
  check_monitor(preset, where_of);
  check_steer(preset, where_of);
  parse_rewards(preset.grade, where_of(preset.grade.rewards.empty() ? "grade.reward" : "grade.rewards"));
  check_prices(preset.judge, preset.judge.judges.size(), "judge", where_of);
  check_prices(preset.teach, preset.teach.teachers.size(), "teach", where_of);
  check_unique(preset.judge.judges, "judge.judges", where_of);
  check_unique(preset.teach.teachers, "teach.teachers", where_of);
  check_unique(preset.adapter.target_modules, "adapter.target_modules", where_of);
  check_unique(preset.steer.flavors, "steer.flavors", where_of);
  check_unique(preset.eval.tasks, "eval.tasks", where_of);
  check_unique(preset.eval.adapter, "eval.adapter", where_of);
  check_unique(preset.eval.problems, "eval.problems", where_of);
  check_unique(preset.probe.arms, "probe.arms", where_of);
  check_unique(preset.probe.seeds, "probe.seeds", where_of);
  check_unique(preset.probe.choosing_seeds, "probe.choosing_seeds", where_of);
}

void check_eval_verb(const Preset& preset) {
  if (preset.eval.samples <= 1 || preset.eval.temperature > 0) return;
  conflict(fmt::format("eval.samples = {} would be ignored: at eval.temperature = 0 eval gives the greedy answer alone",
                       preset.eval.samples),
           "eval.samples", "set eval.samples = 1, or a temperature above 0: samples stand beside the greedy answer");
}

}  // namespace plumbline
