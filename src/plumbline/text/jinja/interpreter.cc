#include "plumbline/text/jinja/interpreter.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "plumbline/text/jinja/filters.h"
#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_text.h"

namespace plumbline::jinja {

void Scope::set(const std::string& name, Value value) {
  for (auto& [known, present] : names) {
    if (known == name) {
      present = std::move(value);
      return;
    }
  }
  names.emplace_back(name, std::move(value));
}

void Scope::begin(const std::vector<std::string>& unset) {
  names.clear();
  for (const std::string& name : unset) {
    names.emplace_back(name, Value::undefined(fmt::format("'{}' is undefined", name)));
  }
}

Interpreter::Interpreter(Runtime& runtime, const Json& variables, std::set<std::string>* variables_read)
    : runtime_(runtime), root_(runtime.make<Scope>()), variables_read_(variables_read) {
  for (const auto& [name, value] : variables.items()) root_->set(name, runtime_.from_json(value));
}

std::string Interpreter::render(const Template& source) {
  // Sets at the top hide the variables; macros see both.
  return run_to_text(source.body, inner(root_, source.unset));
}

Scope* Interpreter::inner(Scope* parent, const std::vector<std::string>& unset) {
  auto* scope = runtime_.make<Scope>();
  scope->parent = parent;
  runtime_.step(unset.size());
  scope->begin(unset);
  return scope;
}

void Interpreter::append(std::string& out, const std::string& text) {
  runtime_.charge_text(text.size());
  out += text;
}

std::string Interpreter::run_to_text(const Body& body, Scope* scope) {
  std::string out;
  run(body, scope, out);
  return out;
}

Interpreter::Flow Interpreter::run(const Body& body, Scope* scope, std::string& out) {
  const Runtime::Level level(runtime_);
  for (const auto& statement : body) {
    runtime_.step();
    line_ = statement->place.line;
    if (const Flow flow = run_statement(*statement, scope, out); flow != Flow::kOn) return flow;
  }
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_statement(const Statement& statement, Scope* scope, std::string& out) {
  switch (statement.kind) {
    case StatementKind::kText:
      append(out, statement.text);
      break;
    case StatementKind::kOutput:
      append(out, to_text(runtime_, evaluate(*statement.value, scope)));
      break;
    case StatementKind::kIf:
      return run_if(statement, scope, out);
    case StatementKind::kFor:
      return loop_over(statement, evaluate(*statement.value, scope), 0, scope, out);
    case StatementKind::kSet:
      run_set(statement, scope);
      break;
    case StatementKind::kSetBlock:
      return run_set_block(statement, scope);
    case StatementKind::kMacro:
      scope->set(statement.text, make_macro(statement, statement.text, scope));
      break;
    case StatementKind::kCallBlock:
      run_call_block(statement, scope, out);
      break;
    case StatementKind::kFilterBlock:
      return run_filter_block(statement, scope, out);
    case StatementKind::kWith:
      return run_with(statement, scope, out);
    case StatementKind::kGeneration:
      append(out, call_macro(statement, "caller", {}, scope));
      break;
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_if(const Statement& statement, Scope* scope, std::string& out) {
  for (const Branch& branch : statement.branches) {
    if (is_true(evaluate(*branch.test, scope))) return run(branch.body, scope, out);
  }
  return run(statement.else_body, scope, out);
}

void Interpreter::test_items(const Statement& statement, const Value& iterable, Scope* scope, LoopObject& loop) {
  Scope* test_scope = inner(scope, {});
  loop.next_item = [this, &statement, &loop, test_scope, items = items_of(runtime_, iterable),
                    at = size_t{0}]() mutable {
    while (at < items.size()) {
      const Value& item = items[at++];
      runtime_.step();
      test_scope->begin({});
      assign(*statement.target, item, test_scope);
      if (!is_true(evaluate(*statement.test, test_scope))) continue;
      const bool is_unpacked = statement.target->kind == ExprKind::kTuple;
      loop.items.push_back(is_unpacked ? runtime_.list(items_of(runtime_, item), ListKind::kTuple) : item);
      return true;
    }
    return false;
  };
}

Interpreter::Flow Interpreter::loop_over(const Statement& statement, const Value& iterable, int64_t depth0,
                                         Scope* scope, std::string& out) {
  auto* loop = runtime_.make<LoopObject>();
  loop->depth0 = depth0;
  if (statement.test) {
    test_items(statement, iterable, scope, *loop);
  } else {
    loop->items = items_of(runtime_, iterable);
  }
  if (statement.recursive) {
    loop->recurse = [this, &statement, depth0, scope](const Value& deeper) {
      std::string inner_out;
      loop_over(statement, deeper, depth0 + 1, scope, inner_out);
      return runtime_.text(std::move(inner_out));
    };
  }
  bool any_round_ended = false;
  Scope* body_scope = inner(scope, {});
  for (; loop->has(loop->index0 + 1); ++loop->index0) {
    runtime_.step(1 + statement.unset.size());
    body_scope->begin(statement.unset);  // what a round sets, the next does not see
    if (statement.uses_loop) body_scope->set("loop", Value(loop));
    assign(*statement.target, loop->items[loop->index0], body_scope);
    const Flow flow = run(statement.body, body_scope, out);
    any_round_ended |= flow == Flow::kOn;
    if (flow == Flow::kBreak) break;
  }
  // As in Jinja, whose `else` goes by a mark at the end of the loop's body. A break in it is one of the loop outside.
  return any_round_ended ? Flow::kOn : run(statement.else_body, inner(scope, statement.else_unset), out);
}

void Interpreter::run_set(const Statement& statement, Scope* scope) {
  assign(*statement.target, evaluate(*statement.value, scope), scope);
}

Interpreter::Flow Interpreter::run_set_block(const Statement& statement, Scope* scope) {
  Scope* body_scope = inner(scope, statement.unset);
  std::string text;
  if (const Flow flow = run(statement.body, body_scope, text); flow != Flow::kOn) return flow;
  Value value = runtime_.text(std::move(text));
  if (statement.value) value = evaluate_filter(*statement.value, body_scope, &value);
  const Expr& target = *statement.target;
  if (target.kind == ExprKind::kAttribute && evaluate_name(target.parts[0]->name, scope).is(Kind::kDict)) {
    fail_unsupported("a set block that writes into a dict");
  }
  assign(target, value, scope);
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_filter_block(const Statement& statement, Scope* scope, std::string& out) {
  Scope* body_scope = inner(scope, statement.unset);
  std::string text;
  if (const Flow flow = run(statement.body, body_scope, text); flow != Flow::kOn) return flow;
  const Value body = runtime_.text(std::move(text));
  append(out, to_text(runtime_, evaluate_filter(*statement.value, body_scope, &body)));
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_with(const Statement& statement, Scope* scope, std::string& out) {
  Scope* body_scope = inner(scope, statement.unset);
  for (const auto& [target, value] : statement.assignments) assign(*target, evaluate(*value, scope), body_scope);
  return run(statement.body, body_scope, out);
}

void Interpreter::run_call_block(const Statement& statement, Scope* scope, std::string& out) {
  const Value caller = make_macro(statement, "caller", scope);
  append(out, to_text(runtime_, evaluate_call(*statement.value, scope, &caller)));
}

Value Interpreter::make_macro(const Statement& statement, const std::string& name, Scope* scope) {
  return runtime_.callable(name, [this, &statement, name, scope](const Arguments& arguments) {
    return runtime_.text(call_macro(statement, name, arguments, scope));
  });
}

void Interpreter::bind_parameters(const Statement& statement, const std::string& name, const Arguments& arguments,
                                  Scope* scope) {
  const size_t num_parameters = statement.parameters.size(), num_given = arguments.positional.size();
  auto* rest = runtime_.make<DictObject>();
  std::map<std::string, Value> named(arguments.named.begin(), arguments.named.end());
  for (size_t i = 0; i < num_parameters; ++i) {
    const std::string& parameter = statement.parameters[i].name;
    if (i < num_given) {
      scope->set(parameter, arguments.positional[i]);
    } else if (auto given = named.extract(parameter)) {
      scope->set(parameter, std::move(given.mapped()));
    } else {
      scope->set(parameter, Value::undefined(fmt::format("'{}' is undefined", parameter)));
    }
  }
  if (statement.uses_caller) {
    const auto caller = named.extract("caller");
    const bool is_given = caller && !caller.mapped().is(Kind::kNone);
    scope->set("caller", is_given ? caller.mapped() : Value::undefined("No caller defined"));
  }
  for (const auto& [key, value] : arguments.named) {
    if (!named.contains(key)) continue;
    if (!statement.uses_kwargs) {
      fail("TypeError", fmt::format("macro '{}' takes no keyword argument '{}'", name, key));
    }
    rest->set(Value(key), value);
  }
  if (statement.uses_kwargs) scope->set("kwargs", Value(rest));
  if (statement.uses_varargs) {
    std::vector<Value> extra;
    for (size_t i = num_parameters; i < num_given; ++i) extra.push_back(arguments.positional[i]);
    scope->set("varargs", runtime_.list(std::move(extra), ListKind::kTuple));
  } else if (num_given > num_parameters) {
    fail("TypeError", fmt::format("macro '{}' takes not more than {} argument(s)", name, num_parameters));
  }
}

std::string Interpreter::call_macro(const Statement& statement, const std::string& name, const Arguments& arguments,
                                    Scope* closure) {
  const Runtime::Level level(runtime_);
  Scope* scope = inner(closure, statement.unset);
  bind_parameters(statement, name, arguments, scope);
  const auto& parameters = statement.parameters;
  // A default may read the parameters that were given and those before it.
  for (size_t i = arguments.positional.size(); i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    bool is_given = false;
    for (const auto& [key, value] : arguments.named) is_given |= key == parameter.name;
    if (is_given) continue;
    scope->set(parameter.name, parameter.otherwise
                                   ? evaluate(*parameter.otherwise, scope)
                                   : Value::undefined(fmt::format("parameter '{}' was not provided", parameter.name)));
  }
  return run_to_text(statement.body, scope);
}

void Interpreter::assign(const Expr& target, const Value& value, Scope* scope) {
  if (target.kind == ExprKind::kName) {
    runtime_.step(scope->names.size() / 32);
    scope->set(target.name, value);
  } else if (target.kind == ExprKind::kAttribute) {
    const Value space = evaluate_name(target.parts[0]->name, scope);
    if (!space.is(Kind::kNamespace)) {
      fail("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
    }
    space.space().set(target.name, value);
    runtime_.step(space.space().members.size());
  } else {
    const std::vector<Value> items = items_of(runtime_, value);
    if (items.size() != target.parts.size()) {
      fail("ValueError",
           items.size() > target.parts.size()
               ? fmt::format("too many values to unpack (expected {})", target.parts.size())
               : fmt::format("not enough values to unpack (expected {}, got {})", target.parts.size(), items.size()));
    }
    for (size_t i = 0; i < items.size(); ++i) assign(*target.parts[i], items[i], scope);
  }
}

}  // namespace plumbline::jinja
