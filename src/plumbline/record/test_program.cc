#include "plumbline/record/test_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_exceptions.h"
#include "plumbline/record/python_functions.h"
#include "plumbline/record/python_literal.h"
#include "plumbline/record/python_syntax.h"
#include "plumbline/record/unittest_methods.h"

namespace plumbline {
namespace {

using Expression = PythonExpression;
using Kind = PythonExpression::Kind;
using Statement = PythonStatement;
using StatementKind = PythonStatement::Kind;
using ValueKind = PythonValue::Kind;

constexpr size_t kMaxTests = 100'000;
constexpr size_t kMaxStatements = 200'000;
constexpr int kMaxCallDepth = 8;

/// Thrown inside the reader only: this part of the program is not data.
struct NotData {
  size_t line;
  std::string what;
};

/// What a name stands for.
struct Binding {
  enum class Kind { kExpression, kEntry, kOwner, kInstance, kDotted, kFunction };
  Kind kind = Kind::kExpression;
  Expression expression;                ///< a constant, or one about results
  std::string dotted;                   ///< "math.isclose"
  const Statement* function = nullptr;  ///< def or class
};
using Scope = std::map<std::string, Binding>;

Binding bind_value(Expression expression) {
  Binding binding;
  binding.expression = std::move(expression);
  return binding;
}
Binding bind_as(Binding::Kind kind, std::string dotted = "", const Statement* function = nullptr) {
  Binding binding;
  binding.kind = kind;
  binding.dotted = std::move(dotted);
  binding.function = function;
  return binding;
}

void used_results(const Expression& expression, std::set<size_t>& used) {
  if (expression.is(Kind::kResult)) used.insert(expression.index);
  for (const Expression& child : expression.children) used_results(child, used);
}

void renumber(Expression& expression, const std::map<size_t, size_t>& places) {
  if (expression.is(Kind::kResult)) expression.index = places.at(expression.index);
  for (Expression& child : expression.children) renumber(child, places);
}

bool is_main_guard(const Statement& statement) {
  if (statement.kind != StatementKind::kIf || !statement.expressions[0].is(Kind::kCompare)) return false;
  const auto& operands = statement.expressions[0].children;
  return std::any_of(operands.begin(), operands.end(),
                     [](const Expression& side) { return side.is(Kind::kName) && side.name == "__name__"; });
}

class Reader {
 public:
  explicit Reader(const std::string& entry_point) {
    const size_t call = entry_point.find("().");
    owner_ = call == std::string::npos ? "" : entry_point.substr(0, call);
    method_ = call == std::string::npos ? entry_point : entry_point.substr(call + 3);
    top_[owner_.empty() ? method_ : owner_] = bind_as(owner_.empty() ? Binding::Kind::kEntry : Binding::Kind::kOwner);
  }

