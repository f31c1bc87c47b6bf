/// Functions that every template sees: range, dict, namespace, raise_exception, strftime_now.
#pragma once

#include <optional>
#include <string>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

/// Empty when there is none of that name; fails for Jinja's own that are not known here.
std::optional<Value> global_function(Runtime& runtime, const std::string& name);

}  // namespace plumbline::jinja
