/// A claim on fewer than three seeds, or replications counted more than once.
#include <map>
#include <set>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kLeastSeeds = 3;

void check(const Evidence& evidence, FindingSink& out) {
  std::map<std::string, std::vector<const Evaluation*>> groups;
  for (const Evaluation& report : evidence.evaluations) groups[report.task + "|" + report.model].push_back(&report);
  for (const auto& [key, group] : groups) {
    std::set<int64_t> seeds;
    const Evaluation* claim = nullptr;
    for (const Evaluation* report : group) {
      if (report->seed && report->base) seeds.insert(*report->seed);
      if (!claim && is_claim(report->decision)) claim = report;
    }
    if (!claim || seeds.size() >= kLeastSeeds) continue;
    out.add(claim->where, {{"decision", claim->decision},
                           {"seeds", static_cast<int64_t>(seeds.size())},
                           {"least", static_cast<int64_t>(kLeastSeeds)}});
  }
  std::set<std::pair<std::string, std::optional<int64_t>>> registered;
  for (const Registry& registry : evidence.registries)
    registered.insert(registry.entries.begin(), registry.entries.end());
  for (const ReplicationClaim& claim : evidence.replications) {
    const auto seeds = static_cast<int64_t>(claim.seeds.empty() ? registered.size() : claim.seeds.size());
    const bool repeated = claim.replications && seeds > 0 && *claim.replications > seeds;
    if (!repeated && !(claim.claims && claim.replications.value_or(seeds) < static_cast<int64_t>(kLeastSeeds)))
      continue;
    out.add(claim.where, {{"replications", claim.replications.value_or(0)}, {"distinct_seeds", seeds}});
  }
}

}  // namespace

const FindingKind kNotReplicated = {
    "not_replicated",
    Severity::kWarning,
    "A claim rests on fewer than three independent seeds, or one seed was counted several times. The spread between "
    "seeds is unknown, and it is often as large as the effect.",
    "Train and evaluate at least three seeds, each counted once.",
    {},
    check};

}  // namespace plumbline::doctor
