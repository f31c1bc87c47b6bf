#include "plumbline/doctor/diagnosis.h"

#include <algorithm>
#include <set>

#include "plumbline/doctor/findings/table.h"
#include "plumbline/doctor/readers/read_inputs.h"

namespace plumbline::doctor {
namespace {

size_t rank_of(const Finding& finding) {
  return static_cast<size_t>(std::find(kFindingKinds.begin(), kFindingKinds.end(), finding.kind) -
                             kFindingKinds.begin());
}

/// The files that a place names: "A and B" are two.
std::set<std::string> files_of(const Finding& finding) {
  std::set<std::string> files;
  for (const Instance& instance : finding.instances) {
    std::string rest = instance.where;
    for (size_t at = rest.find(" and "); at != std::string::npos; at = rest.find(" and ")) {
      files.insert(rest.substr(0, at));
      rest.erase(0, at + 5);
    }
    files.insert(rest);
  }
  return files;
}

bool share_a_file(const Finding& a, const Finding& b) {
  const std::set<std::string> first = files_of(a);
  for (const std::string& file : files_of(b)) {
    if (first.count(file)) return true;
  }
  return false;
}

void link(std::vector<Finding>& findings) {
  for (Finding& cause : findings) {
    for (const char* id : cause.kind->explains) {
      for (Finding& effect : findings) {
        if (effect.kind->id != std::string(id) || !share_a_file(cause, effect)) continue;
        cause.explains.push_back(id);
        effect.explained_by.push_back(cause.kind->id);
      }
    }
  }
}

/// The same file and reason once.
void make_unique(std::vector<NotChecked>& list) {
  std::set<std::string> seen;
  std::erase_if(list, [&](const NotChecked& item) {
    return !seen.insert(item.where + "|" + item.what + "|" + item.reason).second;
  });
}

}  // namespace

const char* name_of(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "info";
}

const char* name_of(Health health) {
  return health == Health::kInvalid ? "invalid" : health == Health::kSuspect ? "suspect" : "sound";
}

Health Diagnosis::health() const {
  Severity worst = Severity::kInfo;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  return worst == Severity::kError ? Health::kInvalid : worst == Severity::kWarning ? Health::kSuspect : Health::kSound;
}

Diagnosis diagnose(Evidence evidence) {
  Diagnosis result;
  result.not_checked = evidence.not_checked;
  for (const FindingKind* kind : kFindingKinds) {
    FindingSink sink(*kind, result.not_checked);
    kind->check(evidence, sink);
    Finding finding;
    finding.kind = kind;
    finding.instances = sink.take();
    if (finding.instances.empty()) continue;
    std::stable_sort(finding.instances.begin(), finding.instances.end(),
                     [](const Instance& a, const Instance& b) { return a.severity > b.severity; });
    finding.severity = finding.instances.front().severity;
    result.findings.push_back(std::move(finding));
  }
  std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : rank_of(a) < rank_of(b);
  });
  link(result.findings);
  make_unique(result.not_checked);
  result.inputs = evidence.inputs;
  result.num_read = evidence.num_read;
  return result;
}

Diagnosis diagnose_paths(const std::vector<std::string>& paths, const FieldMap& map) {
  return diagnose(read_inputs(paths, map));
}

}  // namespace plumbline::doctor
