/// One self-contained HTML page. Everything that comes from a model or a file is escaped; the page forbids scripts and
/// any fetch by its own policy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// & < > " ' as entities; control characters other than newline and tab as visible escapes.
std::string escape_html(std::string_view text);

class HtmlPage {
 public:
  explicit HtmlPage(const std::string& title);
  HtmlPage& heading(const std::string& text);
  HtmlPage& paragraph(const std::string& text);
  HtmlPage& preformatted(const std::string& text);
  HtmlPage& table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
  /// Markup of our own making (render_svg), taken as it is.
  HtmlPage& figure(const std::string& svg);
  /// The finished page.
  std::string str() const;

 private:
  std::string title_, body_;
};

}  // namespace plumbline
