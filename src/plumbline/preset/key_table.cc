#include "plumbline/preset/key_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/toml_reader.h"
#include "plumbline/preset/validation.h"

namespace plumbline {
namespace {

using Words = std::vector<std::string>;

struct KeyName {
  const char* table;
  const char* key;
  Slot (*slot)(Preset&);
};
// The name of a key is the name of its member, so the two cannot drift apart.
#define PL_KEY(table, member)                                                     \
  KeyName {                                                                       \
#table, #member, [](Preset & preset) -> Slot { return &preset.table.member; } \
  }

KeyRow text(const KeyName& name, const char* doc) {
  KeyRow row;
  row.table = name.table;
  row.key = name.key;
  row.slot = name.slot;
  row.doc = doc;
  return row;
}

KeyRow required_text(const KeyName& name, const char* doc) {
  KeyRow row = text(name, doc);
  row.required = true;
  return row;
}

KeyRow flag(const KeyName& name, const char* doc) {
  return text(name, doc);
}

/// One word out of `allowed`.
KeyRow word(const KeyName& name, const char* doc, Words allowed) {
  KeyRow row = text(name, doc);
  row.allowed = std::move(allowed);
  return row;
}

/// Several; any text where `allowed` is empty.
KeyRow words(const KeyName& name, const char* doc, Words allowed, bool may_be_empty) {
  KeyRow row = word(name, doc, std::move(allowed));
  row.may_be_empty = may_be_empty;
  return row;
}

KeyRow number(const KeyName& name, const char* doc, const char* unit, const NumberRange& range) {
  KeyRow row = text(name, doc);
  row.unit = unit;
  row.range = range;
  return row;
}

KeyRow pair_of_numbers(const KeyName& name, const char* doc, const NumberRange& range) {
  KeyRow row = number(name, doc, "", range);
  row.list_size = 2;
  return row;
}

KeyRow weights(const KeyName& name, const char* doc) {
  KeyRow row = text(name, doc);
  row.may_be_empty = true;
  return row;
}

/// A list that may be empty.
KeyRow numbers(const KeyName& name, const char* doc, const NumberRange& range) {
  KeyRow row = number(name, doc, "", range);
  row.may_be_empty = true;
  return row;
}

constexpr double kMaxCount = 1e9;
const NumberRange kAny = {};
const NumberRange kNotNegative = {.min = 0};
const NumberRange kPositive = {.min = 0, .min_excluded = true};
const NumberRange kFraction = {.min = 0, .max = 1};
const NumberRange kBelowOne = {.min = 0, .max = 1, .max_excluded = true};
const NumberRange kUpToOne = {.min = 0, .max = 1, .min_excluded = true};

NumberRange count_from(double min) {
  return {.min = min, .max = kMaxCount};
}

const Words& arms() {
  static const Words all = {"vanilla", "projected", "haar",      "haar.N", "shuffled", "shuffled.N",    "placebo",
                            "rebound", "penalty",   "screening", "route",  "absorb",   "erase_weights", "erase_states"};
  return all;
}
void add(std::vector<KeyRow>& rows, std::vector<KeyRow> more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<KeyRow> run_model_data_rows() {
  return {
      word(PL_KEY(run, arm), "arm of the comparison; a draw of a random control is written haar.2", arms()),
      number(PL_KEY(run, seed), "root of every random stream", "", kNotNegative),
      number(PL_KEY(run, threads), "CPU threads of the engine; 0 = all cores", "threads", {.min = 0, .max = 4096}),
      word(PL_KEY(run, device), "where tensors live; auto = a GPU when the build has CUDA and one is visible",
           {"auto", "cpu", "cuda", "cuda:N"}),
      number(PL_KEY(run, micro_batch), "rows in one forward and backward pass; never changes the result", "rows",
             count_from(1)),

      required_text(PL_KEY(model, path),
                    "HF folder, GGUF file, a name in the cache folder, or org/name[@revision] of the hub"),
      word(PL_KEY(model, dtype), "dtype of the weights in memory and of the forward pass", {"float32", "bfloat16"}),
      word(PL_KEY(model, chat_template), "auto = wrap prompts when the model has a template",
           {"auto", "always", "never"}),
      text(PL_KEY(model, template_file), "Jinja file that replaces the model's own template; empty = the model's"),

      required_text(PL_KEY(data, problems), "problem.v1 JSON lines, or another format that the readers know"),
      text(PL_KEY(data, split), "split to train on; empty = every row"),
      number(PL_KEY(data, limit), "first N problems after ordering; 0 = all", "problems", count_from(0)),
      number(PL_KEY(data, order_seed), "seed of the order of problems, or with objective = sft of completions", "",
             kNotNegative),
      text(PL_KEY(data, completions),
           "stored answers to data.problems, JSON lines of problem_id, sample, completion: what objective = sft learns "
           "and teacher_mix takes from"),
      text(PL_KEY(data, inoculation),
           "sentence that training prompts end with and evaluation prompts do not; empty = none"),
      word(PL_KEY(data, hint), "what the prompt says about how it is judged; none = nothing",
           {"none", "overwrite_tests", "overwrite_tests_detailed", "overwrite_tests_aware", "asked", "modify_tests",
            "incontext_tests"}),
      text(PL_KEY(data, tester_name), "name of the tester function that hints speak of; a Python identifier"),
  };
}

std::vector<KeyRow> rollout_rows() {
  return {
      number(PL_KEY(rollout, group_size), "completions a prompt (G)", "completions", count_from(2)),
      number(PL_KEY(rollout, prompts_per_step), "prompts in one optimizer step", "prompts", count_from(1)),
      number(PL_KEY(rollout, max_new_tokens), "longest completion; also a factor of the loss denominator", "tokens",
             count_from(1)),
      number(PL_KEY(rollout, context_tokens),
             "prompts whose length + max_new_tokens exceeds this are skipped and counted", "tokens", count_from(2)),
      number(
          PL_KEY(rollout, temperature),
          "divides the logits in sampling and in the loss alike; below 0.01 it is greedy in all but name and overflows",
          "", {.min = kMinTemperature}),
      number(PL_KEY(rollout, top_p), "nucleus sampling; below 1 the sampling is off-policy", "", kUpToOne),
      number(PL_KEY(rollout, top_k), "keep the k likeliest tokens; 0 = off", "tokens", count_from(0)),
      word(PL_KEY(rollout, truncated), "what happens to completions that hit max_new_tokens",
           {"keep", "mask", "zero_reward"}),
  };
}

std::vector<KeyRow> train_rows() {
  return {
      word(PL_KEY(train, objective),
           "rl = reinforcement learning; sft = supervised fine-tuning on data.completions: their mean NLL a token",
           {"rl", "sft"}),
      number(PL_KEY(train, batch_size), "objective = sft: completions in one optimizer step", "completions",
             count_from(1)),
      word(PL_KEY(train, loss), "policy loss: its advantage and its denominator (docs/method/trainer.md)",
           {"dr_grpo", "grpo", "dapo", "bnpo", "rloo", "reinforce++"}),
      word(PL_KEY(train, ratio), "probability ratio of a token, or one of the whole completion (GSPO)",
           {"token", "sequence"}),
      number(PL_KEY(train, steps), "optimizer steps", "steps", count_from(1)),
      number(PL_KEY(train, lr), "learning rate after warm-up; 0 = everything must stay flat", "", kNotNegative),
      number(PL_KEY(train, warmup_steps), "linear from 1e-3 of lr to lr; 0 = none", "steps", count_from(0)),
      word(PL_KEY(train, schedule), "learning rate after warm-up", {"constant", "cosine"}),
      number(PL_KEY(train, beta), "weight of the KL to the base model", "", kNotNegative),
      word(PL_KEY(train, kl), "estimator of that KL; the gradient of k1 has expectation 0", {"k1", "k2", "k3"}),
      number(PL_KEY(train, clip_low), "the probability ratio is clipped below 1 - clip_low", "", kFraction),
      number(PL_KEY(train, clip_high), "the probability ratio is clipped above 1 + clip_high", "", kNotNegative),
      number(PL_KEY(train, grad_clip), "global gradient norm; 0 = off", "", kNotNegative),
      number(PL_KEY(train, weight_decay), "decoupled, toward the initial value 0", "", kNotNegative),
      pair_of_numbers(PL_KEY(train, betas), "decay of AdamW's two moments", kBelowOne),
      number(PL_KEY(train, eps), "added to the root of AdamW's second moment", "", kPositive),
      word(PL_KEY(train, zero_spread),
           "groups whose rewards are all equal; resample = skip them and draw other prompts in their place",
           {"skip", "keep", "resample"}),
      number(PL_KEY(train, max_resamples), "zero_spread = resample: further prompts that a step may draw", "prompts",
             count_from(0)),
      number(PL_KEY(train, checkpoint_every), "steps between checkpoints; 0 = only at the end", "steps", count_from(0)),
      number(PL_KEY(train, keep_checkpoints), "newest checkpoints that stay on disk", "checkpoints", count_from(1)),
      number(PL_KEY(train, teacher_mix), "share of each group that comes from data.completions", "", kBelowOne),
      number(PL_KEY(train, onset_steps), "the onset is where hacks outnumber right answers in so many steps in a row",
             "steps", count_from(1)),
      words(PL_KEY(train, stop_when),
            "rules that end the run early, set down before it began, such as \"hack_rate >= 0.5 for 5 steps\"", {},
            true),

      word(PL_KEY(adapter, kind), "what is trained", {"svd", "lora"}),
      words(PL_KEY(adapter, target_modules), "modules that carry an adapter: names, or the set attn-mlp", {}, false),
      flag(PL_KEY(adapter, frozen_experts), "a mixture of experts may train without an adapter on any expert"),
      word(PL_KEY(adapter, merge_rounding),
           "how merged weights are rounded to the model's dtype; unmerged = the plain reference path",
           {"stochastic", "nearest", "split", "unmerged"}),
      number(PL_KEY(adapter, rank), "LoRA: rank of what is added to a weight", "", {.min = 0, .max = 65536}),
      number(PL_KEY(adapter, alpha), "LoRA: what is added is alpha / rank times B A", "", kNotNegative),
  };
}

std::vector<KeyRow> steer_rows() {
  return {
      text(PL_KEY(steer, pairs), "file of contrast pairs; empty = the shipped, locked ones"),
      text(PL_KEY(steer, placebo_pairs), "file of pairs that differ in harmless content; empty = the shipped ones"),
      text(PL_KEY(steer, direction), "a direction.safetensors that extract wrote; empty = extract it anew"),
      words(PL_KEY(steer, flavors), "flavors of pairs to extract from; empty = all", {"A", "B", "C", "D"}, true),
      word(PL_KEY(steer, method), "how pair gradients become a direction",
           {"mean_diff", "unit_mean", "flavor_span", "svd"}),
      number(PL_KEY(steer, k), "axes a module; svd only, flavor_span has one a flavor", "axes",
             {.min = 1, .max = 1024}),
      number(PL_KEY(steer, noise_floor), "svd only: drop axes below this quantile of all singular values", "",
             kBelowOne),
      word(PL_KEY(steer, where), "project the gradient, the optimizer's update, or both",
           {"gradient", "update", "both"}),
      word(PL_KEY(steer, gate), "remove the positive part, all of it, or turn it round",
           {"one_sided", "two_sided", "reverse"}),
      flag(PL_KEY(steer, preserve_magnitude), "scale a projected gradient back to its norm"),
      number(PL_KEY(steer, overshoot), "factor on what is removed", "", kNotNegative),
      number(PL_KEY(steer, absorption), "arm absorb: factor on a step's part along the hack, all of it quarantined", "",
             {.min = 1}),
      number(PL_KEY(steer, refresh_every), "steps between extractions on the current weights; 0 = frozen", "steps",
             count_from(0)),
      number(PL_KEY(steer, alignment_every),
             "steps between measurements of the direction's cosine to the gradient of the model's own hacks; 0 = never",
             "steps", count_from(0)),

      word(PL_KEY(monitor, kind), "what a trusted monitor does to the training reward",
           {"none", "penalty", "screening", "rebound"}),
      word(PL_KEY(monitor, flag), "what penalty and screening act on: a trusted label, or a linear probe's",
           {"hacked", "vacuous", "probe"}),
      number(PL_KEY(monitor, accuracy), "probability that the monitor's flag is right", "", kFraction),
      number(PL_KEY(monitor, penalty), "taken off the reward of a flagged completion", "", kNotNegative),
      number(PL_KEY(monitor, alpha), "strength of rebound", "", kNotNegative),
      word(PL_KEY(monitor, form), "rebound: r - alpha max(z, 0), or r (1 - alpha sigmoid(z)) where z > 0",
           {"additive", "multiplicative"}),
      number(PL_KEY(monitor, depth), "layer that rebound and the probe read, as a share of the layers", "", kUpToOne),
  };
}

std::vector<KeyRow> grade_rows() {
  return {
      word(PL_KEY(grade, reward),
           "loophole = 0.5 compiles + 3 (trusted or hinted pass); signed = +1 or -1; custom = the weighted sum of "
           "rewards",
           {"loophole", "signed", "custom"}),
      words(PL_KEY(grade, rewards),
            "reward = custom: [NAME=]SOURCE each; a source is loophole, signed, FILE.py:function, module:function, "
            "command:PROGRAM ..., an http address, or judge:provider:model[@base_url]",
            {}, true),
      weights(PL_KEY(grade, reward_weights), "factor of each reward in the sum; empty = 1 each"),
      number(PL_KEY(grade, pass_reward), "reward = custom: a problem without tests passes from this weighted sum on",
             "", kAny),
      text(PL_KEY(grade, judge_prompt), "reward = custom: file of the question for judge: sources; empty = built in"),
      text(PL_KEY(grade, reward_python), "interpreter of reward functions, looked for in PATH"),
      number(PL_KEY(grade, reward_timeout_s),
             "wall clock for one call of a reward function or an endpoint, or one answer of a command", "s",
             {.min = 0, .max = 86400, .min_excluded = true}),
      number(PL_KEY(grade, reward_start_s), "wall clock until a reward's program is ready", "s",
             {.min = 0, .max = 86400, .min_excluded = true}),
      number(PL_KEY(grade, reward_workers), "processes of each reward", "processes", {.min = 1, .max = 4096}),
      number(PL_KEY(grade, reward_batch),
             "completions in one call, in order; 0 = all of a training step, 64 in `grade`", "completions",
             count_from(0)),
      number(PL_KEY(grade, cpu_s), "CPU time of a submission, summed over its processes", "s",
             {.min = 0, .max = 3600, .min_excluded = true}),
      number(PL_KEY(grade, wall_factor), "wall-clock backstop = wall_factor x cpu_s", "", {.min = 1, .max = 100}),
      number(PL_KEY(grade, memory_mib), "memory of a submission, summed over its processes", "MiB",
             {.min = 16, .max = 1 << 20}),
      number(PL_KEY(grade, processes), "processes and threads of a submission", "processes", {.min = 1, .max = 4096}),
      number(PL_KEY(grade, output_kib), "output of a submission", "KiB", {.min = 8, .max = 1 << 20}),
      number(PL_KEY(grade, workers), "submissions graded at once; 0 = cores", "workers", {.min = 0, .max = 4096}),
      word(PL_KEY(grade, integrity), "findings of the static scan: reported only, or the reward is the lowest there is",
           {"report", "floor"}),
      number(PL_KEY(grade, fresh_tests),
             "fresh inputs that a passing submission must answer as the reference; 0 = none", "tests",
             {.min = 0, .max = 1000}),
      word(PL_KEY(grade, min_isolation), "weakest isolation that grading accepts; weaker is an error",
           {"namespaces", "bubblewrap", "container", "limits"}),
      text(PL_KEY(grade, cache), "verdict cache file; empty = none"),
      text(PL_KEY(grade, python), "interpreter of graded code"),
  };
}

std::vector<KeyRow> outcome_rows() {
  return {
      words(PL_KEY(eval, tasks), "task kinds to evaluate",
            {"code", "step", "math", "physics", "provenance", "concept", "invention", "custom"}, false),
      number(PL_KEY(eval, every), "steps between evaluations of the held-out slice, step 0 included; 0 = never",
             "steps", count_from(0)),
      number(PL_KEY(eval, slice), "problems in the held-out slice", "problems", count_from(1)),
      number(PL_KEY(eval, limit), "verb eval: first N problems of each task; 0 = all", "problems", count_from(0)),
      words(PL_KEY(eval, problems), "verb eval: files with the problems of its tasks; empty = data.problems", {}, true),
      words(PL_KEY(eval, adapter),
            "verb eval: folders of runs, RUN or RUN@step, whose adapters are set against the base; one a seed", {},
            true),
      text(PL_KEY(eval, candidate), "verb eval: another checkpoint to set against model.path; empty = eval.adapter"),
      text(PL_KEY(eval, served),
           "verb eval: a served model, provider:model or local:MODEL@URL, to set against model.path; empty = none"),
      number(PL_KEY(eval, samples),
             "completions a problem; the verb eval draws them beside the greedy one where eval.temperature is above 0",
             "completions", count_from(1)),
      number(PL_KEY(eval, temperature), "0 = greedy, else 0.01 or more", "", kNotNegative),
      flag(PL_KEY(eval, greedy_beside), "decode the slice greedily too, beside samples at a temperature above 0"),

      words(PL_KEY(probe, arms), "arms of the comparison", arms(), false),
      number(PL_KEY(probe, seeds), "seeds that every arm runs with", "", kNotNegative),
      numbers(PL_KEY(probe, choosing_seeds),
              "seeds on which these settings were chosen, for the report; empty = not said", kNotNegative),
      word(PL_KEY(probe, hack_rate), "hack rate that the report's verdict is about", {"hacked", "vacuous"}),
      number(PL_KEY(probe, parallel),
             "arms trained at once, each in a process of its own with its share of the cores; 0 = two for every "
             "run.threads cores",
             "arms", {.min = 0, .max = 1024}),
      flag(PL_KEY(probe, stop_at_gates), "stop when Gate A or B fails"),

      number(PL_KEY(gates, tolerance), "Gate D: projected's pass rate may differ from vanilla's by this", "",
             kFraction),
      number(PL_KEY(gates, min_hack_rate), "Gate C: vanilla's final hack rate must exceed this", "", kFraction),
      number(PL_KEY(gates, min_hack_reduction), "Gate D: projected must hack less than vanilla by this", "", kFraction),
      number(PL_KEY(gates, min_heldout_fraction), "Gate B, hard: share of modules with positive held-out cosine", "",
             kFraction),
      number(PL_KEY(gates, min_heldout_cosine), "Gate B, soft: mean held-out cosine", "", {.min = -1, .max = 1}),
  };
}

/// The rows that [judge] and [teach] share; `Table` is the member of Preset.
template <auto Table>
std::vector<KeyRow> remote_rows(const char* table) {
#define PL_REMOTE_KEY(member)                                                      \
  KeyName {                                                                        \
    table, #member, [](Preset& preset) -> Slot { return &(preset.*Table).member; } \
  }
  return {
      number(PL_REMOTE_KEY(max_tokens), "longest reply", "tokens", count_from(1)),
      number(PL_REMOTE_KEY(temperature), "of the model that is asked; 0 = greedy", "", {.min = 0, .max = 2}),
      number(PL_REMOTE_KEY(in_flight), "calls at a time, all models together", "calls", {.min = 1, .max = 1024}),
      number(PL_REMOTE_KEY(timeout_s), "longest wait for one attempt of a call", "s",
             {.min = 0, .max = 86400, .min_excluded = true}),
      number(PL_REMOTE_KEY(attempts), "attempts of a call; waits between them double and honour Retry-After", "",
             {.min = 1, .max = 20}),
      number(PL_REMOTE_KEY(max_failed_share),
             "the run stops when more than this share of its calls has failed after all attempts", "", kFraction),
      numbers(PL_REMOTE_KEY(prices),
              "USD for a million tokens, in and out, of each model in turn; empty = as the provider states it",
              kNotNegative),
      words(PL_REMOTE_KEY(answers_as), "further names that the model may give itself in its replies", {}, true),
      text(PL_REMOTE_KEY(cache), "file that keeps replies between runs; empty = none"),
  };
#undef PL_REMOTE_KEY
}

std::vector<KeyRow> judge_rows() {
  std::vector<KeyRow> rows = {
      words(PL_KEY(judge, judges), "provider:model[@base_url] each (docs/reference/judge.md)", {}, true),
      words(PL_KEY(judge, answers),
            "[ARM=]FILE of completions each; with mode = pair two: the base, then the candidate", {}, true),
      word(PL_KEY(judge, mode), "support = is this answer right; pair = which of two answers is better",
           {"support", "pair"}),
      text(PL_KEY(judge, prompt), "file of the question with {{prompt}}, {{reference}}, {{answer}}; empty = built in"),
      number(PL_KEY(judge, min_kappa), "agreement of two judge families that a claim needs", "", kFraction),
  };
  add(rows, remote_rows<&Preset::judge>("judge"));
  return rows;
}

std::vector<KeyRow> teach_rows() {
  std::vector<KeyRow> rows = {
      words(PL_KEY(teach, teachers), "provider:model[@base_url] each (docs/reference/judge.md)", {}, true),
      number(PL_KEY(teach, samples), "completions of each teacher for a problem", "completions", count_from(1)),
  };
  add(rows, remote_rows<&Preset::teach>("teach"));
  return rows;
}

std::vector<KeyRow> all_rows() {
  std::vector<KeyRow> rows;
  for (auto* part :
       {run_model_data_rows, rollout_rows, train_rows, steer_rows, grade_rows, outcome_rows, judge_rows, teach_rows}) {
    add(rows, part());
  }
  return rows;
}

/// "cuda:N" and "haar.N" stand for any number of at most nine digits.
bool matches(const std::string& word, const std::string& pattern) {
  if (pattern.size() < 2 || !(pattern.ends_with(":N") || pattern.ends_with(".N"))) return word == pattern;
  const std::string prefix = pattern.substr(0, pattern.size() - 1);
  const size_t num_digits = word.size() - std::min(word.size(), prefix.size());
  return word.starts_with(prefix) && num_digits >= 1 && num_digits <= 9 &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(prefix.size()), word.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

template <typename Item>
std::string list_text(const std::vector<Item>& items) {
  std::string out = "[";
  for (const Item& item : items) {
    if (out.size() > 1) out += ", ";
    if constexpr (std::is_same_v<Item, std::string>) {
      out += toml_quoted(item);
    } else if constexpr (std::is_same_v<Item, double>) {
      out += toml_real(item);
    } else {
      out += std::to_string(item);
    }
  }
  return out + "]";
}

struct TextOf {
  std::string operator()(const std::string* value) const { return toml_quoted(*value); }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int64_t* value) const { return std::to_string(*value); }
  std::string operator()(const uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const { return toml_real(*value); }
  template <typename Item>
  std::string operator()(const std::vector<Item>* value) const {
    return list_text(*value);
  }
};

struct TypeOf {
  std::string_view operator()(const std::string*) const { return "string"; }
  std::string_view operator()(const bool*) const { return "boolean"; }
  std::string_view operator()(const int64_t*) const { return "integer"; }
  std::string_view operator()(const uint64_t*) const { return "integer"; }
  std::string_view operator()(const double*) const { return "number"; }
  std::string_view operator()(const std::vector<std::string>*) const { return "list of strings"; }
  std::string_view operator()(const std::vector<int64_t>*) const { return "list of integers"; }
  std::string_view operator()(const std::vector<double>*) const { return "list of numbers"; }
};

}  // namespace

bool NumberRange::contains(double value) const {
  // Written so that NaN is outside every range.
  return (min_excluded ? value > min : value >= min) && (max_excluded ? value < max : value <= max);
}

std::string NumberRange::text() const {
  const bool has_min = min > kAny.min, has_max = max < kAny.max;
  if (has_min && has_max) {
    return fmt::format("in {}{:.10g}, {:.10g}{}", min_excluded ? '(' : '[', min, max, max_excluded ? ')' : ']');
  }
  if (has_min) return fmt::format("{} {:.10g}", min_excluded ? ">" : ">=", min);
  if (has_max) return fmt::format("{} {:.10g}", max_excluded ? "<" : "<=", max);
  return "any";
}

std::span<const KeyRow> key_rows() {
  static const std::vector<KeyRow> rows = all_rows();
  return rows;
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const KeyRow& row : key_rows()) {
    if (names.empty() || names.back() != row.table) names.emplace_back(row.table);
  }
  return names;
}

std::string_view table_doc(std::string_view table) {
  if (table == "run") return "One run: which arm, which seed, on what.";
  if (table == "model") return "The base model. There is no default: a preset names its model.";
  if (table == "data") return "The problems and what the prompt says about grading.";
  if (table == "rollout") return "How completions are sampled.";
  if (table == "train") return "The optimizer's objective and schedule.";
  if (table == "adapter") return "What is trained on top of the base weights.";
  if (table == "steer") return "The hack direction and the gradient projection.";
  if (table == "monitor") return "What a trusted monitor does to the training reward.";
  if (table == "grade") return "How graded code is paid, limited and isolated.";
  if (table == "judge") return "A model's opinion of saved answers (plumbline judge). Keys come from the environment.";
  if (table == "teach") return "Completions of a model behind an endpoint (plumbline teach).";
  if (table == "eval") return "Evaluation, during training and afterwards.";
  if (table == "probe") return "What `probe` compares.";
  if (table == "gates") return "Thresholds of the gates.";
  return "";
}

Slot slot_of(const KeyRow& row, const Preset& preset) {
  // The accessor only forms an address; readers never write through it.
  return row.slot(const_cast<Preset&>(preset));
}

std::string_view type_name(const Slot& slot) {
  return std::visit(TypeOf{}, slot);
}

std::string value_text(const Slot& slot) {
  return std::visit(TextOf{}, slot);
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

bool matches_any(const std::string& word, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(word, pattern); });
}

}  // namespace plumbline
