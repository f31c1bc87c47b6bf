/// A mixture of experts whose experts carry no adapter.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const TextLog& log : evidence.texts) {
    if (log.is_mixture && log.experts_line > 0)
      out.add(log.where, {{"line", log.experts_line}, {"expert_modules_adapted", int64_t{0}}});
  }
  for (const ModuleList& list : evidence.modules) {
    if (list.num_experts == 0 || list.experts_adapted > 0 || list.others_adapted == 0) continue;
    out.add(list.where, {{"expert_modules", list.num_experts},
                         {"expert_modules_adapted", list.experts_adapted},
                         {"other_modules_adapted", list.others_adapted}});
  }
  for (const Certificate& certificate : evidence.certificates) {
    const bool none = certificate.modules_merged == 0;
    if (!none && certificate.incomplete_merge != Known::kYes) continue;
    out.add(certificate.where, {{"modules_merged", certificate.modules_merged.value_or(0)},
                                {"incomplete_merge", std::string(none ? "nothing was merged" : "yes")}});
  }
}

}  // namespace

const FindingKind kExpertsNotAdapted = {
    "experts_not_adapted",
    Severity::kWarning,
    "The model is a mixture of experts, and none of its experts carries an adapter, although they hold most of the "
    "parameters.",
    "Name the expert projections among the target modules, and look at the counts per kind before training.",
    {},
    check};

}  // namespace plumbline::doctor
