/// A finding: one named fault of a measurement, with the numbers that show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plumbline/doctor/evidence.h"

namespace plumbline::doctor {

enum class Severity { kInfo, kWarning, kError };
const char* name_of(Severity severity);

/// Named figures and short texts out of the input.
using FactValue = std::variant<int64_t, double, std::string>;
using Facts = std::vector<std::pair<std::string, FactValue>>;

/// One place where a finding fired.
struct Instance {
  std::string where;
  Facts facts;
  Severity severity;
};

class FindingSink;

/// What a kind of finding is; one file each in findings/. Texts are plain English for people.
struct FindingKind {
  const char* id;       ///< of evaluation.md section 7; docs/doctor/<id>.md is its page
  Severity severity;    ///< unless the check says otherwise
  const char* meaning;  ///< what it means when it fires
  const char* next_step;
  std::vector<const char*> explains;  ///< ids whose appearance this one accounts for
  void (*check)(const Evidence& evidence, FindingSink& out);
};

/// Where a check puts what it found.
class FindingSink {
 public:
  explicit FindingSink(const FindingKind& kind, std::vector<NotChecked>& not_checked)
      : kind_(kind), not_checked_(not_checked) {}
  void add(const std::string& where, Facts facts, std::optional<Severity> severity = {}) {
    instances_.push_back({where, std::move(facts), severity.value_or(kind_.severity)});
  }
  void not_checked(const std::string& where, const std::string& reason) {
    not_checked_.push_back({where, kind_.id, reason});
  }
  std::vector<Instance> take() { return std::move(instances_); }

 private:
  const FindingKind& kind_;
  std::vector<NotChecked>& not_checked_;
  std::vector<Instance> instances_;
};

}  // namespace plumbline::doctor
