/// The expression half of the interpreter.
#include <fmt/format.h>

#include <algorithm>

#include "plumbline/text/jinja/filters.h"
#include "plumbline/text/jinja/globals.h"
#include "plumbline/text/jinja/interpreter.h"
#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_text.h"
#include "plumbline/text/jinja/tests.h"

namespace plumbline::jinja {

Value Interpreter::evaluate(const Expr& expr, Scope* scope) {
  const Runtime::Level level(runtime_);
  runtime_.step();
  switch (expr.kind) {
    case ExprKind::kConstant:
      return expr.constant;
    case ExprKind::kName:
      return evaluate_name(expr.name, scope);
    case ExprKind::kList:
    case ExprKind::kTuple:
    case ExprKind::kDict:
      return evaluate_container(expr, scope);
    case ExprKind::kNot:
      return Value(!is_true(evaluate(*expr.parts[0], scope)));
    case ExprKind::kNegative:
      return negate(evaluate(*expr.parts[0], scope));
    case ExprKind::kPositive:
      return negate(negate(evaluate(*expr.parts[0], scope)));
    case ExprKind::kArithmetic: {
      const Value left = evaluate(*expr.parts[0], scope);
      return arithmetic(runtime_, expr.name, left, evaluate(*expr.parts[1], scope));
    }
    case ExprKind::kConcat:
      return evaluate_concat(expr, scope);
    case ExprKind::kCompare:
      return evaluate_compare(expr, scope);
    case ExprKind::kAnd: {
      Value left = evaluate(*expr.parts[0], scope);
      return is_true(left) ? evaluate(*expr.parts[1], scope) : left;
    }
    case ExprKind::kOr: {
      Value left = evaluate(*expr.parts[0], scope);
      return is_true(left) ? left : evaluate(*expr.parts[1], scope);
    }
    case ExprKind::kConditional:
      return evaluate_conditional(expr, scope);
    case ExprKind::kAttribute:
      return attribute(runtime_, evaluate(*expr.parts[0], scope), expr.name);
    case ExprKind::kSubscript: {
      const Value object = evaluate(*expr.parts[0], scope);
      return subscript(runtime_, object, evaluate(*expr.parts[1], scope));
    }
    case ExprKind::kSlice:
      return evaluate_slice(expr, scope);
    case ExprKind::kCall:
      return evaluate_call(expr, scope);
    case ExprKind::kFilter:
      return evaluate_filter(expr, scope);
    case ExprKind::kTest:
      return evaluate_test(expr, scope);
  }
  return {};
}

Value Interpreter::evaluate_name(const std::string& name, Scope* scope) {
  for (const Scope* at = scope; at; at = at->parent) {
    runtime_.step(at->names.size() / 32);
    for (const auto& [known, value] : at->names) {
      if (known != name) continue;
      if (variables_read_ && at == root_) variables_read_->insert(name);
      return value;
    }
  }
  if (auto function = global_function(runtime_, name)) return *function;
  if (name == "self") fail_unsupported("the variable self");
  if (variables_read_) variables_read_->insert(name);
  return Value::undefined(fmt::format("'{}' is undefined", name));
}

Value Interpreter::evaluate_container(const Expr& expr, Scope* scope) {
  if (expr.kind == ExprKind::kDict) {
    auto* dict = runtime_.make<DictObject>();
    for (size_t i = 0; i < expr.parts.size(); i += 2) {
      const Value key = evaluate(*expr.parts[i], scope);
      dict->set(key, evaluate(*expr.parts[i + 1], scope));
    }
    return Value(dict);
  }
  std::vector<Value> items;
  for (const ExprPtr& part : expr.parts) items.push_back(evaluate(*part, scope));
  return runtime_.list(std::move(items), expr.kind == ExprKind::kTuple ? ListKind::kTuple : ListKind::kList);
}

Value Interpreter::evaluate_compare(const Expr& expr, Scope* scope) {
  Value left = evaluate(*expr.parts[0], scope);
  for (size_t i = 0; i < expr.operators.size(); ++i) {
    Value right = evaluate(*expr.parts[i + 1], scope);
    if (!compare(runtime_, expr.operators[i], left, right)) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Value Interpreter::evaluate_conditional(const Expr& expr, Scope* scope) {
  if (is_true(evaluate(*expr.parts[0], scope))) return evaluate(*expr.parts[1], scope);
  if (expr.parts[2]) return evaluate(*expr.parts[2], scope);
  return Value::undefined(fmt::format(
      "the inline if-expression on line {} evaluated to false and no else section was defined.", expr.place.line));
}

Value Interpreter::evaluate_concat(const Expr& expr, Scope* scope) {
  std::string out;
  for (const ExprPtr& part : expr.parts) out += to_text(runtime_, evaluate(*part, scope));
  return runtime_.text(std::move(out));
}

Value Interpreter::evaluate_slice(const Expr& expr, Scope* scope) {
  const Value object = evaluate(*expr.parts[0], scope);
  const auto bound = [&](size_t i) { return expr.parts[i] ? evaluate(*expr.parts[i], scope) : Value(); };
  const Value begin = bound(1), end = bound(2), step = bound(3);
  // Jinja folds what is constant with its own lookup, which gives an undefined value where Python raises.
  const bool is_constant = std::all_of(expr.parts.begin(), expr.parts.end(),
                                       [](const ExprPtr& part) { return !part || part->kind == ExprKind::kConstant; });
  if (is_constant && !object.is(Kind::kString)) return Value::undefined("the slice of a constant");
  return slice(runtime_, object, begin, end, step);
}

Arguments Interpreter::evaluate_arguments(const CallArguments& call, Scope* scope) {
  Arguments arguments;
  for (const ExprPtr& argument : call.positional) arguments.positional.push_back(evaluate(*argument, scope));
  for (const auto& [name, value] : call.named) arguments.named.emplace_back(name, evaluate(*value, scope));
  if (call.star) {
    for (Value& item : items_of(runtime_, evaluate(*call.star, scope))) arguments.positional.push_back(std::move(item));
  }
  if (call.star_star) {
    const Value mapping = evaluate(*call.star_star, scope);
    if (!mapping.is(Kind::kDict)) fail("TypeError", "argument after ** must be a mapping");
    runtime_.step(mapping.dict().entries.size() * 4);
    for (const auto& [key, value] : mapping.dict().entries) arguments.named.emplace_back(to_text(runtime_, key), value);
  }
  return arguments;
}

Value Interpreter::evaluate_call(const Expr& expr, Scope* scope, const Value* caller) {
  const Value callee = evaluate(*expr.parts[0], scope);
  Arguments arguments = evaluate_arguments(expr.call, scope);
  if (caller) arguments.named.emplace_back("caller", *caller);
  require_defined(callee);
  if (callee.is(Kind::kCallable)) return callee.callable().call(arguments);
  if (callee.is(Kind::kLoop)) {
    if (!callee.loop().recurse) {
      fail("TypeError", "The loop must have the 'recursive' marker to be called recursively.");
    }
    const auto bound = bind(arguments, "loop", {"iterable"});
    if (!bound[0]) fail("TypeError", "loop() missing 1 required positional argument: 'iterable'");
    return callee.loop().recurse(*bound[0]);
  }
  fail("TypeError", fmt::format("'{}' object is not callable", type_name(callee)));
}

Value Interpreter::evaluate_filter(const Expr& expr, Scope* scope, const Value* subject) {
  Value value;
  if (!expr.parts[0]) {
    value = *subject;
  } else if (subject) {
    value = evaluate_filter(*expr.parts[0], scope, subject);
  } else {
    value = evaluate(*expr.parts[0], scope);
  }
  return apply_filter(runtime_, expr.name, value, evaluate_arguments(expr.call, scope));
}

Value Interpreter::evaluate_test(const Expr& expr, Scope* scope) {
  const Value value = evaluate(*expr.parts[0], scope);
  return Value(apply_test(runtime_, expr.name, value, evaluate_arguments(expr.call, scope)));
}

}  // namespace plumbline::jinja
