/// One self-contained HTML page. Everything that comes from a model or a file is escaped; the page forbids scripts and
/// any fetch by its own policy, so that what slipped through would still do nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// & < > " ' as entities; control characters other than newline and tab as visible escapes.
std::string escape_html(std::string_view text);

/// "12.3" of a share of .123; a blank cell where there is no number is the caller's.
std::string percent(double share);
/// Points with a sign: "−66.4" of a difference of -.664.
std::string points(double difference);

/// A table whose cells are text. `markup` cells are taken as they are.
struct HtmlTable {
  std::string caption;  ///< read out to those who cannot see the table
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  bool cells_are_markup = false;
  bool wraps = false;   ///< long words may break, so that hashes fit
  bool stacks = false;  ///< on a narrow screen each row becomes a block with the header beside each cell

  std::string markup() const;
};

/// A closed block that a key or a click opens.
std::string details_markup(const std::string& summary, const std::string& markup);

class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}
  /// Markup of our own making, taken as it is.
  HtmlPage& add(const std::string& markup);
  HtmlPage& heading(const std::string& text);
  HtmlPage& paragraph(const std::string& text);
  /// The page asks the browser to read it again after this time.
  HtmlPage& refresh_after(int seconds_s);
  /// The finished page.
  std::string str() const;

 private:
  std::string title_, body_, refresh_;
};

}  // namespace plumbline
