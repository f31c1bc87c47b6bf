#include "plumbline/report/markdown.h"

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + markdown_text(cell) + " |";
  return line + "\n";
}

}  // namespace

std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : escape_control(text)) {
    if (c == '<') {
      out += "&lt;";
    } else {
      if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '[' || c == '!') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string markdown_table(const HtmlTable& table) {
  if (table.rows.empty()) return "";
  std::string text = table.caption + "\n\n" + markdown_row(table.header) + "|";
  for (size_t i = 0; i < table.header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text + "\n";
}

}  // namespace plumbline
