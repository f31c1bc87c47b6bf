/// A Python expression as a tree: what a test asserts, parsed (record/python_syntax.h) and evaluated here, never by
/// anything that a submission can reach.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plumbline/record/python_value.h"

namespace plumbline {

/// Plain data, copyable. What `name`, `names` and `children` hold depends on the kind.
struct PythonExpression {
  enum class Kind {
    kConstant,       ///< value
    kResult,         ///< what call number `index` returned
    kName,           ///< name
    kList,           ///< children; displays of constants are kConstant
    kTuple,          ///< children
    kSet,            ///< children
    kDict,           ///< children: key, value, key, value, ...
    kCall,           ///< children: function, arguments; names: "" for positional, "*", or the keyword, one an argument
    kAttribute,      ///< children[0].name
    kSubscript,      ///< children[0][children[1]]
    kUnary,          ///< name: "-", "+", "not"
    kBinary,         ///< name: + - * / // % **
    kCompare,        ///< children; names: the operators between them
    kAnd,            ///< children
    kOr,             ///< children
    kConditional,    ///< children: condition, then, else
    kComprehension,  ///< name: "[" "{" "("; children: element, iterable, conditions; names: targets
  };
  Kind kind = Kind::kConstant;
  PythonValue value;
  std::string name;
  size_t index = 0;
  int depth = 1;  ///< height of the tree, bounded by the parser
  std::vector<PythonExpression> children;
  std::vector<std::string> names;

  bool is(Kind which) const { return kind == which; }
  static PythonExpression constant(PythonValue value);
  static PythonExpression result(size_t index);
  static PythonExpression named(std::string name);
  /// Sets depth.
  static PythonExpression of(Kind kind, std::string name, std::vector<PythonExpression> children,
                             std::vector<std::string> names = {});
};

/// The expression as source, fully parenthesised; calls[i] stands for result i. Equal trees give equal texts.
std::string to_source(const PythonExpression& expression, const std::vector<std::string>& calls);

}  // namespace plumbline