  std::vector<TestCase> read(const std::vector<Statement>& program) {
    run(program, top_, 0);
    if (!called_.contains("check") && is_function("check")) call_function(top_["check"], {entry_binding()}, 0);
    for (const Statement& statement : program) {
      if (statement.kind == StatementKind::kFunction && statement.name.starts_with("test") &&
          !called_.contains(statement.name)) {
        call_function(top_[statement.name], {}, 0);
      }
      if (statement.kind == StatementKind::kClass) run_class(statement);
    }
    if (used_.size() != calls_.size()) fail("it makes a call whose result nothing checks");
    return std::move(tests_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw NotData{line_, what}; }
  bool is_function(const std::string& name) const {
    const auto found = top_.find(name);
    return found != top_.end() && found->second.kind == Binding::Kind::kFunction &&
           found->second.function->kind == StatementKind::kFunction;
  }
  Binding entry_binding() const { return bind_as(Binding::Kind::kEntry); }

  void run(const std::vector<Statement>& statements, Scope& scope, int depth) {
    for (const Statement& statement : statements) {
      line_ = statement.line;
      if (++num_statements_ > kMaxStatements) fail("it runs too many statements");
      run_statement(statement, scope, depth);
    }
  }
  void run_statement(const Statement& statement, Scope& scope, int depth);
  void run_expression(const Expression& expression, Scope& scope, int depth);
  void run_assignment(const Statement& statement, Scope& scope);
  void run_loop(const Statement& statement, Scope& scope, int depth);
  void run_with(const Statement& statement, Scope& scope, int depth);
  void run_try(const Statement& statement, Scope& scope);
  void run_branch(const Statement& statement, Scope& scope, int depth);
  void run_class(const Statement& statement);
  void call_function(const Binding& function, std::vector<Binding> arguments, int depth);
  void unpack(const std::vector<std::string>& targets, const Expression& value, Scope& scope);
  void note_passed(const Expression& argument, const Scope& scope);

  void add_assert(const Expression& condition);
  void add_raises(std::vector<std::string> kinds, const Expression& raising);
  TestCase test_of(const std::vector<size_t>& results);
  std::vector<std::string> exception_kinds(const Expression& expression, const Scope& scope) const;
  const Expression& raising_call(const std::vector<Statement>& body, size_t count) const;
  bool always_fails(const Statement& statement, const Scope& scope) const;

  const Binding* find(const std::string& name, const Scope& scope) const {
    const auto found = scope.find(name);
    return found == scope.end() ? nullptr : &found->second;
  }
  /// The binding that an expression names without a value of its own: entry, owner, instance, function.
  std::optional<Binding> reference(const Expression& expression, const Scope& scope) const;
  std::string dotted_name(const Expression& expression, const Scope& scope) const;
  Expression resolve(const Expression& expression, const Scope& scope);
  Expression resolve_name(const Expression& expression, const Scope& scope) const;
  Expression resolve_call(const Expression& expression, const Scope& scope);
  Expression resolve_comprehension(const Expression& expression, const Scope& scope);
  Expression entry_call(const Expression& expression, const Scope& scope, size_t first_argument);
  Expression folded(Expression expression) const;

  std::string owner_, method_;
  Scope top_;
  std::vector<PythonCall> calls_;
  std::set<size_t> used_;
  std::vector<TestCase> tests_;
  std::set<std::string> called_;
  std::set<std::string> passed_;  ///< variables that were arguments of a call
  bool in_arguments_ = false;
  size_t line_ = 1, num_statements_ = 0;
};

// Names.

std::string Reader::dotted_name(const Expression& expression, const Scope& scope) const {
  if (expression.is(Kind::kName)) {
    const Binding* binding = find(expression.name, scope);
    if (!binding) return expression.name;
    return binding->kind == Binding::Kind::kDotted ? binding->dotted : "";
  }
  if (!expression.is(Kind::kAttribute)) return "";
  const std::string base = dotted_name(expression.children[0], scope);
  return base.empty() ? "" : base + "." + expression.name;
}

std::optional<Binding> Reader::reference(const Expression& expression, const Scope& scope) const {
  if (expression.is(Kind::kName)) {
    const Binding* binding = find(expression.name, scope);
    return binding && binding->kind != Binding::Kind::kExpression ? std::optional(*binding) : std::nullopt;
  }
  if (expression.is(Kind::kCall) && expression.children.size() == 1) {
    const auto called = reference(expression.children[0], scope);
    if (called && called->kind == Binding::Kind::kOwner) return bind_as(Binding::Kind::kInstance);
  }
  if (!expression.is(Kind::kAttribute)) return std::nullopt;
  if (expression.children[0].is(Kind::kName)) {
    const Binding* member = find(expression.children[0].name + "." + expression.name, scope);
    if (member) return member->kind == Binding::Kind::kExpression ? std::nullopt : std::optional(*member);
  }
  const auto base = reference(expression.children[0], scope);
  if (base && base->kind == Binding::Kind::kInstance && expression.name == method_) return entry_binding();
  return std::nullopt;
}

Expression Reader::resolve_name(const Expression& expression, const Scope& scope) const {
  if (!passed_.empty() && passed_.contains(to_source(expression, {}))) {
    fail(in_arguments_ ? "it hands over one object twice, which data cannot show"
                       : "it looks at an argument after the call, which data cannot show");
  }
  if (expression.is(Kind::kAttribute) && expression.children[0].is(Kind::kName)) {
    const Binding* member = find(expression.children[0].name + "." + expression.name, scope);
    if (member && member->kind == Binding::Kind::kExpression) return member->expression;
  }
  if (expression.is(Kind::kName)) {
    const Binding* binding = find(expression.name, scope);
    if (binding && binding->kind == Binding::Kind::kExpression) return binding->expression;
  }
  const std::string name = dotted_name(expression, scope);
  if (name.empty()) fail(fmt::format("it uses '{}'", to_source(expression, {})));
  return folded(Expression::named(name));
}

// Expressions.

/// A constant where nothing in the expression depends on a result or on a loop variable.
Expression Reader::folded(Expression expression) const {
  std::set<size_t> used;
  used_results(expression, used);
  if (expression.is(Kind::kConstant) || !used.empty() || !is_evaluable(expression)) return expression;
  auto value = evaluate(expression);
  if (!value) fail(fmt::format("'{}' has no value that is data", to_source(expression, {})));
  return Expression::constant(std::move(*value));
}

Expression Reader::resolve(const Expression& expression, const Scope& scope) {
  switch (expression.kind) {
    case Kind::kConstant:
    case Kind::kResult:
      return expression;
    case Kind::kName:
    case Kind::kAttribute:
      return resolve_name(expression, scope);
    case Kind::kCall:
      return resolve_call(expression, scope);
    case Kind::kComprehension:
      return resolve_comprehension(expression, scope);
    default: {
      std::vector<Expression> children;
      for (const Expression& child : expression.children) children.push_back(resolve(child, scope));
      return folded(Expression::of(expression.kind, expression.name, std::move(children), expression.names));
    }
  }
}

Expression Reader::resolve_comprehension(const Expression& expression, const Scope& scope) {
  Scope inner = scope;
  for (const std::string& name : expression.names) inner[name] = bind_as(Binding::Kind::kDotted, name);
  std::vector<Expression> children;
  for (size_t i = 0; i < expression.children.size(); ++i) {
    const size_t calls_before = calls_.size();
    children.push_back(resolve(expression.children[i], i == 1 ? scope : inner));
    if (i != 1 && calls_.size() != calls_before) fail("it calls the solution inside a comprehension");
  }
  return folded(Expression::of(Kind::kComprehension, expression.name, std::move(children), expression.names));
}

Expression Reader::resolve_call(const Expression& expression, const Scope& scope) {
  const auto called = reference(expression.children[0], scope);
  if (called && called->kind == Binding::Kind::kEntry) return entry_call(expression, scope, 1);
  const std::string function = dotted_name(expression.children[0], scope);
  if ((called && called->kind != Binding::Kind::kDotted) || function.empty())
    fail(fmt::format("it calls '{}'", to_source(expression.children[0], {})));
  std::vector<Expression> children = {Expression::named(function)};
  for (size_t i = 1; i < expression.children.size(); ++i) children.push_back(resolve(expression.children[i], scope));
  const size_t walked = function == "map" ? 2 : 1;
  if ((function == "map" || iterates_argument(function)) && walked < children.size() &&
      children[walked].is(Kind::kResult)) {
    calls_[children[walked].index].as_list = true;
  }
  return folded(Expression::of(Kind::kCall, "", std::move(children), expression.names));
}

/// Variables whose value a call may have changed: what the program asks of them later is nothing that data can say.
void Reader::note_passed(const Expression& argument, const Scope& scope) {
  if (argument.is(Kind::kName) || argument.is(Kind::kAttribute)) {
    const std::string name = to_source(argument, {});
    const Binding* binding = find(name, scope);
    const bool is_value = binding && binding->kind == Binding::Kind::kExpression;
    if (is_value && !is_hashable(binding->expression.value)) passed_.insert(name);
  }
  for (const Expression& child : argument.children) note_passed(child, scope);
}

/// A call of the solution: its arguments must be constants.
Expression Reader::entry_call(const Expression& expression, const Scope& scope, size_t first_argument) {
  PythonCall call;
  for (size_t i = first_argument; i < expression.children.size(); ++i) {
    in_arguments_ = true;
    Expression argument = resolve(expression.children[i], scope);
    in_arguments_ = false;
    note_passed(expression.children[i], scope);
    if (!argument.is(Kind::kConstant)) fail("it calls the solution with something that is no constant");
    const std::string& keyword = expression.names[i - 1];
    if (keyword == "*") {
      auto items = items_of(argument.value);
      if (!items) fail("it unpacks something that cannot be walked through");
      for (PythonValue& item : *items) call.args.push_back(std::move(item));
    } else if (keyword.empty()) {
      call.args.push_back(std::move(argument.value));
    } else {
      call.kwargs.emplace_back(keyword, std::move(argument.value));
    }
  }
  calls_.push_back(std::move(call));
  return Expression::result(calls_.size() - 1);
}

// Tests.

TestCase Reader::test_of(const std::vector<size_t>& results) {
  TestCase test;
  for (size_t i = 0; i < results.size(); ++i) {
    used_.insert(results[i]);
    const PythonCall& call = calls_[results[i]];
    if (i == 0) {
      test.args = call.args, test.kwargs = call.kwargs, test.as_list = call.as_list;
    } else {
      test.further_calls.push_back(call);
    }
  }
  if (tests_.size() >= kMaxTests) fail("it makes too many tests");
  return test;
}

void Reader::add_assert(const Expression& condition) {
  std::set<size_t> used;
  used_results(condition, used);
  if (used.empty()) {
    if (condition.is(Kind::kConstant) && is_truthy(condition.value)) return;  // `assert True, "..."`
    fail(condition.is(Kind::kConstant) ? "it asserts something that is never true"
                                       : fmt::format("it uses '{}'", to_source(condition, {})));
  }
  if (!is_evaluable(condition)) fail(fmt::format("'{}' is more than data can say", to_source(condition, {})));
  const std::vector<size_t> results(used.begin(), used.end());
  TestCase test = test_of(results);
  const bool equality = condition.is(Kind::kCompare) && condition.names == std::vector<std::string>{"=="};
  for (const size_t side : {size_t{0}, size_t{1}}) {
    if (equality && condition.children[side].is(Kind::kResult) && condition.children[1 - side].is(Kind::kConstant)) {
      test.expected = condition.children[1 - side].value;
      tests_.push_back(std::move(test));
      return;
    }
  }
  std::map<size_t, size_t> places;
  for (size_t i = 0; i < results.size(); ++i) places[results[i]] = i;
  Expression renumbered = condition;
  renumber(renumbered, places);
  test.condition = std::make_shared<const Expression>(std::move(renumbered));
  tests_.push_back(std::move(test));
}

void Reader::add_raises(std::vector<std::string> kinds, const Expression& raising) {
  if (!raising.is(Kind::kResult)) fail("it expects an exception of something that is no plain call");
  TestCase test = test_of({raising.index});
  test.raises = std::move(kinds);
  tests_.push_back(std::move(test));
}

std::vector<std::string> Reader::exception_kinds(const Expression& expression, const Scope& scope) const {
  std::vector<std::string> kinds;
  const auto add = [&](const Expression& kind) {
    const std::string name = dotted_name(kind, scope);
    if (!is_exception_kind(name)) fail(fmt::format("'{}' is no builtin exception", to_source(kind, {})));
    kinds.push_back(name);
  };
  if (expression.is(Kind::kTuple))
    std::for_each(expression.children.begin(), expression.children.end(), add);
  else
    add(expression);
  return kinds;
}

/// The expression of the first of `count` statements.
const Expression& Reader::raising_call(const std::vector<Statement>& body, size_t count) const {
  const bool fits =
      body.size() == count && (body[0].kind == StatementKind::kExpression || body[0].kind == StatementKind::kAssign);
  if (!fits) fail("it expects an exception of more than one statement");
  return body[0].expressions[0];
}

bool Reader::always_fails(const Statement& statement, const Scope& scope) const {
  const auto is_named = [&](const Expression& call, const char* name) {
    return call.is(Kind::kCall) && to_source(call.children[0], {}) == name;
  };
  if (statement.kind == StatementKind::kRaise) {
    const Expression& raised = statement.expressions[0];
    return dotted_name(raised.is(Kind::kCall) ? raised.children[0] : raised, scope) == "AssertionError";
  }
  if (statement.kind == StatementKind::kAssert) {
    const Expression& condition = statement.expressions[0];
    return condition.is(Kind::kConstant) && !is_truthy(condition.value);
  }
  return statement.kind == StatementKind::kExpression &&
         (is_named(statement.expressions[0], "self.fail") || is_named(statement.expressions[0], "pytest.fail"));
}

// Statements.

void Reader::run_statement(const Statement& statement, Scope& scope, int depth) {
  switch (statement.kind) {
    case StatementKind::kPass:
      return;
    case StatementKind::kAssert:
      return add_assert(resolve(statement.expressions[0], scope));
    case StatementKind::kExpression:
      return run_expression(statement.expressions[0], scope, depth);
    case StatementKind::kAssign:
      return run_assignment(statement, scope);
    case StatementKind::kImport:
      for (size_t i = 0; i + 1 < statement.names.size(); i += 2) {
        scope[statement.names[i]] = bind_as(Binding::Kind::kDotted, statement.names[i + 1]);
      }
      return;
    case StatementKind::kFunction:
    case StatementKind::kClass:
      if (statement.name == method_ || statement.name == owner_) fail("it defines the solution itself");
      scope[statement.name] = bind_as(Binding::Kind::kFunction, "", &statement);
      return;
    case StatementKind::kFor:
      return run_loop(statement, scope, depth);
    case StatementKind::kWith:
      return run_with(statement, scope, depth);
    case StatementKind::kTry:
      return run_try(statement, scope);
    case StatementKind::kIf:
      return run_branch(statement, scope, depth);
    case StatementKind::kRaise:
      fail("it raises an exception");
  }
}

void Reader::run_expression(const Expression& expression, Scope& scope, int depth) {
  if (expression.is(Kind::kConstant)) return;  // a docstring
  const bool plain_name = expression.is(Kind::kName) && (find(expression.name, scope) || expression.name == "print");
  if (plain_name) return;
  if (!expression.is(Kind::kCall)) fail("it has a statement without effect");
  const Expression& function = expression.children[0];
  if (function.is(Kind::kAttribute) && function.children[0].is(Kind::kName) && function.children[0].name == "self") {
    if (function.name == "assertRaises" && expression.children.size() > 2) {
      const auto called = reference(expression.children[2], scope);
      if (!called || called->kind != Binding::Kind::kEntry) fail("it expects an exception of something else");
      return add_raises(exception_kinds(expression.children[1], scope), entry_call(expression, scope, 3));
    }
    const auto condition = unittest_condition(function.name, expression);
    if (!condition) fail(fmt::format("'self.{}' is not read as data", function.name));
    return add_assert(resolve(*condition, scope));
  }
  const std::string name = dotted_name(function, scope);
  if (name == "unittest.main" || name == "pytest.main") return;
  if (name == "pytest.raises" && expression.children.size() > 2) {
    const auto called = reference(expression.children[2], scope);
    if (!called || called->kind != Binding::Kind::kEntry) fail("it expects an exception of something else");
    return add_raises(exception_kinds(expression.children[1], scope), entry_call(expression, scope, 3));
  }
  if (name == "print") {
    for (size_t i = 1; i < expression.children.size(); ++i) {
      if (!resolve(expression.children[i], scope).is(Kind::kConstant)) fail("it prints results");
    }
    return;
  }
  const auto called = reference(function, scope);
  if (!called || called->kind != Binding::Kind::kFunction) {
    fail(fmt::format("it calls '{}' for its effect", to_source(function, {})));
  }
  std::vector<Binding> arguments;
  for (size_t i = 1; i < expression.children.size(); ++i) {
    if (!expression.names[i - 1].empty()) fail("it calls a function of its own with keywords");
    const auto referred = reference(expression.children[i], scope);
    arguments.push_back(referred ? *referred : bind_value(resolve(expression.children[i], scope)));
  }
  if (function.is(Kind::kName)) called_.insert(function.name);
  call_function(*called, std::move(arguments), depth + 1);
}

void Reader::call_function(const Binding& function, std::vector<Binding> arguments, int depth) {
  const Statement& definition = *function.function;
  if (definition.kind != StatementKind::kFunction) fail("it makes objects of a class of its own");
  if (depth > kMaxCallDepth) fail("its functions call each other too deeply");
  line_ = definition.line;
  if (definition.names.size() != arguments.size()) fail(fmt::format("'{}' takes other arguments", definition.name));
  Scope scope = top_;
  for (size_t i = 0; i < arguments.size(); ++i) scope[definition.names[i]] = std::move(arguments[i]);
  run(definition.body, scope, depth);
}

void Reader::unpack(const std::vector<std::string>& targets, const Expression& value, Scope& scope) {
  for (const std::string& target : targets) passed_.erase(target);
  if (targets.size() == 1) {
    scope[targets[0]] = bind_value(value);
    return;
  }
  const auto parts = value.is(Kind::kConstant) ? items_of(value.value) : std::nullopt;
  if (!parts || parts->size() != targets.size()) fail("it unpacks something that is no constant of that length");
  for (size_t i = 0; i < targets.size(); ++i) scope[targets[i]] = bind_value(Expression::constant((*parts)[i]));
}

void Reader::run_assignment(const Statement& statement, Scope& scope) {
  const auto referred = reference(statement.expressions[0], scope);
  if (referred && statement.names.size() == 1) {
    scope[statement.names[0]] = *referred;
    return;
  }
  unpack(statement.names, resolve(statement.expressions[0], scope), scope);
}

void Reader::run_loop(const Statement& statement, Scope& scope, int depth) {
  const Expression iterable = resolve(statement.expressions[0], scope);
  const auto items = iterable.is(Kind::kConstant) ? items_of(iterable.value) : std::nullopt;
  if (!items) fail("it loops over something that is no constant");
  if (iterable.value.is(ValueKind::kSet) || iterable.value.is(ValueKind::kFrozenset)) {
    fail("it loops over a set, which has no order");
  }
  for (const PythonValue& item : *items) {
    unpack(statement.names, Expression::constant(item), scope);
    run(statement.body, scope, depth);
  }
}

void Reader::run_with(const Statement& statement, Scope& scope, int depth) {
  const Expression& context = statement.expressions[0];
  const std::string name = context.is(Kind::kCall) ? to_source(context.children[0], {}) : "";
  if (name == "self.subTest") return run(statement.body, scope, depth);
  const bool raises =
      name == "self.assertRaises" || (!name.empty() && dotted_name(context.children[0], scope) == "pytest.raises");
  if (!raises || context.children.size() != 2 || !context.names[0].empty()) {
    fail("its 'with' is none that only expects an exception");
  }
  const auto kinds = exception_kinds(context.children[1], scope);
  add_raises(kinds, resolve(raising_call(statement.body, 1), scope));
}

/// try: the call [and a failure]; except KIND: pass; else: a failure. Nothing else is the same as "raises".
void Reader::run_try(const Statement& statement, Scope& scope) {
  const auto only_passes = [](const std::vector<Statement>& body) {
    return std::all_of(body.begin(), body.end(), [](const Statement& s) {
      const bool asserts_true =
          s.kind == StatementKind::kAssert && s.expressions[0].is(Kind::kConstant) && is_truthy(s.expressions[0].value);
      const bool constant = s.kind == StatementKind::kExpression && s.expressions[0].is(Kind::kConstant);
      return s.kind == StatementKind::kPass || asserts_true || constant;
    });
  };
  if (statement.handlers.size() != 1 || !only_passes(statement.handlers[0])) {
    fail("its 'try' does more than expect an exception");
  }
  const bool bare = statement.expressions[0].is(Kind::kConstant);
  const auto kinds =
      bare ? std::vector<std::string>{"BaseException"} : exception_kinds(statement.expressions[0], scope);
  const bool fails_inside = statement.body.size() == 2 && always_fails(statement.body[1], scope);
  const bool fails_after = statement.otherwise.size() == 1 && always_fails(statement.otherwise[0], scope);
  if (fails_inside == fails_after) fail("its 'try' accepts a call that raises nothing");
  const bool caught =
      std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return is_kind_of("AssertionError", kind); });
  if (fails_inside && caught) fail("its 'except' also catches the failure that it wants to report");
  add_raises(kinds, resolve(raising_call(statement.body, fails_inside ? 2 : 1), scope));
}

void Reader::run_branch(const Statement& statement, Scope& scope, int depth) {
  if (is_main_guard(statement)) return;
  const Expression condition = resolve(statement.expressions[0], scope);
  if (!condition.is(Kind::kConstant)) fail("it branches on a result");
  run(is_truthy(condition.value) ? statement.body : statement.otherwise, scope, depth);
}

void Reader::run_class(const Statement& statement) {
  const bool is_case =
      std::any_of(statement.expressions.begin(), statement.expressions.end(),
                  [&](const Expression& base) { return dotted_name(base, top_) == "unittest.TestCase"; });
  if (!is_case) return;
  const Statement* set_up = nullptr;
  for (const Statement& member : statement.body) {
    line_ = member.line;
    const bool constant = member.kind == StatementKind::kExpression && member.expressions[0].is(Kind::kConstant);
    if (member.kind == StatementKind::kPass || constant) continue;
    if (member.kind != StatementKind::kFunction || member.names.size() != 1 || member.names[0] != "self") {
      fail("its test class has more than plain methods");
    }
    if (member.name == "setUp") set_up = &member;
    if (member.name == "tearDown" || member.name == "run" || member.name.starts_with("__")) {
      fail(fmt::format("its test class has '{}'", member.name));
    }
  }
  for (const Statement& member : statement.body) {
    if (member.kind != StatementKind::kFunction || !member.name.starts_with("test")) continue;
    Scope scope = top_;
    if (set_up) run(set_up->body, scope, 1);
    run(member.body, scope, 1);
  }
}

void collect_calls(const Expression& expression, std::vector<std::string>& names) {
  if (expression.is(Kind::kCall)) names.push_back(to_source(expression.children[0], {}));
  for (const Expression& child : expression.children) collect_calls(child, names);
}

void collect_calls(const std::vector<Statement>& statements, std::vector<std::string>& names) {
  for (const Statement& statement : statements) {
    for (const Expression& expression : statement.expressions) collect_calls(expression, names);
    collect_calls(statement.body, names);
    collect_calls(statement.otherwise, names);
  }
}

}  // namespace

