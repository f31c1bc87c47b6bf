/// Every knob of a preset, one plain struct a TOML table, defaults and units here and nowhere else.
/// This is the only home of configuration (docs/adr/0003): components take these structs; the schema table in
/// preset/schema.cc turns TOML into them, validates, and writes `resolved.toml` and the reference page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// [run]
struct RunOptions {
  std::string arm = "vanilla";  ///< vanilla, projected, haar, shuffled, placebo, ...; a draw is written haar.2
  uint64_t seed = 0;            ///< root of every random stream
  int64_t threads = 0;          ///< CPU threads of the engine; 0 = all cores
  std::string device = "auto";  ///< auto, cpu, cuda, cuda:N
  int64_t micro_batch = 8;      ///< rows in one forward/backward; never changes the result (bnpo apart)

  bool operator==(const RunOptions&) const = default;
};

/// [model]
struct ModelOptions {
  std::string path;                    ///< HF folder, GGUF file, or the name of a model that `make model` brings
  std::string dtype = "float32";       ///< float32, bfloat16: dtype of the weights in memory and of the forward pass
  std::string chat_template = "auto";  ///< auto (if the model has one), always, never
  std::string template_file;           ///< a Jinja file that replaces the model's own template

  bool operator==(const ModelOptions&) const = default;
};

/// [data]
struct DataOptions {
  std::string problems;         ///< problem.v1 JSON lines, or a format that readers know
  std::string split = "train";  ///< which split to train on
  int64_t limit = 0;            ///< first N problems after ordering; 0 = all
  uint64_t order_seed = 0;      ///< seed of the order of problems, or of completions
  std::string completions;      ///< sft and teacher_mix: stored answers to these problems, JSON lines
  std::string inoculation;      ///< said in training prompts and never in evaluation; empty = nothing
  std::string hint = "asked";   ///< hint variant; "none" for no hint
  std::string tester_name = "run_tests";

  bool operator==(const DataOptions&) const = default;
};

/// [rollout]
struct RolloutOptions {
  int64_t group_size = 6;  ///< G, completions a prompt
  int64_t prompts_per_step = 8;
  int64_t max_new_tokens = 1024;
  int64_t context_tokens = 2048;  ///< prompts with prompt + max_new above this are skipped and counted
  double temperature = 0.7;
  double top_p = 1.0;
  int64_t top_k = 0;               ///< 0 = off
  std::string truncated = "keep";  ///< keep, mask, zero_reward

  bool operator==(const RolloutOptions&) const = default;
};

/// [train]
struct TrainOptions {
  std::string objective = "rl";  ///< rl, sft
  int64_t batch_size = 32;       ///< sft: completions in one optimizer step
  std::string loss = "dr_grpo";
  int64_t steps = 200;
  double lr = 7e-5;
  int64_t warmup_steps = 10;          ///< linear from 1e-3 of lr to lr
  std::string schedule = "constant";  ///< constant, cosine
  std::string ratio = "token";        ///< token, sequence: level of the probability ratio
  double beta = 1e-3;                 ///< weight of the KL to the zero adapter
  std::string kl = "k3";              ///< k1, k2, k3: estimator of that KL
  double clip_low = 0.2;
  double clip_high = 0.2;
  double grad_clip = 1.0;     ///< global norm; 0 = off
  double weight_decay = 0.1;  ///< decoupled, toward the initial value 0
  std::vector<double> betas = {0.9, 0.99};
  double eps = 1e-8;
  std::string zero_spread = "skip";  ///< skip, keep, resample
  int64_t max_resamples = 8;         ///< resample: further prompts that a step may draw
  int64_t checkpoint_every = 50;     ///< steps; 0 = only at the end
  int64_t keep_checkpoints = 2;
  double teacher_mix = 0.0;            ///< share of each group from a stored pool
  int64_t onset_steps = 3;             ///< hacks must outnumber right answers in this many steps in a row
  std::vector<std::string> stop_when;  ///< rules that end the run early (train/stop_rule.h)

  bool operator==(const TrainOptions&) const = default;
};

