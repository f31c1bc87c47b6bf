/// What must be equal for two evaluations to be comparable.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// Names and JSON texts of the values; an object (libraries) is one entry a member ("libraries.libtorch"). A pin that
/// was not recorded is not there; null is a value.
class Pins {
 public:
  void set(const std::string& name, const Json& value);
  /// Unset when it was not recorded.
  std::optional<std::string> find(const std::string& name) const;
  const std::map<std::string, std::string>& values() const { return values_; }
  /// The `pin` object of a report.
  Json to_json() const;

 private:
  std::map<std::string, std::string> values_;
};

/// Names of the pins that eval.v1 has, in the order of the format.
std::span<const char* const> pin_names();

/// The `pin` object of an eval.v1 report. Known pins must have their type; unknown ones are kept and compared too.
/// Throws DataError(data.json_type) naming pin and place.
Pins read_pins(const Json& object, const std::string& where);

/// Pins that a report must record for anyone to say that it is comparable, and that are not there or null where null
/// says nothing. A null template_hash (no template), num_generations (nothing was trained) and generator_version
/// (nothing was generated) are answers; the last may be absent.
std::vector<std::string> unrecorded_pins(const Pins& pins);

/// One pin in which two runs differ.
struct PinDifference {
  std::string name;
  std::string first, second;  ///< JSON texts, or "not recorded"

  /// "max_new_tokens: 128 and 256".
  std::string words() const;
};

/// By name. A pin that one side did not record differs.
std::vector<PinDifference> pin_differences(const Pins& first, const Pins& second);

/// `--pin FILE`: whether a run with `planned` pins would be comparable with the report at `path`. `task` and `seed` are
/// of the run: where the split depends on the seed, another seed may have another split. Throws
/// ConfigError(config.pin_mismatch) naming every field and both values, and what read_eval_report throws.
void require_pins_of(const Pins& planned, const std::string& task, int64_t seed, const std::string& path);

/// The task whose grader the pin `grader` names ("code 4": version 4 of the one of code); unset for graders that name
/// no task (a bare version, a program of the user's own).
std::optional<std::string> task_of_grader(const Pins& pins);

/// Refuses what no comparison can mend: a 4-bit base with a colocated rollout engine, whose weights are not the ones
/// that are trained. Empty when fine.
std::optional<std::string> pin_fault(const Pins& pins);

/// True for tasks whose items are generated from the seed (invention, provenance, concept): their split may differ
/// between seeds when the generator is the same.
bool split_depends_on_seed(const std::string& task);

}  // namespace plumbline
