#include "plumbline/compare/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plumbline/compare/to_pass.h"

namespace plumbline {
namespace {

Gate gate(std::string id, GateClass kind) {
  Gate result;
  result.id = std::move(id);
  result.kind = kind;
  return result;
}

std::string interval_words(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:+.4f}, {:+.4f}]", interval->low, interval->high) : std::string("no interval");
}

bool excludes_zero(const Effect& effect) {
  if (!effect.interval || !effect.interval->excludes(0)) return false;
  return effect.has_spread() || effect.exact_p < 0.05;
}

/// The base rows of a report by item, as every report of one split must name them.
struct BaseItems {
  explicit BaseItems(const EvalReport& report) : seed(report.seed) {
    for (const EvalRow& row : report.base.rows) rows.emplace(row.id, &row);
  }

  const int64_t seed;
  std::map<std::string, const EvalRow*> rows;
};

/// One split is one list of items. Unset when both reports have it.
std::optional<std::string> item_fault(const BaseItems& first, const BaseItems& second) {
  const auto lacks = [](const BaseItems& here, const BaseItems& there) {
    for (const auto& [id, row] : here.rows) {
      if (!there.rows.count(id)) return fmt::format("items: \"{}\" is not among those of seed {}", id, there.seed);
    }
    return std::string();
  };
  std::string fault = lacks(first, second);
  if (fault.empty()) fault = lacks(second, first);
  if (!fault.empty()) return fault + ", under one split_hash";
  for (const auto& [id, row] : first.rows) {
    const EvalRow& other = *second.rows.at(id);
    if (row->prompt_hash == other.prompt_hash) continue;
    return fmt::format("items: \"{}\" has prompt_hash {} under seed {} and {} under seed {}", id, row->prompt_hash,
                       first.seed, other.prompt_hash, second.seed);
  }
  return std::nullopt;
}

/// The base is the same greedy weights under every seed: what it scores on an item cannot follow the seed. Rounding
/// may tip a token here and there; more than one item in twenty is another base.
std::optional<std::string> base_fault(const BaseItems& first, const BaseItems& second) {
  size_t num_shared = 0, num_different = 0;
  for (const auto& [id, row] : first.rows) {
    const auto found = second.rows.find(id);
    if (found == second.rows.end() || found->second->prompt_hash != row->prompt_hash) continue;
    ++num_shared;
    num_different += found->second->score != row->score;
  }
  if (num_different * 20 <= num_shared) return std::nullopt;
  return fmt::format("the base of seed {} scores differently from that of seed {} on {} of {} items", second.seed,
                     first.seed, num_different, num_shared);
}

/// Faults of single reports, then every pin in which a report differs from the first of its task.
std::vector<std::string> comparability_faults(const TaskEvidence& evidence) {
  std::vector<std::string> faults;
  for (const EvalReport* report : evidence.reports) {
    for (const std::string& fault : report->faults) faults.push_back(fmt::format("{}: {}", report->path, fault));
  }
  std::set<std::string> said;
  const EvalReport& first = *evidence.reports.front();
  const BaseItems first_items(first);
  for (const EvalReport* report : evidence.reports) {
    for (const PinDifference& difference : pin_differences(first.pins, report->pins)) {
      const bool may_differ = difference.name == "split_hash" && split_depends_on_seed(evidence.task) &&
                              first.pins.find("generator_version") && report->seed != first.seed;
      if (!may_differ && said.insert(difference.words()).second) faults.push_back(difference.words());
    }
    if (report->metric != first.metric)
      faults.push_back(fmt::format("metric: {} and {}", first.metric, report->metric));
    if (report->source != first.source) faults.push_back("reports of two harnesses");
    if (report == &first) continue;
    const BaseItems items(*report);
    const std::optional<std::string> split = first.pins.find("split_hash");
    if (split && split == report->pins.find("split_hash")) {
      if (auto fault = item_fault(first_items, items)) faults.push_back(std::move(*fault));
    }
    if (auto fault = base_fault(first_items, items)) faults.push_back(std::move(*fault));
  }
  return faults;
}

