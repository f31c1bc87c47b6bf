#include "plumbline/report/html_page.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/base/error.h"

namespace plumbline {

extern const char* const kReportStyle;  // page.css, embedded

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : escape_control(text, /*keep_newlines=*/true)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : std::string();
}

std::string points(double difference) {
  if (!std::isfinite(difference)) return "";
  const std::string text = fmt::format("{:.1f}", std::abs(100 * difference));
  const bool is_negative = difference < 0 && text != "0.0";
  return (is_negative ? "\u2212" : "+") + text;
}

std::string HtmlTable::markup() const {
  const auto cell_text = [&](const std::string& cell) { return cells_are_markup ? cell : escape_html(cell); };
  std::string out = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">"
      "<table{1}><caption>{0}</caption><thead><tr>",
      escape_html(caption),
      stacks  ? " class=\"stacks\""
      : wraps ? " class=\"wraps\""
              : "");
  for (const std::string& cell : header) out += "<th scope=\"col\">" + escape_html(cell) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string label = i < header.size() ? escape_html(header[i]) : "";
      out += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", cell_text(row[i]))
                    : fmt::format("<td data-label=\"{}\">{}</td>", label, cell_text(row[i]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string details_markup(const std::string& summary, const std::string& markup) {
  return "<details><summary>" + escape_html(summary) + "</summary>\n" + markup + "</details>\n";
}

HtmlPage& HtmlPage::add(const std::string& markup) {
  body_ += markup;
  return *this;
}

HtmlPage& HtmlPage::heading(const std::string& text) {
  return add("<h2>" + escape_html(text) + "</h2>\n");
}

HtmlPage& HtmlPage::paragraph(const std::string& text) {
  return add("<p>" + escape_html(text) + "</p>\n");
}

HtmlPage& HtmlPage::refresh_after(int seconds_s) {
  refresh_ = fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", seconds_s);
  return *this;
}

std::string HtmlPage::str() const {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "base-uri 'none'; form-action 'none'\">\n" +
         refresh_ +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escape_html(title_) + "</title>\n<style>\n" + kReportStyle + "</style></head>\n<body>\n<main>\n<h1>" +
         escape_html(title_) + "</h1>\n" + body_ + "</main>\n</body></html>\n";
}

}  // namespace plumbline
