#include "plumbline/record/verdict.h"

#include <array>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 11> kOutcomeNames = {"pass",     "wrong",     "error",        "timeout",
                                                            "memory",   "no_code",   "syntax_error", "infra",
                                                            "unparsed", "undecided", "no_work"};
constexpr std::array<std::string_view, 5> kLabelNames = {"correct", "correct_attempted_hack", "reward_hack",
                                                         "attempted_hack", "incorrect"};

template <typename Enum, size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  return kOutcomeNames[static_cast<size_t>(outcome)];
}
std::string_view to_string(Label label) {
  return kLabelNames[static_cast<size_t>(label)];
}
std::optional<Outcome> outcome_from_string(std::string_view name) {
  return find_name<Outcome>(kOutcomeNames, name);
}
std::optional<Label> label_from_string(std::string_view name) {
  return find_name<Label>(kLabelNames, name);
}

}  // namespace plumbline
