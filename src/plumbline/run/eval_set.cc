#include "plumbline/run/eval_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/seal.h"

namespace plumbline {
namespace {

std::string prompt_text(const Problem& problem) {
  std::string text;
  for (const Message& message : problem.prompt) {
    text += fmt::format("{}:{}:{}\n", message.role, message.content.size(), message.content);
  }
  return text;
}

/// What makes two prompts one for a model that has learned one of them: the words, whatever stands between them.
std::string words_of(const Problem& problem) {
  std::string words;
  for (const Message& message : problem.prompt) {
    words += message.role + '\n';
    std::copy_if(message.content.begin(), message.content.end(), std::back_inserter(words),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    words += '\n';
  }
  return words;
}

std::vector<std::string> files_of(const Preset& preset) {
  return preset.eval.problems.empty() ? std::vector<std::string>{preset.data.problems} : preset.eval.problems;
}

void add_file(const std::string& path, const Preset& preset, std::vector<EvalSet>& sets) {
  const std::optional<Seal> seal = check_seal(path);
  std::vector<Problem> problems = read_problems(path, {.split = "eval", .keep_rows = preset.grade.reward == "custom"});
  for (EvalSet& set : sets) {
    bool is_used = false;
    for (Problem& problem : problems) {
      const bool has_room = preset.eval.limit == 0 || static_cast<int64_t>(set.problems.size()) < preset.eval.limit;
      if (problem.task != set.task || !has_room) continue;
      set.problems.push_back(std::move(problem));
      is_used = true;
    }
    if (is_used && seal) set.generator += (set.generator.empty() ? "" : ", ") + seal->generator;
  }
}

std::string hash_of(const std::vector<EvalItem>& items) {
  Sha256 hash;
  for (const EvalItem& item : items) {
    const Problem& problem = *item.problem;
    hash.update(fmt::format("{}\n{}{}\n", to_string(problem.id), prompt_text(problem), grading_hash(problem)));
  }
  return hash.hex();
}

}  // namespace

std::vector<EvalSet> read_eval_sets(const Preset& preset) {
  std::vector<EvalSet> sets(preset.eval.tasks.size());
  for (size_t i = 0; i < sets.size(); ++i) sets[i].task = preset.eval.tasks[i];
  for (const std::string& name : files_of(preset)) add_file(resolve_data_path(name), preset, sets);
  for (EvalSet& set : sets) {
    if (set.problems.empty()) {
      throw ConfigError("config.no_problems",
                        fmt::format("there is no problem of the task '{}' in the split 'eval'", set.task), "eval.tasks",
                        "name a file that has some in eval.problems or data.problems");
    }
    for (Problem& problem : set.problems) apply_hint(problem, preset.data.hint, preset.data.tester_name);
  }
  return sets;
}

void render_eval_set(const ModelText& text, const RolloutOptions& rollout, EvalSet& set) {
  set.list = render_items(text, set.problems, rollout.max_new_tokens, rollout.context_tokens);
  if (set.list.items.size() < 2) {
    throw ConfigError("config.no_problems",
                      fmt::format("{} of {} problems of the task '{}' fit: prompt and {} new tokens must be at most {} "
                                  "tokens",
                                  set.list.items.size(), set.problems.size(), set.task, rollout.max_new_tokens,
                                  rollout.context_tokens),
                      "rollout.context_tokens", "raise it, lower rollout.max_new_tokens, or name other problems");
  }
  if (set.list.num_left_out > 0) {
    log_warning(fmt::format("{}: {} of {} problems are left out: their prompts do not fit into {} tokens", set.task,
                            set.list.num_left_out, set.problems.size(), rollout.context_tokens));
  }
  set.hash = hash_of(set.list.items);
  log_info(fmt::format("{}: {}", set.task, prompt_line(set.list.items.front().prompt)));
}

Overlap overlap_with_training(const EvalSet& set, const Preset& training) {
  std::vector<Problem> problems =
      read_problems(resolve_data_path(training.data.problems), {.split = training.data.split});
  if (training.data.limit > 0 && static_cast<int64_t>(problems.size()) > training.data.limit) {
    problems.resize(static_cast<size_t>(training.data.limit));
  }
  for (Problem& problem : problems) apply_hint(problem, training.data.hint, training.data.tester_name);
  std::set<std::string> families, prompts, shared_families;
  for (const Problem& problem : problems) {
    if (problem.task == set.task && !problem.family.empty()) families.insert(problem.family);
    prompts.insert(words_of(problem));
  }
  Overlap overlap;
  for (const EvalItem& item : set.list.items) {
    if (families.count(item.problem->family)) shared_families.insert(item.problem->family);
    if (prompts.count(words_of(*item.problem))) overlap.prompts.push_back(to_string(item.problem->id));
  }
  overlap.families.assign(shared_families.begin(), shared_families.end());
  return overlap;
}

ReportSplit report_split(const EvalSet& set, const Overlap& overlap, uint64_t seed) {
  ReportSplit split;
  split.seed = seed;
  split.hash = set.hash;
  split.num_items = static_cast<int64_t>(set.list.items.size());
  split.num_left_out = set.list.num_left_out;
  split.is_sealed = !set.generator.empty();
  split.family_overlap = overlap.families;
  for (const std::string& id : overlap.prompts) split.prompt_overlap.push_back("prompt of " + id);
  return split;
}

}  // namespace plumbline
