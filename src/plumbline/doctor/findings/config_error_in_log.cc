/// A crash or a refused argument that nothing recovered from.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const TextLog& log : evidence.texts) {
    if (log.error_line == 0) continue;
    Facts facts = {{"line", log.error_line}, {"error", log.error}};
    if (log.number_line > 0) {
      facts.emplace_back("number_reported_at_line", log.number_line);
      facts.emplace_back("number", log.number_after);
    }
    out.add(log.where, std::move(facts), log.number_line > 0 ? Severity::kError : Severity::kWarning);
  }
}

}  // namespace

const FindingKind kConfigErrorInLog = {
    "config_error_in_log",
    Severity::kError,
    "The log holds an error after which training never went on. Whatever number was reported comes from something "
    "else: an older adapter, a default, another run.",
    "Repair the command, delete what the failed run left behind, and run it again before quoting a number.",
    {"stale_copy"},
    check};

}  // namespace plumbline::doctor