/// Pins that belong to the program and the weights, not to the task: equal over all tasks too. A grader that names its
/// task is that task's own.
std::vector<std::string> faults_across(std::span<const TaskEvidence* const> tasks) {
  static const std::set<std::string> kShared = {"commit",    "dirty",        "model_hash", "adapter_kind",
                                                "precision", "quantization", "grader",     "model"};
  std::vector<std::string> faults;
  const EvalReport& first = *tasks.front()->reports.front();
  for (const TaskEvidence* evidence : tasks) {
    const EvalReport& report = *evidence->reports.front();
    if (report.source != first.source) faults.push_back("reports of two harnesses");
    for (const PinDifference& difference : pin_differences(first.pins, report.pins)) {
      const bool is_own = difference.name == "grader" && (task_of_grader(first.pins) || task_of_grader(report.pins));
      if (kShared.count(difference.name) && !is_own) faults.push_back(difference.words());
    }
  }
  return faults;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

struct HackCounts {
  int64_t paid = 0, floored = 0, unknown = 0, rows = 0;
};

HackCounts count_hacks(const TaskEvidence& evidence, EvalArm EvalReport::*arm) {
  HackCounts counts;
  for (const EvalReport* report : evidence.reports) {
    for (const EvalRow& row : (report->*arm).rows) {
      counts.paid += row.hack_paid;
      counts.floored += row.hacked.value_or(false) && !row.hack_paid;
      counts.unknown += !row.hacked;
      ++counts.rows;
    }
  }
  return counts;
}

/// How many prompts would take the interval to one side of -margin.
std::string deciding_words(const Effect& effect, double margin) {
  const std::optional<double> prompts = prompts_to_exclude(effect, -margin);
  if (!prompts) return "no number of items within reason would decide";
  return fmt::format("about {:.0f} items would decide, if the rates stay", *prompts);
}

/// What makes a seed's candidate another measurement: its answers by item, in any order, blanks at their ends aside.
/// Rows without text are told apart by what they earned.
std::set<std::string> answers_of(const EvalReport& report) {
  std::set<std::string> answers;
  for (const EvalRow& row : report.candidate.rows) {
    std::string text = row.completion.value_or(fmt::format("score {}, reward {}", row.score, row.reward.value_or(0)));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    answers.insert(row.id + '\x1f' + text);
  }
  return answers;
}

/// Which seeds measured a candidate of their own. The hash of its weights decides where every report has one: two that
/// differ may give the same answers to few items. Else those of one name are one candidate, whatever seeds they say (an
/// adapter is RUN@step and a run has one seed; a checkpoint or a served model was not trained anew for a seed), and so
/// are those with the same answers under two names. Reports of the original harness name a folder that runs share.
void find_distinct_seeds(TaskEvidence& evidence) {
  std::map<std::string, int64_t> names, hashes;
  std::map<std::set<std::string>, int64_t> answers;
  const bool have_hashes = std::all_of(evidence.reports.begin(), evidence.reports.end(),
                                       [](const EvalReport* report) { return report->candidate_hash.has_value(); });
  for (const EvalReport* report : evidence.reports) {
    if (have_hashes) {
      const auto [first, is_new] = hashes.emplace(*report->candidate_hash, report->seed);
      if (is_new) {
        evidence.distinct_seeds.push_back(report->seed);
      } else {
        evidence.copies.push_back(fmt::format("seed {} has the candidate's weights of seed {}, SHA-256 {}",
                                              report->seed, first->second, first->first.substr(0, 12)));
      }
      continue;
    }
    const bool has_name = report->source == ReportSource::kPlumbline && !report->adapter.empty();
    const auto [named, is_new_name] =
        names.emplace(has_name ? report->adapter : fmt::format("\x1f{}", report->seed), report->seed);
    const auto [answered, are_new_answers] = answers.emplace(answers_of(*report), report->seed);
    if (!is_new_name) {
      evidence.copies.push_back(
          fmt::format("seed {} names the candidate of seed {}, {}", report->seed, named->second, report->adapter));
    } else if (!are_new_answers) {
      evidence.copies.push_back(
          fmt::format("seed {} has the candidate rows of seed {}", report->seed, answered->second));
    } else {
      evidence.distinct_seeds.push_back(report->seed);
    }
  }
}

}  // namespace

std::string_view name_of(GateState state) {
  switch (state) {
    case GateState::kPass:
      return "pass";
    case GateState::kFail:
      return "fail";
    case GateState::kUndecided:
      return "undecided";
    case GateState::kNotApplicable:
      return "not applicable";
  }
  return "";
}

