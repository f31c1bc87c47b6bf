/// Template text to tokens, with the white-space rules of transformers' environment (trim_blocks, lstrip_blocks).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::jinja {

/// Both from 1; the column counts bytes.
struct Place {
  int line = 1, column = 1;
};

enum class TokenKind {
  kText,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd
};

struct Token {
  TokenKind kind;
  std::string value;  ///< text, name, operator, digits without underscores, or the string with its escapes resolved
  Place place;
};

/// Throws DataError(data.template_syntax) "name, line L, column C".
[[noreturn]] void syntax_error(const std::string& message, const std::string& name, Place place);

/// The last token is kEnd. Throws as syntax_error does.
std::vector<Token> tokenize(std::string_view source, const std::string& name);

}  // namespace plumbline::jinja
