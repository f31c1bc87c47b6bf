#include "plumbline/text/jinja/interpreter.h"

#include <fmt/format.h>

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

Interpreter::Interpreter(Runtime& runtime, const Json& variables, std::set<std::string>* variables_read)
    : runtime_(runtime), root_(runtime.make<Scope>()), variables_read_(variables_read) {
  for (const auto& [name, value] : variables.items()) root_->set(name, runtime_.from_json(value));
}

std::string Interpreter::render(const Body& body) {
  // Sets at the top hide the variables; macros see both.
  return run_to_text(body, inner(root_));
}

Scope* Interpreter::inner(Scope* parent) {
  auto* scope = runtime_.make<Scope>();
  scope->parent = parent;
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
      run_for(statement, scope, out);
      break;
    case StatementKind::kSet:
      run_set(statement, scope);
      break;
    case StatementKind::kSetBlock:
      run_set_block(statement, scope);
      break;
    case StatementKind::kMacro:
      scope->set(statement.text, make_macro(statement, statement.text, scope));
      break;
    case StatementKind::kCallBlock:
      run_call_block(statement, scope, out);
      break;
    case StatementKind::kFilterBlock: {
      const Value body = runtime_.text(run_to_text(statement.body, inner(scope)));
      append(out, to_text(runtime_, evaluate_filter(*statement.value, scope, &body)));
      break;
    }
    case StatementKind::kWith:
      run_with(statement, scope, out);
      break;
    case StatementKind::kScope:
      return run(statement.body, inner(scope), out);
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

void Interpreter::run_for(const Statement& statement, Scope* scope, std::string& out) {
  loop_over(statement, evaluate(*statement.value, scope), 0, scope, out);
}

std::optional<TemplateFailure> Interpreter::keep_tested(const Statement& statement, Scope* scope,
                                                        std::vector<Value>& items) {
  std::vector<Value> kept;
  std::optional<TemplateFailure> failure;
  for (const Value& item : items) {
    Scope* test_scope = inner(scope);
    try {
      assign(*statement.target, item, test_scope);
      if (is_true(evaluate(*statement.test, test_scope))) kept.push_back(item);
    } catch (const TemplateFailure& thrown) {
      if (thrown.id == "data.template_limit") throw;
      failure = thrown;
      break;
    }
  }
  items = std::move(kept);
  return failure;
}

void Interpreter::loop_over(const Statement& statement, const Value& iterable, int64_t depth0, Scope* scope,
                            std::string& out) {
  auto* loop = runtime_.make<LoopObject>();
  loop->items = items_of(runtime_, iterable);
  loop->depth0 = depth0;
  std::optional<TemplateFailure> failure;
  if (statement.test) {
    failure = keep_tested(statement, scope, loop->items);
  }
  if (statement.recursive) {
    loop->recurse = [this, &statement, depth0, scope](const Value& deeper) {
      std::string inner_out;
      loop_over(statement, deeper, depth0 + 1, scope, inner_out);
      return runtime_.text(std::move(inner_out));
    };
  }
  bool any_round_ended = false;
  for (; loop->index0 < loop->items.size(); ++loop->index0) {
    runtime_.step();
    Scope* body_scope = inner(scope);  // a fresh one: what a round sets, the next does not see
    body_scope->set("loop", Value(loop));
    assign(*statement.target, loop->items[loop->index0], body_scope);
    const Flow flow = run(statement.body, body_scope, out);
    any_round_ended |= flow == Flow::kOn;
    if (flow == Flow::kBreak) failure.reset();
    if (flow == Flow::kBreak) break;
  }
  if (failure) throw *failure;
  // As in Jinja, whose `else` goes by a mark at the end of the loop's body.
  if (!any_round_ended) run(statement.else_body, inner(scope), out);
}

void Interpreter::run_set(const Statement& statement, Scope* scope) {
  assign(*statement.target, evaluate(*statement.value, scope), scope);
}

void Interpreter::run_set_block(const Statement& statement, Scope* scope) {
  Value value = runtime_.text(run_to_text(statement.body, inner(scope)));
  if (statement.value) value = evaluate_filter(*statement.value, scope, &value);
  assign(*statement.target, value, scope);
}

void Interpreter::run_with(const Statement& statement, Scope* scope, std::string& out) {
  Scope* body_scope = inner(scope);
  for (const auto& [target, value] : statement.assignments) assign(*target, evaluate(*value, scope), body_scope);
  run(statement.body, body_scope, out);
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

std::string Interpreter::call_macro(const Statement& statement, const std::string& name, const Arguments& arguments,
                                    Scope* closure) {
  const Runtime::Level level(runtime_);
  Scope* scope = inner(closure);
  const auto& parameters = statement.parameters;
  const size_t num_given = arguments.positional.size();
  if (num_given > parameters.size() && !statement.uses_varargs) {
    fail("TypeError", fmt::format("macro '{}' takes not more than {} argument(s)", name, parameters.size()));
  }
  auto* rest = runtime_.make<DictObject>();
  for (const auto& [key, value] : arguments.named) rest->set(Value(key), value);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const Value* named = rest->find(parameter.name);
    if (named && i < num_given) {
      fail("TypeError", fmt::format("macro '{}' got multiple values for argument '{}'", name, parameter.name));
    }
    if (i < num_given) {
      scope->set(parameter.name, arguments.positional[i]);
    } else if (named) {
      scope->set(parameter.name, *named);
    } else if (parameter.otherwise) {
      scope->set(parameter.name, evaluate(*parameter.otherwise, scope));
    } else {
      scope->set(parameter.name, Value::undefined(fmt::format("parameter '{}' was not provided", parameter.name)));
    }
  }
  auto* kwargs = runtime_.make<DictObject>();
  for (const auto& [key, value] : arguments.named) {
    bool is_parameter = false;
    for (const Parameter& parameter : parameters) is_parameter |= parameter.name == key;
    if (is_parameter) continue;
    if (key == "caller" && statement.uses_caller) {
      scope->set("caller", value);
    } else if (statement.uses_kwargs) {
      kwargs->set(Value(key), value);
    } else {
      fail("TypeError", fmt::format("macro '{}' takes no keyword argument '{}'", name, key));
    }
  }
  if (statement.uses_kwargs) scope->set("kwargs", Value(kwargs));
  if (statement.uses_varargs) {
    std::vector<Value> extra;
    for (size_t i = parameters.size(); i < num_given; ++i) extra.push_back(arguments.positional[i]);
    scope->set("varargs", runtime_.list(std::move(extra), ListKind::kTuple));
  }
  return run_to_text(statement.body, scope);
}

void Interpreter::assign(const Expr& target, const Value& value, Scope* scope) {
  if (target.kind == ExprKind::kName) {
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
