/// Walks the tree of a template and writes its output.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/text/jinja/ast.h"
#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

/// Names of one block; an inner scope sees the outer ones and assigns to itself only.
struct Scope : Object {
  Scope* parent = nullptr;
  std::vector<std::pair<std::string, Value>> names;
  void set(const std::string& name, Value value);
  /// Forgets everything; `unset` are undefined then, whatever is outside.
  void begin(const std::vector<std::string>& unset);
};

/// One rendering.
class Interpreter {
 public:
  /// `variables` must be an object. `variables_read` may be null. All references must outlive the interpreter.
  Interpreter(Runtime& runtime, const Json& variables, std::set<std::string>* variables_read = nullptr);
  /// Throws TemplateFailure.
  std::string render(const Template& source);
  /// Line of the statement that ran last.
  int line() const { return line_; }

 private:
  enum class Flow { kOn, kBreak, kContinue };

  Flow run(const Body& body, Scope* scope, std::string& out);
  Flow run_statement(const Statement& statement, Scope* scope, std::string& out);
  Flow run_if(const Statement& statement, Scope* scope, std::string& out);
  Flow loop_over(const Statement& statement, const Value& iterable, int64_t depth0, Scope* scope, std::string& out);
  /// Makes `loop` look for the items that pass the loop's test.
  void test_items(const Statement& statement, const Value& iterable, Scope* scope, LoopObject& loop);
  void run_set(const Statement& statement, Scope* scope);
  Flow run_set_block(const Statement& statement, Scope* scope);
  Flow run_filter_block(const Statement& statement, Scope* scope, std::string& out);
  Flow run_with(const Statement& statement, Scope* scope, std::string& out);
  void run_call_block(const Statement& statement, Scope* scope, std::string& out);
  void append(std::string& out, const std::string& text);
  std::string run_to_text(const Body& body, Scope* scope);

  Value make_macro(const Statement& statement, const std::string& name, Scope* scope);
  /// Parameters and special names; what was not given is undefined.
  void bind_parameters(const Statement& statement, const std::string& name, const Arguments& arguments, Scope* scope);
  std::string call_macro(const Statement& statement, const std::string& name, const Arguments& arguments,
                         Scope* closure);
  void assign(const Expr& target, const Value& value, Scope* scope);

  Value evaluate(const Expr& expr, Scope* scope);
  Value evaluate_name(const std::string& name, Scope* scope);
  Value evaluate_container(const Expr& expr, Scope* scope);
  Value evaluate_compare(const Expr& expr, Scope* scope);
  Value evaluate_conditional(const Expr& expr, Scope* scope);
  Value evaluate_concat(const Expr& expr, Scope* scope);
  Value evaluate_slice(const Expr& expr, Scope* scope);
  Value evaluate_call(const Expr& expr, Scope* scope, const Value* caller = nullptr);
  Value evaluate_test(const Expr& expr, Scope* scope);
  /// `subject` stands in for the missing start of a filter block's chain.
  Value evaluate_filter(const Expr& expr, Scope* scope, const Value* subject = nullptr);
  Arguments evaluate_arguments(const CallArguments& call, Scope* scope);
  Scope* inner(Scope* parent, const std::vector<std::string>& unset);

  Runtime& runtime_;
  Scope* root_;
  std::set<std::string>* variables_read_;
  int line_ = 1;
};

}  // namespace plumbline::jinja
