/// Python's builtin exceptions and how they derive from each other.
#pragma once

#include <string_view>

namespace plumbline {

bool is_exception_kind(std::string_view name);
/// `kind` is `base` or derives from it: a "KeyError" is a "LookupError", an "IOError" an "OSError".
bool is_kind_of(std::string_view kind, std::string_view base);

}  // namespace plumbline
