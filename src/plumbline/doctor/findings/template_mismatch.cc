/// Training prompts rendered one way, evaluation prompts another.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastRows = 8;

std::string text_of(Known value) {
  return value == Known::kYes ? "yes" : "no";
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    const Known wrapped = report.wrapped;
    for (const TrainingSetup& setup : evidence.setups) {
      if (setup.wrapped == Known::kUnknown || wrapped == Known::kUnknown || setup.wrapped == wrapped) continue;
      if (!setup.model.empty() && !report.model.empty() && setup.model != report.model) continue;
      out.add(setup.where + " and " + report.where,
              {{"training_wrapped", text_of(setup.wrapped)}, {"evaluation_wrapped", text_of(wrapped)}});
    }
    for (const TrainingRows& rows : evidence.training_rows) {
      const bool trained_marked = rows.num_prompts >= kLeastRows && 10 * rows.num_marked >= 9 * rows.num_prompts;
      const bool is_raw =
          wrapped == Known::kNo && report.candidate.train_marked_prompts == 0 && report.has_template != Known::kNo;
      if (!trained_marked || !is_raw) continue;
      out.add(rows.where + " and " + report.where, {{"training_prompts", rows.num_prompts},
                                                    {"training_prompts_with_chat_markers", rows.num_marked},
                                                    {"evaluation_prompts_with_chat_markers", int64_t{0}},
                                                    {"evaluation_wrapped", text_of(wrapped)}});
    }
  }
}

}  // namespace

const FindingKind kTemplateMismatch = {
    "template_mismatch",
    Severity::kError,
    "Training and evaluation rendered the prompts differently. The evaluation then measures the model on inputs that "
    "it was not trained on.",
    "Evaluate with the same template decision as in training; one setting has to govern both.",
    {"pin_mismatch", "both_arms_zero", "one_arm_zero"},
    check};

}  // namespace plumbline::doctor
