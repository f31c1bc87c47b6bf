/// The operators and pure functions of python_evaluation.h, over whole values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/python_value.h"

namespace plumbline {

/// What an evaluation may visit or make.
inline constexpr size_t kMaxElements = 100'000;

struct PythonArguments {
  std::vector<PythonValue> positional;
  std::map<std::string, PythonValue> keywords;
};

/// Whether the function is known and takes so many positional arguments and these keywords.
bool has_signature(const std::string& function, size_t num_positional, const std::vector<std::string>& keywords);
/// Unset where Python would raise, and for an unknown function.
std::optional<PythonValue> call_function(const std::string& function, const PythonArguments& arguments);
/// tested == pytest.approx(*arguments).
std::optional<bool> pytest_approx(const PythonValue& tested, const PythonArguments& arguments);

/// The elements that a for loop would see; unset for values that cannot be walked through.
std::optional<std::vector<PythonValue>> items_of(const PythonValue& value);
/// List, tuple, set or frozenset of the items; unset for unhashable elements of sets.
std::optional<PythonValue> make_container(PythonValue::Kind kind, std::vector<PythonValue> items);
std::optional<PythonValue> element_of(const PythonValue& container, const PythonValue& key);
/// + - * / // % ** for all kinds.
std::optional<PythonValue> binary_operation(std::string_view symbol, const PythonValue& left, const PythonValue& right);
/// == != < <= > >= in, not in, is, is not.
std::optional<bool> compare(std::string_view symbol, const PythonValue& left, const PythonValue& right);

bool is_builtin_type(std::string_view name);
/// "int", "NoneType", ...
std::string_view type_name(const PythonValue& value);
bool is_instance(const PythonValue& value, std::string_view type);

}  // namespace plumbline
