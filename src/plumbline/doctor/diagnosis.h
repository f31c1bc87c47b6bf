/// The doctor: reads inputs, looks for every finding, ranks them and says which explain others.
#pragma once

#include <string>
#include <vector>

#include "plumbline/doctor/finding.h"
#include "plumbline/doctor/readers/item_row.h"

namespace plumbline::doctor {

/// A kind that fired, with all its places.
struct Finding {
  const FindingKind* kind = nullptr;
  Severity severity = Severity::kInfo;  ///< the highest of its instances
  std::vector<Instance> instances;      ///< the most severe first
  std::vector<std::string> explains;    ///< ids of other findings here that this one accounts for
  std::vector<std::string> explained_by;
};

enum class Health { kSound, kSuspect, kInvalid };
const char* name_of(Health health);

struct Diagnosis {
  std::vector<std::string> inputs;
  std::vector<Finding> findings;  ///< errors before warnings before infos; causes before what they explain
  std::vector<NotChecked> not_checked;
  int64_t num_read = 0;

  /// Nothing was learned from any input, and nothing is wrong with one: no verdict, though health() is sound.
  bool is_empty() const { return num_read == 0 && findings.empty(); }
  /// Any error: invalid; else any warning: suspect; else sound.
  Health health() const;
};

/// Every finding over the evidence. Pure.
Diagnosis diagnose(Evidence evidence);

/// Reads and diagnoses. Throws ConfigError(config.usage) for a path that is not there.
Diagnosis diagnose_paths(const std::vector<std::string>& paths, const FieldMap& map = {});

}  // namespace plumbline::doctor
