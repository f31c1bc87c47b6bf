/// The assertions of unittest.TestCase as the expressions that they check.
#pragma once

#include <optional>
#include <string>

#include "plumbline/record/python_expression.h"

namespace plumbline {

/// `call` is self.METHOD(...). Unset for a method that is not known or that is given other arguments than it takes; a
/// failure message is dropped.
std::optional<PythonExpression> unittest_condition(const std::string& method, const PythonExpression& call);

}  // namespace plumbline
