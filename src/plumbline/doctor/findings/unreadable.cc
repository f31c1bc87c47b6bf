/// A file that is not what its name says, or that could not be trusted.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Unreadable& file : evidence.unreadable) {
    out.add(file.where, {{"reason", file.reason}}, evidence.num_read == 0 ? Severity::kError : Severity::kWarning);
  }
}

}  // namespace

const FindingKind kUnreadable = {
    "unreadable",
    Severity::kWarning,
    "The file could not be read as what its name says, or some of its values are ambiguous. Nothing in it was judged.",
    "Fetch or write the file again; the evidence says what stands there instead.",
    {},
    check};

}  // namespace plumbline::doctor
