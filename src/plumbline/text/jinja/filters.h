/// Jinja's filters, as far as chat templates use them.
#pragma once

#include <string>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

bool is_known_filter(const std::string& name);
/// Throws TemplateFailure; TemplateRuntimeError for an unknown name.
Value apply_filter(Runtime& runtime, const std::string& name, const Value& subject, const Arguments& arguments);

}  // namespace plumbline::jinja