/// [adapter]
struct AdapterOptions {
  std::string kind = "svd";  ///< svd, lora
  std::vector<std::string> target_modules = {"attn-mlp"};
  bool frozen_experts = false;                ///< a mixture of experts may go without an adapter on any expert
  std::string merge_rounding = "stochastic";  ///< stochastic, nearest, split; "unmerged" = reference path
  int64_t rank = 0;                           ///< lora
  double alpha = 0;                           ///< lora

  bool operator==(const AdapterOptions&) const = default;
};

/// [steer]
struct SteerOptions {
  std::string pairs;                 ///< pair file; empty = the shipped, locked one
  std::string placebo_pairs;         ///< pairs that differ in harmless content; empty = the shipped ones
  std::string direction;             ///< a direction.safetensors from `extract`; empty = extract anew
  std::vector<std::string> flavors;  ///< subset such as ["A"]; empty = all
  std::string method = "mean_diff";  ///< mean_diff, unit_mean, flavor_span, svd
  int64_t k = 1;                     ///< axes a module; svd only
  double noise_floor = 0;            ///< quantile of singular values below which axes are dropped; svd only
  std::string where = "gradient";    ///< gradient, update, both
  std::string gate = "one_sided";    ///< one_sided, two_sided, reverse
  bool preserve_magnitude = true;
  double overshoot = 1.0;
  double absorption = 3.0;      ///< arm absorb: how much faster than by itself training moves along the hack
  int64_t refresh_every = 0;    ///< steps; 0 = frozen direction
  int64_t alignment_every = 0;  ///< steps between measurements of the alignment; 0 = never

  bool operator==(const SteerOptions&) const = default;
};

/// [monitor]
struct MonitorOptions {
  std::string kind = "none";      ///< none, penalty, screening, rebound
  std::string flag = "hacked";    ///< hacked, vacuous, probe: what penalty and screening act on
  double accuracy = 1.0;          ///< probability that a flag is right
  double penalty = 1.0;           ///< taken off the reward of a flagged completion
  double alpha = 1.0;             ///< strength of rebound
  std::string form = "additive";  ///< additive, multiplicative: rebound
  double depth = 0.67;            ///< of the hidden states that rebound and the probe read, as a share of the layers

  bool operator==(const MonitorOptions&) const = default;
};

/// [grade]
struct GradeOptions {
  std::string reward = "loophole";        ///< loophole, signed, custom
  std::vector<std::string> rewards;       ///< custom: NAME=SOURCE each (preset/reward_spec.h)
  std::vector<double> reward_weights;     ///< one a reward; empty = 1 each
  double pass_reward = 1;                 ///< custom: a problem without tests passes from this reward on
  std::string judge_prompt;               ///< custom: file of the question that judges are asked; empty = built in
  std::string reward_python = "python3";  ///< interpreter of users' reward functions; looked for in PATH
  double reward_timeout_s = 60;  ///< wall clock: one call of a function or an endpoint, one answer of a command
  double reward_start_s = 300;   ///< wall clock: start of a program until it is ready (imports)
  int64_t reward_workers = 1;    ///< processes a reward
  int64_t reward_batch = 0;      ///< completions a call; 0 = a training step, 64 in `grade`
  double cpu_s = 10;             ///< CPU seconds a submission, summed over its process tree
  double wall_factor = 3;        ///< wall-clock backstop = factor x cpu_s
  int64_t memory_mib = 1024;     ///< memory of the process tree
  int64_t processes = 32;
  int64_t output_kib = 1024;
  int64_t workers = 0;                      ///< 0 = cores
  std::string integrity = "report";         ///< report, floor: a verdict with findings gets the lowest reward
  int64_t fresh_tests = 0;                  ///< inputs made afresh for each problem, to find special-cased answers
  std::string min_isolation = "container";  ///< namespaces, bubblewrap, container, limits
  std::string cache;                        ///< verdict cache file; empty = none
  std::string python = "/usr/bin/python3";  ///< interpreter of graded code

  bool operator==(const GradeOptions&) const = default;
};

