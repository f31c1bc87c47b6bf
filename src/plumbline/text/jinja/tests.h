/// Jinja's tests (`x is defined`), as far as chat templates use them.
#pragma once

#include <string>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

bool is_known_test(const std::string& name);
/// Throws TemplateFailure; TemplateRuntimeError for an unknown name.
bool apply_test(Runtime& runtime, const std::string& name, const Value& subject, const Arguments& arguments);

}  // namespace plumbline::jinja
