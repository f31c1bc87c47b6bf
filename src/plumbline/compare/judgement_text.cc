#include "plumbline/compare/judgement_text.h"

#include <fmt/format.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr const char* kNoSpread = " (no spread: it says nothing)";

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:+.4f}, {:+.4f}]", interval->low, interval->high) : std::string("none");
}

std::string spread_text(const Interval& interval) {
  return interval_text(interval) + (interval.low < interval.high ? "" : kNoSpread);
}

std::string rate_text(double mean, const std::optional<Interval>& interval) {
  return interval ? fmt::format("{:.4f} [{:.4f}, {:.4f}]", mean, interval->low, interval->high)
                  : fmt::format("{:.4f}", mean);
}

std::string power_text(const Effect& effect) {
  if (!effect.mde) return "none: all scores are equal";
  return fmt::format("{:.4f} with {} prompts{}, at {}", *effect.mde, effect.effective_n,
                     effect.required_n ? fmt::format("; {} would show this delta", *effect.required_n) : "",
                     variance_words(effect));
}

std::string seeds_text(const Effect& effect) {
  if (effect.seeds.size() < 2) return "";
  std::string text;
  for (const SeedEffect& seed : effect.seeds) {
    text += fmt::format("  seed {:<6}          {:+.4f}, n {}{}\n", seed.seed, seed.delta, seed.num_rows,
                        seed.mcnemar_p ? fmt::format(", McNemar p {:.3g}", *seed.mcnemar_p) : "");
  }
  if (effect.over_seeds) {
    const SeedTest& test = *effect.over_seeds;
    text += fmt::format("  t over seeds         {}\n",
                        test.interval ? fmt::format("{} p {:.3g}", interval_text(test.interval), *test.p)
                                      : std::string("no spread between seeds: no t, no interval"));
  }
  return text;
}

std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : std::string("-");
}

}  // namespace

std::string effect_text(const Effect& effect) {
  std::string text;
  text += fmt::format("  n                    {} rows, {} distinct prompts{}\n", effect.num_rows, effect.effective_n,
                      effect.effective_n < effect.num_rows ? ": intervals are over prompts" : "");
  text += fmt::format("  base                 {}\n", rate_text(effect.base_mean, effect.base_interval));
  text += fmt::format("  candidate            {}\n", rate_text(effect.candidate_mean, effect.candidate_interval));
  text += fmt::format(
      "  delta                {:+.4f} {}\n", effect.delta,
      effect.interval ? fmt::format("{} ({})", interval_text(effect.interval), effect.method) : effect.method);
  text += fmt::format("  gained, lost         {}, {} rows; p {:.3g}, exact over prompts {:.3g}\n", effect.num_gained,
                      effect.num_lost, effect.p, effect.exact_p);
  text += fmt::format(
      "  paired bootstrap     {} of rows{}; for comparison with published figures\n", spread_text(effect.published),
      effect.published_by_item ? fmt::format(", {} of items", spread_text(*effect.published_by_item)) : "");
  text += seeds_text(effect);
  text +=
      fmt::format("  confidence sequence  {}\n", effect.confidence_sequence ? spread_text(*effect.confidence_sequence)
                                                                            : "none: one prompt has no interval");
  text += fmt::format("  detectable           {}\n", power_text(effect));
  return text;
}

std::string judgement_text(const Judgement& judgement) {
  const bool is_valid = judgement.decision != Decision::kInvalid;
  std::string text;
  for (const JudgedTask& task : judgement.tasks) {
    const TaskEvidence& evidence = task.evidence;
    text += fmt::format("{} ({}, {}), {} report(s)\n", escape_control(evidence.task), name_of(task.role),
                        escape_control(evidence.metric), evidence.reports.size());
    for (const EvalReport* report : evidence.reports) {
      text += fmt::format("  seed {:<6} {}  {}\n", report->seed, report->sha256.substr(0, 12),
                          escape_control(report->path));
    }
    if (is_valid) {
      text += effect_text(evidence.effect);
      if (evidence.num_truncated.value_or(0) > 0) {
        text += evidence.untruncated
                    ? fmt::format("  untruncated          {:+.4f} {} on {} rows\n", evidence.untruncated->delta,
                                  interval_text(evidence.untruncated->interval), evidence.untruncated->num_rows)
                    : std::string("  untruncated          no rows are left\n");
      }
    }
    text += "\n";
  }
  text += fmt::format("{:<18} {:<14} {:<15} {:>10} {:>10}\n", "gate", "task", "", "value", "threshold");
  for (const JudgedGate& judged : judgement.gates) {
    const Gate& gate = judged.gate;
    text += fmt::format("{:<18} {:<14} {:<15} {:>10} {:>10}\n    {}\n", gate.id, escape_control(judged.task),
                        name_of(gate.state), value_text(gate.value), value_text(gate.threshold),
                        escape_control(gate.words));
  }
  for (const std::string& note : judgement.notes) text += "note: " + escape_control(note) + "\n";
  std::string blocking;
  for (const std::string& id : judgement.blocking()) blocking += (blocking.empty() ? ": " : ", ") + id;
  text += fmt::format("\n{}{}\n", name_of(judgement.decision), blocking);
  for (const JudgedGate* judged : judgement.blocking_gates()) {
    text += fmt::format("  {}, to pass: {}\n", escape_control(judged->title()), escape_control(judged->gate.to_pass));
  }
  return text;
}

}  // namespace plumbline
