/// A claim that the file's own gates or figures do not carry.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr double kLeastEffect = 0.03;

bool contradicts(const GateLine& gate) {
  if (gate.passed == Known::kNo) return true;
  if (gate.id != "enough_seeds" && gate.id != "effect") return false;
  return gate.passed == Known::kYes && gate.value && gate.threshold && *gate.value < *gate.threshold - 1e-9;
}

bool is_mock(const std::string& mode) {
  return mode.starts_with("mock") || mode.starts_with("offline") || mode.starts_with("simulated") ||
         mode.starts_with("dry");
}

/// The name promises a result to be shown, and says nothing of a mock.
bool is_live_name(const std::string& name) {
  for (const char* word : {"mock", "offline", "smoke", "dry", "simulat", "selftest", "test"}) {
    if (name.find(word) != std::string::npos) return false;
  }
  for (const char* word : {"public", "live", "real", "final"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

/// A promotion whose source report shows a pass difference below the least effect.
void check_decision(const Decision& decision, const Evidence& evidence, FindingSink& out) {
  if (decision.can_claim_agi) out.add(decision.where, {{"can_claim_agi", std::string("true")}}, Severity::kError);
  if (!is_claim(decision.verdict)) return;
  const std::string source = std::filesystem::path(decision.source).filename().string();
  for (const Comparison& comparison : evidence.comparisons) {
    if (std::filesystem::path(comparison.report().where).filename().string() != source) continue;
    const auto delta = shown_delta(comparison);
    if (!delta || *delta >= kLeastEffect) continue;
    out.add(decision.where, {{"verdict", decision.verdict},
                             {"pass_delta_of_its_source", *delta},
                             {"least_effect", kLeastEffect},
                             {"items", num_items(*comparison.candidate)}});
  }
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    if (report.can_claim_agi) out.add(report.where, {{"can_claim_agi", std::string("true")}}, Severity::kError);
    if (is_claim(report.decision)) {
      for (const GateLine& gate : report.gates) {
        if (!contradicts(gate)) continue;
        Facts facts = {{"decision", report.decision},
                       {"gate", gate.id},
                       {"gate_passed", std::string(gate.passed == Known::kYes ? "yes" : "no")}};
        if (gate.value) facts.emplace_back("value", *gate.value);
        if (gate.threshold) facts.emplace_back("threshold", *gate.threshold);
        out.add(report.where, std::move(facts), Severity::kError);
      }
    }
    const std::string name = std::filesystem::path(report.where).filename().string();
    if (is_mock(report.mode) && is_live_name(name)) out.add(report.where, {{"mode", report.mode}, {"file_name", name}});
  }
  for (const Decision& decision : evidence.decisions) check_decision(decision, evidence, out);
}

}  // namespace

const FindingKind kOverclaim = {
    "overclaim",
    Severity::kWarning,
    "A result is presented as more than it is: GO although a hard gate fails or a threshold is missed, a promotion "
    "whose pass rate hardly moved, or an offline mock under the name of a live run.",
    "Take the claim back, or fix what the failed gate says; give a mock a name that says so.",
    {},
    check};

}  // namespace plumbline::doctor
