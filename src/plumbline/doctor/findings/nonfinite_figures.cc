/// Loss, KL, reward or gradient norm of a training are NaN or infinite.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kDead = 2;       ///< on end at the end of the log: nothing came back
constexpr int64_t kDeadNorms = 3;  ///< gradient norms, of which one may overflow in any step

/// A gradient that overflows in half precision is skipped, and the scale of the loss lowered: that is how it works.
bool is_skipped_now_and_then(const WatchedFigure& figure) {
  return figure.kind == WatchedFigure::Kind::kGradNorm && figure.num_at_end < kDeadNorms &&
         2 * figure.num_nonfinite < figure.num_logged;
}

bool is_dead(const WatchedFigure& figure) {
  const bool is_norm = figure.kind == WatchedFigure::Kind::kGradNorm;
  return figure.num_nonfinite == figure.num_logged || figure.num_at_end >= (is_norm ? kDeadNorms : kDead);
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const TrainingLog& log : evidence.logs) {
    for (const auto& [name, figure] : log.watched) {
      if (figure.num_nonfinite == 0) continue;
      if (is_skipped_now_and_then(figure)) {
        out.not_checked(log.where, name + " is not finite at " + std::to_string(figure.num_nonfinite) + " of " +
                                       std::to_string(figure.num_logged) +
                                       " logged steps, as where half precision skips one");
        continue;
      }
      out.add(log.where,
              {{"figure", name},
               {"first_value", figure.first_value},
               {"first_at_step", figure.first_step},
               {"nonfinite", figure.num_nonfinite},
               {"logged", figure.num_logged},
               {"at_the_end", figure.num_at_end}},
              is_dead(figure) ? Severity::kError : Severity::kWarning);
    }
  }
}

}  // namespace

const FindingKind kNonfiniteFigures = {
    "nonfinite_figures",
    Severity::kError,
    "A figure that training computes with was NaN or infinite. Where it stays so to the end the weights are as a rule "
    "lost, and what was measured on them afterwards says nothing about the method.",
    "Go back to the last checkpoint before the first such step; look there for a division by zero, an empty "
    "completion, a learning rate or half precision that overflows, and train again.",
    {"dead_gradient"},
    check};

}  // namespace plumbline::doctor
