#include "plumbline/text/jinja/tests.h"

#include <fmt/format.h>

#include <unordered_map>

#include "plumbline/text/jinja/filters.h"
#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_string.h"
#include "plumbline/text/jinja/python_text.h"

namespace plumbline::jinja {
namespace {

using Test = bool (*)(Runtime&, const Value&, const Arguments&);

const Value& operand(const Arguments& arguments) {
  if (arguments.positional.size() != 1 || !arguments.named.empty()) fail("TypeError", "the test takes one argument");
  return arguments.positional[0];
}

bool comparison(Runtime& runtime, const char* op, const Value& value, const Arguments& arguments) {
  return compare(runtime, op, value, operand(arguments));
}

bool is_iterable(const Value& value) {
  return value.is(Kind::kString) || value.is(Kind::kList) || value.is(Kind::kDict) || value.is(Kind::kUndefined) ||
         value.is(Kind::kLoop);
}

/// Has a length and can be subscripted.
bool is_sequence(const Value& value) {
  if (value.is(Kind::kList)) {
    const ListKind kind = value.list().kind;
    return kind == ListKind::kList || kind == ListKind::kTuple || kind == ListKind::kRange;
  }
  return value.is(Kind::kString) || value.is(Kind::kDict) || value.is(Kind::kUndefined);
}

bool is_remainder(Runtime& runtime, const Value& value, int64_t divisor, int64_t remainder) {
  return equals(runtime, arithmetic(runtime, "%", value, Value(divisor)), Value(remainder));
}

const std::unordered_map<std::string, Test>& table() {
#define PL_COMPARISON(op) [](Runtime& r, const Value& v, const Arguments& a) { return comparison(r, op, v, a); }
#define PL_KIND(condition) [](Runtime&, const Value& v, const Arguments&) -> bool { return condition; }
  static const std::unordered_map<std::string, Test> tests = {
      {"defined", PL_KIND(!v.is(Kind::kUndefined))},
      {"undefined", PL_KIND(v.is(Kind::kUndefined))},
      {"none", PL_KIND(v.is(Kind::kNone))},
      {"boolean", PL_KIND(v.is(Kind::kBool))},
      {"true", PL_KIND(v.is(Kind::kBool) && v.integer())},
      {"false", PL_KIND(v.is(Kind::kBool) && !v.integer())},
      {"integer", PL_KIND(v.is(Kind::kInt))},
      {"float", PL_KIND(v.is(Kind::kFloat))},
      {"number", PL_KIND(v.is_number())},
      {"string", PL_KIND(v.is(Kind::kString))},
      {"mapping", PL_KIND(v.is(Kind::kDict))},
      {"iterable", PL_KIND(is_iterable(v))},
      {"sequence", PL_KIND(is_sequence(v))},
      {"callable", PL_KIND(v.is(Kind::kCallable) || v.is(Kind::kLoop) || v.is(Kind::kUndefined))},
      {"escaped", PL_KIND(v.is_safe())},
      {"sameas", [](Runtime&, const Value& v, const Arguments& a) { return v.same_as(operand(a)); }},
      {"lower",
       [](Runtime& r, const Value& v, const Arguments&) {
         const std::string text = to_text(r, v);
         return text == python_lower(text) && text != python_upper(text);
       }},
      {"upper",
       [](Runtime& r, const Value& v, const Arguments&) {
         const std::string text = to_text(r, v);
         return text == python_upper(text) && text != python_lower(text);
       }},
      {"odd", [](Runtime& r, const Value& v, const Arguments&) { return is_remainder(r, v, 2, 1); }},
      {"even", [](Runtime& r, const Value& v, const Arguments&) { return is_remainder(r, v, 2, 0); }},
      {"divisibleby",
       [](Runtime& r, const Value& v, const Arguments& a) {
         return is_remainder(r, v, require_integer(operand(a), "the divisor"), 0);
       }},
      {"filter",
       [](Runtime& r, const Value& v, const Arguments&) {
         require_hashable(v);
         return is_known_filter(to_text(r, v));
       }},
      {"test",
       [](Runtime& r, const Value& v, const Arguments&) {
         require_hashable(v);
         return is_known_test(to_text(r, v));
       }},
      {"in", PL_COMPARISON("in")},
      {"eq", PL_COMPARISON("==")},
      {"equalto", PL_COMPARISON("==")},
      {"==", PL_COMPARISON("==")},
      {"ne", PL_COMPARISON("!=")},
      {"!=", PL_COMPARISON("!=")},
      {"lt", PL_COMPARISON("<")},
      {"lessthan", PL_COMPARISON("<")},
      {"<", PL_COMPARISON("<")},
      {"le", PL_COMPARISON("<=")},
      {"<=", PL_COMPARISON("<=")},
      {"gt", PL_COMPARISON(">")},
      {"greaterthan", PL_COMPARISON(">")},
      {">", PL_COMPARISON(">")},
      {"ge", PL_COMPARISON(">=")},
      {">=", PL_COMPARISON(">=")},
  };
#undef PL_COMPARISON
#undef PL_KIND
  return tests;
}

}  // namespace

bool is_known_test(const std::string& name) {
  return table().count(name) > 0;
}

bool apply_test(Runtime& runtime, const std::string& name, const Value& subject, const Arguments& arguments) {
  const auto found = table().find(name);
  if (found == table().end()) fail("TemplateRuntimeError", fmt::format("No test named '{}' found.", name));
  return found->second(runtime, subject, arguments);
}

}  // namespace plumbline::jinja
