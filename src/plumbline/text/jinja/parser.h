/// Tokens to a tree, by Jinja's grammar.
#pragma once

#include <string>

#include "plumbline/text/jinja/ast.h"

namespace plumbline::jinja {

/// Throws DataError(data.template_syntax) with line and column: what Jinja refuses, and the tags, filters and tests
/// that are not known here. As in Jinja, an unknown filter or test directly inside an `if` is an error only when it
/// runs.
Template parse_template(const std::string& source, const std::string& name);

}  // namespace plumbline::jinja