/// [eval]
struct EvalOptions {
  std::vector<std::string> tasks = {"code"};
  int64_t every = 0;   ///< steps between evaluations of the held-out slice; 0 = never; step 0 is included
  int64_t slice = 64;  ///< problems in the slice
  int64_t limit = 0;   ///< verb eval: first N problems of each task; 0 = all
  std::vector<std::string> problems;  ///< verb eval: files; empty = data.problems
  std::vector<std::string> adapter;   ///< verb eval: RUN or RUN@step each, one a seed
  std::string candidate;              ///< verb eval: another checkpoint in the place of adapters
  std::string served;                 ///< verb eval: provider:model[@base_url] in their place
  int64_t samples = 1;
  double temperature = 0;      ///< 0 = greedy
  bool greedy_beside = false;  ///< where temperature is above 0: decode the slice greedily too

  bool operator==(const EvalOptions&) const = default;
};

/// [probe]
struct ProbeOptions {
  std::vector<std::string> arms = {"vanilla", "projected"};
  std::vector<int64_t> seeds = {0};
  std::vector<int64_t> choosing_seeds;  ///< seeds on which the settings were chosen; empty = not said
  std::string hack_rate = "hacked";     ///< hacked, vacuous: the rate that the report's verdict is about
  int64_t parallel = 1;                 ///< arms trained at once, each in a process of its own; 0 = as the cores allow
  bool stop_at_gates = true;

  bool operator==(const ProbeOptions&) const = default;
};

/// [gates]
struct GateOptions {
  double tolerance = 0.10;             ///< pass rate of projected within this of vanilla's (Gate D)
  double min_hack_rate = 0.30;         ///< Gate C: vanilla's final hack rate must exceed this
  double min_hack_reduction = 0.15;    ///< Gate D: projected must be below vanilla by this
  double min_heldout_fraction = 0.50;  ///< Gate B, hard: share of modules with positive held-out cosine
  double min_heldout_cosine = 0.20;    ///< Gate B, soft: mean held-out cosine

  bool operator==(const GateOptions&) const = default;
};

/// What [judge] and [teach] share: how a model behind an OpenAI-compatible endpoint is asked.
struct RemoteOptions {
  int64_t max_tokens = 1024;  ///< of one reply
  double temperature = 0;
  int64_t in_flight = 8;           ///< calls at a time, all models together
  double timeout_s = 120;          ///< of one attempt
  int64_t attempts = 5;            ///< of one call
  double max_failed_share = 0.02;  ///< calls that may fail after all attempts, as a share of the planned ones
  std::vector<double> prices;      ///< USD for a million tokens, in and out, of each model in turn; empty = not known
  std::vector<std::string> answers_as;  ///< further names under which the model may answer
  std::string cache;                    ///< file that keeps replies between runs; empty = none

  bool operator==(const RemoteOptions&) const = default;
};

/// [judge]
struct JudgeOptions : RemoteOptions {
  std::vector<std::string> judges;   ///< provider:model[@base_url] (judge/provider.h)
  std::vector<std::string> answers;  ///< [ARM=]FILE of completions; an arm without a name has its file's
  std::string mode = "support";      ///< support, pair
  std::string prompt;                ///< file of the question; empty = the built-in one
  double min_kappa = 0.40;           ///< agreement of two judge families that a claim needs

  bool operator==(const JudgeOptions&) const = default;
};

/// [teach]
struct TeachOptions : RemoteOptions {
  std::vector<std::string> teachers;  ///< provider:model[@base_url]
  int64_t samples = 1;                ///< completions a problem and teacher

  bool operator==(const TeachOptions&) const = default;
};

/// A whole preset. `name` is the file's stem; `source` the TOML path it came from.
struct Preset {
  std::string name, source;
  RunOptions run;
  ModelOptions model;
  DataOptions data;
  RolloutOptions rollout;
  TrainOptions train;
  AdapterOptions adapter;
  SteerOptions steer;
  MonitorOptions monitor;
  GradeOptions grade;
  EvalOptions eval;
  ProbeOptions probe;
  GateOptions gates;
  JudgeOptions judge;
  TeachOptions teach;

  bool operator==(const Preset&) const = default;
};

}  // namespace plumbline
