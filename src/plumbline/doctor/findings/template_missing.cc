/// A chat model that was given raw prompts and answers in prose where structure was asked for.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/doctor/readers/completion_text.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastRows = 8;
constexpr double kMostlyProse = 0.8;

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    const bool is_chat = report.has_template == Known::kYes ||
                         (report.has_template == Known::kUnknown && is_chat_model_name(report.model));
    if (!is_chat || report.wrapped == Known::kYes || !is_code_task(report)) continue;
    FailureCounts counts;
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm) continue;
      const FailureCounts own = count_failures(*arm);
      counts.with_text += own.with_text;
      counts.prose += own.prose;
      counts.passes += own.passes;
    }
    if (counts.with_text < kLeastRows || counts.prose < kMostlyProse * static_cast<double>(counts.with_text)) continue;
    // Without a word about the template, prose that never passes is the sign; with it, prose alone is.
    if (report.wrapped == Known::kUnknown && counts.passes > 0) continue;
    Facts facts = {{"model", report.model},
                   {"completions", counts.with_text},
                   {"completions_in_prose", counts.prose},
                   {"passes", counts.passes}};
    facts.emplace_back("template_applied", std::string(report.wrapped == Known::kNo ? "no" : "not said"));
    out.add(report.where, std::move(facts));
  }
}

}  // namespace

const FindingKind kTemplateMissing = {
    "template_missing",
    Severity::kError,
    "The model was tuned for chat, its prompts were not put through the chat template, and it answers in prose where "
    "the grader needs structure. The score measures the missing template.",
    "Render the prompts with the model's chat template (here: model.chat_template = \"always\"; lm-evaluation-harness: "
    "--apply_chat_template) and run both arms again.",
    {"both_arms_zero", "no_code_block", "one_arm_zero", "floor_not_broken"},
    check};

}  // namespace plumbline::doctor
