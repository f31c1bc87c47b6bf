/// Markdown out of text that comes from files.
#pragma once

#include <string>

#include "plumbline/report/html_page.h"

namespace plumbline {

/// No pipe, line end, tag or emphasis of a file's own making.
std::string markdown_text(const std::string& text);

/// The table with its caption above and a blank line below; nothing when it has no rows. Cells are escaped.
std::string markdown_table(const HtmlTable& table);

}  // namespace plumbline
