/// Builtin Python values as they travel between the grader and a submission's process (sandbox/marshal.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumbline/record/python_value.h"
#include "plumbline/sandbox/marshal.h"

namespace plumbline {

void write_value(const PythonValue& value, MarshalWriter& writer);

/// The value in `bytes`, which a submission may have written: nullopt for anything but one whole value of builtin
/// types, nested at most 100 deep. Sets and dicts lose duplicates as in Python.
std::optional<PythonValue> read_value(std::string_view bytes);

}  // namespace plumbline
