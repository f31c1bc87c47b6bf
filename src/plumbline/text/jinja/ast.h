/// The tree of a parsed template.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/text/jinja/lexer.h"
#include "plumbline/text/jinja/value.h"

namespace plumbline::jinja {

enum class ExprKind {
  kConstant,     ///< constant
  kName,         ///< name
  kList,         ///< parts
  kTuple,        ///< parts
  kDict,         ///< parts: key, value, key, value, ...
  kNot,          ///< parts[0]
  kNegative,     ///< parts[0]
  kPositive,     ///< parts[0]
  kArithmetic,   ///< name is the operator; parts[0], parts[1]
  kConcat,       ///< parts
  kCompare,      ///< parts[0] operators[0] parts[1] operators[1] ...
  kAnd,          ///< parts[0], parts[1]
  kOr,           ///< parts[0], parts[1]
  kConditional,  ///< parts: test, then, otherwise (may be null)
  kAttribute,    ///< parts[0].name
  kSubscript,    ///< parts[0][parts[1]]
  kSlice,        ///< parts[0][parts[1]:parts[2]:parts[3]], the last three may be null
  kCall,         ///< parts[0](call)
  kFilter,       ///< parts[0] | name(call); parts[0] is null inside a filter block
  kTest          ///< parts[0] is name(call)
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct CallArguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr star, star_star;  ///< *args and **kwargs, or null
};

struct Expr {
  ExprKind kind;
  Place place;
  int height = 1;  ///< longest way down; bounds the recursion of everything that walks the tree
  std::string name;
  Value constant;
  std::vector<ExprPtr> parts;
  std::vector<std::string> operators;
  CallArguments call;
};

enum class StatementKind {
  kText,         ///< text
  kOutput,       ///< value
  kIf,           ///< branches, else_body
  kFor,          ///< target, value, test (may be null), body, else_body, recursive
  kSet,          ///< target, value
  kSetBlock,     ///< target, value (a filter chain on null, or null), body
  kMacro,        ///< name, parameters, body
  kCallBlock,    ///< value (the call), parameters of caller, body
  kFilterBlock,  ///< value (a filter chain on null), body
  kWith,         ///< assignments, body
  kGeneration,   ///< body
  kBreak,
  kContinue
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

struct Branch {
  ExprPtr test;
  Body body;
};

struct Parameter {
  std::string name;
  ExprPtr otherwise;  ///< null: none
};

struct Statement {
  StatementKind kind;
  Place place;
  std::string text;  ///< text, or the macro's name
  ExprPtr target, value, test;
  std::vector<std::pair<ExprPtr, ExprPtr>> assignments;  ///< of kWith
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  Body body, else_body;
  bool recursive = false;
  /// What resolve_names finds out. Of a macro or of what Jinja compiles like one: which special names it reads.
  bool uses_caller = false, uses_varargs = false, uses_kwargs = false;
  bool uses_loop = false;                      ///< of a loop
  std::vector<std::string> unset, else_unset;  ///< undefined when the body begins, whatever is outside
};

struct Template {
  Body body;
  std::vector<std::string> unset;
};

}  // namespace plumbline::jinja