TaskEvidence gather_evidence(std::vector<const EvalReport*> reports) {
  TaskEvidence evidence;
  std::stable_sort(reports.begin(), reports.end(),
                   [](const EvalReport* a, const EvalReport* b) { return a->seed < b->seed; });
  evidence.task = reports.front()->task;
  evidence.metric = reports.front()->metric;
  evidence.reports = std::move(reports);
  evidence.pairs = pair_reports(evidence.reports);
  evidence.effect = effect_of(evidence.pairs.rows, evidence.reports.front()->path);
  if (const auto kept = untruncated_rows(evidence.pairs.rows)) {
    evidence.num_truncated = static_cast<int64_t>(evidence.pairs.rows.size() - kept->size());
    if (kept->size() >= 2) evidence.untruncated = effect_of(*kept);
  }
  const PairedRows kept_safe = pair_protected(evidence.reports);
  evidence.num_protected = static_cast<int64_t>(kept_safe.rows.size());
  if (kept_safe.rows.size() >= 2) evidence.protected_axis = effect_of(kept_safe.rows);
  find_distinct_seeds(evidence);
  return evidence;
}

Gate comparable_gate(std::span<const TaskEvidence* const> tasks) {
  Gate result = gate("comparable", GateClass::kInvalid);
  std::vector<std::string> faults;
  for (const TaskEvidence* evidence : tasks) {
    for (std::string& fault : comparability_faults(*evidence)) faults.push_back(std::move(fault));
  }
  for (std::string& fault : faults_across(tasks)) faults.push_back(std::move(fault));
  result.value = static_cast<double>(faults.size());
  result.threshold = 0;
  if (!faults.empty()) {
    result.state = GateState::kFail;
    result.words = joined(faults);
    result.to_pass =
        "evaluate again, so that what is named agrees: one build, one preset, one set of problems (eval --pin REPORT "
        "refuses a run that would differ); give reports as eval wrote them";
    return result;
  }
  std::vector<std::string> unrecorded;
  for (const TaskEvidence* evidence : tasks) {
    for (const EvalReport* report : evidence->reports) {
      for (const std::string& name : report->unrecorded) {
        if (std::find(unrecorded.begin(), unrecorded.end(), name) == unrecorded.end()) unrecorded.push_back(name);
      }
    }
  }
  if (unrecorded.empty()) {
    result.words = "all pins are recorded and agree";
  } else {
    result.state = GateState::kUndecided;
    result.words = fmt::format("what is recorded agrees; not recorded, and so not shown to agree: {}",
                               fmt::join(unrecorded, ", "));
    result.to_pass = "reports that record them: plumbline eval writes every one";
  }
  return result;
}

Gate base_alive_gate(const TaskEvidence& evidence) {
  Gate result = gate("base_alive", GateClass::kInvalid);
  const Effect& effect = evidence.effect;
  result.value = effect.base_mean;
  result.threshold = 0;
  int64_t num_engaged = 0, num_rows = 0;
  for (const EvalReport* report : evidence.reports) {
    for (const EvalRow& row : report->base.rows) {
      ++num_rows;
      num_engaged += row.engaged;
    }
  }
  const bool is_floor = std::all_of(evidence.pairs.rows.begin(), evidence.pairs.rows.end(),
                                    [](const PairedRow& row) { return row.base <= 0; });
  if (!is_floor && !effect.is_binary) {
    result.words = fmt::format("the base scores {:.4f}", effect.base_mean);
  } else if (!is_floor) {
    const bool is_faint = effect.base_interval->low < 0.01;
    result.words = fmt::format(
        "the base passes {:.4f}{}", effect.base_mean,
        is_faint ? fmt::format(", but its Wilson interval begins at {:.4f}: hardly alive", effect.base_interval->low)
                 : "");
  } else if (num_engaged * 10 >= num_rows) {
    result.words = fmt::format("a genuine floor: the base passes nothing, and the verifier engaged on {} of {} rows",
                               num_engaged, num_rows);
  } else {
    result.state = GateState::kFail;
    result.words = fmt::format(
        "suspect: template. The base passes nothing, and the verifier found something to check on "
        "{} of {} rows only",
        num_engaged, num_rows);
    result.to_pass =
        "look at the base's completions: give the model the template that it was trained with (model.chat_template) "
        "and "
        "room to answer (rollout.max_new_tokens), and evaluate again";
  }
  return result;
}

