/// Methods of Python's str, list and dict on template values.
#pragma once

#include <optional>
#include <string>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

/// The method of that name bound to the value; empty when Python's type has none. A method that would change the value,
/// and one that is not known here, fails when it is asked for.
std::optional<Value> bound_method(Runtime& runtime, const Value& object, const std::string& name);

}  // namespace plumbline::jinja
