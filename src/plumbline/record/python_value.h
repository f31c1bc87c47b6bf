/// A builtin Python value as data: what tests call with and what they expect. Integers have any length.
/// The JSON notation ($tuple, $set, $frozenset, $float, $dict) is in docs/reference/formats.md.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct PythonValue {
  enum class Kind { kNone, kBool, kInt, kFloat, kStr, kList, kTuple, kDict, kSet, kFrozenset };
  Kind kind = Kind::kNone;
  bool boolean = false;
  double real = 0;
  std::string text;  ///< kStr: UTF-8; kInt: decimal digits with optional sign, no leading zeros
  std::vector<PythonValue> items;                            ///< list, tuple, set, frozenset
  std::vector<std::pair<PythonValue, PythonValue>> entries;  ///< dict, in order
};

}  // namespace plumbline