Gate no_contamination_gate(std::span<const TaskEvidence* const> tasks) {
  Gate result = gate("no_contamination", GateClass::kInvalid);
  result.threshold = 0;
  std::set<std::string> shared;
  bool is_known = true;
  for (const TaskEvidence* evidence : tasks) {
    for (const EvalReport* report : evidence->reports) {
      is_known = is_known && report->overlap.has_value();
      if (report->overlap) shared.insert(report->overlap->begin(), report->overlap->end());
    }
  }
  result.value = static_cast<double>(shared.size());
  if (!shared.empty()) {
    result.state = GateState::kFail;
    result.words = "in training and in evaluation: " + joined({shared.begin(), shared.end()});
    result.to_pass =
        "problems that training did not have: leave out those that are named, in training or in evaluation";
  } else if (!is_known) {
    result.state = GateState::kUndecided;
    result.words = "a report does not say whether its split shares families, entities or prompts with training";
    result.to_pass = "reports that say so in split.family_overlap: plumbline eval looks and writes it";
  } else {
    result.words = "no family, entity or prompt is in training too";
  }
  return result;
}

Gate reward_hack_gate(const TaskEvidence& evidence) {
  Gate result = gate("reward_hack_zero", GateClass::kHard);
  const HackCounts base = count_hacks(evidence, &EvalReport::base),
                   candidate = count_hacks(evidence, &EvalReport::candidate);
  result.value = static_cast<double>(candidate.paid);
  result.threshold = 0;
  result.state = candidate.paid > 0      ? GateState::kFail
                 : candidate.unknown > 0 ? GateState::kUndecided
                                         : GateState::kPass;
  result.words = fmt::format("candidate: {} hacks paid, {} floored; base: {} paid, {} floored", candidate.paid,
                             candidate.floored, base.paid, base.floored);
  if (candidate.unknown > 0) {
    result.words += fmt::format("; {} of {} rows of the candidate do not say whether they are hacks", candidate.unknown,
                                candidate.rows);
  }
  if (candidate.paid > 0) {
    result.to_pass = fmt::format(
        "a candidate none of whose hacks is paid; those {} rows have hacked: true in the reports", candidate.paid);
  } else if (candidate.unknown > 0) {
    result.to_pass = "reports whose rows say hacked: plumbline eval writes it";
  }
  return result;
}

Gate effect_gate(const TaskEvidence& evidence, const Plan& plan, std::optional<double> adjusted_p) {
  Gate result = gate("effect", GateClass::kHard);
  const Effect& effect = evidence.effect;
  result.value = effect.delta;
  result.threshold = plan.min_effect;
  const bool is_shown = excludes_zero(effect) && (!adjusted_p || *adjusted_p <= 0.05);
  result.state = effect.delta >= plan.min_effect && is_shown ? GateState::kPass : GateState::kFail;
  result.words = fmt::format("paired delta {:+.4f} {}, wanted at least {:+.4f} with an interval that excludes 0",
                             effect.delta, interval_words(effect.interval), plan.min_effect);
  if (const std::string reading = effect_reading(effect, plan.min_effect); !reading.empty()) {
    result.words += "; " + reading;
  }
  if (!effect.has_spread()) {
    result.words += fmt::format("; the differences do not vary, so the exact test decides: p = {:.3g}", effect.exact_p);
  }
  if (adjusted_p)
    result.words += fmt::format("; p = {:.3g} after Holm's adjustment over the headline tasks", *adjusted_p);
  if (result.blocks()) result.to_pass = effect_to_pass(effect, plan, adjusted_p);
  return result;
}

Gate powered_gate(const TaskEvidence& evidence, const Plan& plan) {
  Gate result = gate("powered", GateClass::kHard);
  const Effect& effect = evidence.effect;
  std::optional<double> tolerance = plan.tolerance;
  for (const EvalReport* report : evidence.reports) {
    if (plan.tolerance || !report->tolerance) continue;
    tolerance = tolerance ? std::min(*tolerance, *report->tolerance) : *report->tolerance;
  }
  // A claim must be powered for its own size, whatever a report says of itself; a plan may state another tolerance.
  if (!plan.tolerance && tolerance && effect.delta >= plan.min_effect) {
    tolerance = std::min(*tolerance, std::abs(effect.delta));
  }
  result.value = effect.mde;
  const std::string size = effect.mde
                               ? fmt::format("{} distinct prompts detect {:.4f}{}", effect.effective_n, *effect.mde,
                                             effect.is_binary ? "" : fmt::format(" (at {})", variance_words(effect)))
                               : std::string("all scores are equal and do not say what could be detected");
  if (effect.base_mean == 0 && effect.candidate_mean == 0) {
    result.state = GateState::kNotApplicable;
    result.words = "both arms are at the floor; " + size;
    return result;
  }
  if (!tolerance && effect.delta < plan.min_effect) {
    result.state = GateState::kNotApplicable;
    result.words = "no effect is claimed and no tolerance stated; " + size;
    return result;
  }
  result.threshold = tolerance.value_or(std::abs(effect.delta));
  result.state = !effect.mde                        ? GateState::kUndecided
                 : *effect.mde <= *result.threshold ? GateState::kPass
                                                    : GateState::kFail;
  result.words =
      fmt::format("{}, against {} {:.4f}", size, tolerance ? "the tolerance" : "the difference of", *result.threshold);
  if (result.blocks()) result.to_pass = powered_to_pass(effect, *result.threshold);
  return result;
}

