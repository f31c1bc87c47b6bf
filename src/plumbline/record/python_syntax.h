/// Parses the part of Python that tests are written in: expressions, asserts, assignments, imports, functions,
/// classes, for, with, try, if. Everything else is unknown, and then the whole text is: there is no recovery.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/python_expression.h"

namespace plumbline {

/// Plain data. What the fields hold depends on the kind.
struct PythonStatement {
  enum class Kind {
    kExpression,  ///< expressions[0]
    kAssert,      ///< expressions[0]; the message is parsed and dropped
    kAssign,      ///< names: targets ("a", "self.a"; several: unpacking); expressions[0]
    kImport,      ///< names: bound name, dotted origin, bound name, ...
    kFunction,    ///< name, names: parameters (plain ones only), body
    kClass,       ///< name, expressions: bases, body
    kFor,         ///< names: targets, expressions[0], body
    kWith,        ///< expressions[0] (one item), body
    kTry,         ///< body; expressions: what each handler catches (None: everything); handlers; otherwise: else
    kIf,          ///< expressions[0], body, otherwise
    kRaise,       ///< expressions[0]
    kPass         ///< pass
  };
  Kind kind = Kind::kPass;
  size_t line = 1;
  std::string name;
  std::vector<std::string> names;
  std::vector<PythonExpression> expressions;
  std::vector<PythonStatement> body, otherwise;
  std::vector<std::vector<PythonStatement>> handlers;
};

/// The statements, or unset with the reason ("line 3: ..."). Expressions nest at most 100 deep.
std::optional<std::vector<PythonStatement>> parse_python_program(std::string_view source, std::string* reason);

/// One expression and nothing else.
std::optional<PythonExpression> parse_python_expression(std::string_view source);

}  // namespace plumbline
