/// Attacks on the grader. Each names the defence that stops it: with all defences on it must not win, and with that one
/// off it must, or neither the attack nor the defence is proven. Where two independent layers stop an attack it names
/// both, and must win with both off and with neither alone.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "plumbline/sandbox/defences.h"
#include "plumbline/sandbox/isolation.h"

namespace plumbline {

enum class Win {
  kAttempt,   ///< attempt() returned true where it should not
  kSecret,    ///< attempt() returned the expected value, which only the grader knows
  kPass,      ///< passed without a solution
  kLong,      ///< passed with an answer of two million letters, where one million is the limit
  kInfra,     ///< no verdict, hence no punishment
  kCodeTests  ///< passed tests that are code
};

struct Attack {
  const char* promise;
  const char* name;
  std::vector<Defence> defences;
  std::string code;
  Win win = Win::kAttempt;
  double cpu_s = 2, wall_factor = 2;
  int64_t memory_mib = 256;
  std::string before = "";  ///< a submission that the same worker runs first
  IsolationLevel level = IsolationLevel::kNamespaces;
  std::string tests = "";  ///< of kCodeTests; empty: a loop over map()
};

/// gtest prints parameters; their bytes would tell nobody anything.
inline void PrintTo(const Attack& attack, std::ostream* out) {
  *out << attack.promise;
}

std::vector<Attack> attacks_on_answers();
std::vector<Attack> attacks_on_the_host();
std::vector<Attack> attacks_on_the_kernel();
std::vector<Attack> attacks_on_limits();

}  // namespace plumbline