TestProgram read_test_program(std::string_view source, const std::string& entry_point) {
  TestProgram result;
  const auto program = parse_python_program(source, &result.code_reason);
  if (!program) return result;
  try {
    result.tests = Reader(entry_point).read(*program);
    result.asserts_nothing = result.tests.empty();
    if (result.asserts_nothing) result.code_reason = "it asserts nothing";
  } catch (const NotData& reason) {
    result.code_reason = fmt::format("line {}: {}", reason.line, reason.what);
  }
  return result;
}

std::vector<std::string> called_names(std::string_view source) {
  std::vector<std::string> names;
  std::string reason;
  if (const auto program = parse_python_program(source, &reason)) collect_calls(*program, names);
  return names;
}

std::string to_python_assert(const TestCase& test, const std::string& entry_point) {
  if (test.is_plain()) {
    return fmt::format("assert {} == {}", to_python_call(test, entry_point), to_python_literal(test.expected));
  }
  if (!test.condition) return "";
  std::vector<std::string> calls = {to_python_call(test, entry_point)};
  for (const PythonCall& call : test.further_calls) {
    TestCase further;
    further.args = call.args, further.kwargs = call.kwargs;
    calls.push_back(to_python_call(further, entry_point));
  }
  return "assert " + to_source(*test.condition, calls);
}

}  // namespace plumbline