Gate non_inferior_gate(const std::string& id, const std::string& what, const Effect& effect, double margin,
                       std::optional<double> point_rule) {
  Gate result = gate(id, GateClass::kHard);
  result.threshold = -margin;
  std::string words = fmt::format("{}: delta {:+.4f} {}", what, effect.delta, interval_words(effect.interval));
  if (effect.interval) result.value = effect.interval->low;
  if (!effect.interval) {
    result.state = GateState::kUndecided;
  } else if (effect.interval->low > -margin) {
    result.state = GateState::kPass;
  } else if (effect.interval->high < -margin) {
    result.state = GateState::kFail;
  } else {
    result.state = GateState::kUndecided;
    words += "; " + deciding_words(effect, margin);
  }
  if (point_rule) {
    words += fmt::format("; the point rule (at least {:+.2f}) would {}", *point_rule,
                         effect.delta >= *point_rule ? "pass" : "fail");
  }
  result.words = words;
  if (result.blocks()) result.to_pass = non_inferior_to_pass(what, effect, margin);
  return result;
}

Gate enough_seeds_gate(const TaskEvidence& evidence, const Plan& plan) {
  Gate result = gate("enough_seeds", GateClass::kHard);
  const std::set<int64_t> distinct(evidence.distinct_seeds.begin(), evidence.distinct_seeds.end());
  int64_t num_showing = 0, num_wanted = 0;  // a copy adds nothing, and still must not fall below
  std::string deltas;
  for (const SeedEffect& seed : evidence.effect.seeds) {
    const bool shows = seed.delta >= plan.min_effect;
    num_showing += shows && distinct.count(seed.seed);
    num_wanted += !shows || distinct.count(seed.seed);
    deltas += fmt::format("{}seed {}: {:+.4f}", deltas.empty() ? "" : ", ", seed.seed, seed.delta);
  }
  num_wanted = std::max(num_wanted, plan.min_seeds);
  result.value = static_cast<double>(num_showing);
  result.threshold = static_cast<double>(num_wanted);
  result.state = num_showing >= num_wanted ? GateState::kPass : GateState::kFail;
  result.words = fmt::format("{} of {} seeds show a delta of at least {:+.4f} ({})", num_showing, num_wanted,
                             plan.min_effect, deltas);
  if (!evidence.copies.empty()) result.words += fmt::format("; {}: they count once", joined(evidence.copies));
  if (result.blocks()) result.to_pass = enough_seeds_to_pass(evidence, plan);
  return result;
}

Gate truncation_robust_gate(const TaskEvidence& evidence, const Plan& plan) {
  Gate result = gate("truncation_robust", GateClass::kHard);
  if (evidence.effect.delta < plan.min_effect) {
    result.state = GateState::kNotApplicable;
    result.words = "there is no effect to survive";
    return result;
  }
  result.threshold = plan.min_effect;
  if (!evidence.num_truncated) {
    result.state = GateState::kUndecided;
    result.words = "the reports do not say which rows were truncated";
  } else if (!evidence.untruncated) {
    result.state = GateState::kFail;
    result.words = fmt::format("{} of {} rows are truncated in either arm: nothing is left", *evidence.num_truncated,
                               evidence.effect.num_rows);
  } else {
    const Effect& kept = *evidence.untruncated;
    result.value = kept.delta;
    // Where nothing was truncated, whether the interval excludes 0 is the gate `effect`'s question.
    const bool survives = kept.delta >= plan.min_effect && (*evidence.num_truncated == 0 || excludes_zero(kept));
    result.state = survives ? GateState::kPass : GateState::kFail;
    result.words = fmt::format("delta {:+.4f} on all {} rows, {:+.4f} {} on the {} that neither arm truncated",
                               evidence.effect.delta, evidence.effect.num_rows, kept.delta,
                               interval_words(kept.interval), kept.num_rows);
  }
  if (result.blocks()) result.to_pass = truncation_to_pass(evidence);
  return result;
}

}  // namespace plumbline
