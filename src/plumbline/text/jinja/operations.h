/// Python's operators and look-ups on template values.
#pragma once

#include <string>
#include <vector>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

bool is_true(const Value& value);
/// ==
bool equals(Runtime& runtime, const Value& left, const Value& right);
/// <: numbers, strings and sequences; TypeError for others. `op` is for the message.
bool less_than(Runtime& runtime, const Value& left, const Value& right, const char* op = "<");
/// One of == != < <= > >= in "not in".
bool compare(Runtime& runtime, const std::string& op, const Value& left, const Value& right);
/// One of + - * / // % **.
Value arithmetic(Runtime& runtime, const std::string& op, const Value& left, const Value& right);
Value negate(const Value& value);

/// What a loop over the value yields; a generator is used up. TypeError when it cannot be walked through.
std::vector<Value> items_of(Runtime& runtime, const Value& value);
/// len(value). TypeError when it has none.
int64_t length_of(const Value& value);

/// value.name as Jinja looks it up: attribute (method) first, then member; undefined when there is neither.
Value attribute(Runtime& runtime, const Value& object, const std::string& name);
/// value[key]: member first, then attribute.
Value subscript(Runtime& runtime, const Value& object, const Value& key);
/// value[begin:end:step]; None = absent.
Value slice(Runtime& runtime, const Value& object, const Value& begin, const Value& end, const Value& step);

/// int(value) of an argument that must be an integer; TypeError otherwise.
int64_t require_integer(const Value& value, const char* what);

}  // namespace plumbline::jinja
