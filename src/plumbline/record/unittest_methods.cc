#include "plumbline/record/unittest_methods.h"

#include <map>

namespace plumbline {
namespace {

using Expression = PythonExpression;
using Kind = PythonExpression::Kind;

Expression comparison(const std::string& symbol, const Expression& left, const Expression& right) {
  return Expression::of(Kind::kCompare, "", {left, right}, {symbol});
}
Expression negation(Expression operand) {
  return Expression::of(Kind::kUnary, "not", {std::move(operand)});
}
Expression call_of(const std::string& function, std::vector<Expression> arguments,
                   std::vector<std::string> keywords = {}) {
  keywords.insert(keywords.begin(), arguments.size() - keywords.size(), "");
  arguments.insert(arguments.begin(), Expression::named(function));
  return Expression::of(Kind::kCall, "", std::move(arguments), std::move(keywords));
}
/// Equality of builtin values is equality of their types too, so that assertListEqual says no more than assertEqual.
const std::map<std::string, std::string>& comparisons() {
  static const std::map<std::string, std::string> kSymbols = {
      {"assertEqual", "=="},          {"assertEquals", "=="},
      {"assertListEqual", "=="},      {"assertTupleEqual", "=="},
      {"assertDictEqual", "=="},      {"assertSetEqual", "=="},
      {"assertMultiLineEqual", "=="}, {"assertSequenceEqual", "=="},
      {"assertNotEqual", "!="},       {"assertIs", "is"},
      {"assertIsNot", "is not"},      {"assertIn", "in"},
      {"assertNotIn", "not in"},      {"assertGreater", ">"},
      {"assertGreaterEqual", ">="},   {"assertLess", "<"},
      {"assertLessEqual", "<="}};
  return kSymbols;
}

/// assertAlmostEqual(first, second, places=7, msg=None, delta=None).
std::optional<Expression> almost_equal(std::vector<Expression> arguments, const std::vector<std::string>& names) {
  std::vector<std::string> keywords;
  std::vector<Expression> kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (names[i] == "msg") continue;
    if (!names[i].empty()) keywords.push_back(names[i]);
    kept.push_back(std::move(arguments[i]));
  }
  if (kept.size() < 2 || kept.size() > 3) return std::nullopt;
  return call_of("unittest.almost_equal", std::move(kept), std::move(keywords));
}

}  // namespace

std::optional<PythonExpression> unittest_condition(const std::string& method, const PythonExpression& call) {
  std::vector<Expression> arguments(call.children.begin() + 1, call.children.end());
  if (method == "assertAlmostEqual") return almost_equal(std::move(arguments), call.names);
  if (method == "assertNotAlmostEqual") {
    auto close = almost_equal(std::move(arguments), call.names);
    return close ? std::optional(negation(std::move(*close))) : std::nullopt;
  }
  for (size_t i = 0; i < call.names.size(); ++i) {
    if (call.names[i] == "msg")
      arguments.pop_back();
    else if (!call.names[i].empty())
      return std::nullopt;
  }
  const size_t count = arguments.size();
  if (count == 1 || count == 2) {
    if (method == "assertTrue")
      return arguments[0].is(Kind::kConstant) ? arguments[0] : negation(negation(arguments[0]));
    if (method == "assertFalse") return negation(arguments[0]);
    if (method == "assertIsNone") return comparison("is", arguments[0], Expression::constant(PythonValue::none()));
    if (method == "assertIsNotNone")
      return comparison("is not", arguments[0], Expression::constant(PythonValue::none()));
  }
  if (count != 2 && count != 3) return std::nullopt;
  if (const auto at = comparisons().find(method); at != comparisons().end()) {
    return comparison(at->second, arguments[0], arguments[1]);
  }
  if (method == "assertCountEqual") return call_of("unittest.count_equal", {arguments[0], arguments[1]});
  if (method == "assertIsInstance") return call_of("isinstance", {arguments[0], arguments[1]});
  if (method == "assertNotIsInstance") return negation(call_of("isinstance", {arguments[0], arguments[1]}));
  return std::nullopt;
}

}  // namespace plumbline
