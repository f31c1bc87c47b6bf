#include "plumbline/report/html_page.h"

#include "plumbline/base/error.h"

namespace plumbline {

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

HtmlPage::HtmlPage(const std::string& title) : title_(title) {
  body_ = "<h1>" + escape_html(title) + "</h1>\n";
}

HtmlPage& HtmlPage::heading(const std::string& text) {
  body_ += "<h2>" + escape_html(text) + "</h2>\n";
  return *this;
}

HtmlPage& HtmlPage::paragraph(const std::string& text) {
  body_ += "<p>" + escape_html(text) + "</p>\n";
  return *this;
}

HtmlPage& HtmlPage::preformatted(const std::string& text) {
  body_ += "<pre>" + escape_html(text) + "</pre>\n";
  return *this;
}

HtmlPage& HtmlPage::table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  body_ += "<table><tr>";
  for (const std::string& cell : header) body_ += "<th>" + escape_html(cell) + "</th>";
  body_ += "</tr>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const std::string& cell : row) body_ += "<td>" + escape_html(cell) + "</td>";
    body_ += "</tr>\n";
  }
  body_ += "</table>\n";
  return *this;
}

HtmlPage& HtmlPage::figure(const std::string& svg) {
  body_ += "<figure>" + svg + "</figure>\n";
  return *this;
}

std::string HtmlPage::str() const {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
         escape_html(title_) +
         "</title>\n<style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
         "table{border-collapse:collapse;margin:1em 0}th,td{border:1px solid #ccc;padding:.3em .6em;text-align:left;"
         "vertical-align:top}th{background:#f4f4f4}pre{background:#f7f7f7;padding:.8em;overflow-x:auto}"
         "figure{margin:1em 0}svg{max-width:100%;height:auto}</style></head>\n<body>\n" +
         body_ + "</body></html>\n";
}

}  // namespace plumbline
