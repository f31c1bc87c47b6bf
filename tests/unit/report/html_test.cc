#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "plumbline/report/html_page.h"
#include "plumbline/report/svg_chart.h"

namespace plumbline {
namespace {

TEST(HtmlPage, HostileTextStaysText) {
  const std::string page = HtmlPage("<script>alert(1)</script>")
                               .paragraph("\" onload='x' \x1b[2J")
                               .table({"<b>"}, {{"</td><img src=x>"}})
                               .str();
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(SvgChart, GapsBreakTheLineAndNamesAreEscaped) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Chart chart{"hack rate", "step", "share", 0, 1, {{"<arm>", {0, 1, 2, 3}, {0, nan, 0.5, 1}, false}}};
  const std::string svg = render_svg(chart);
  EXPECT_NE(svg.find("&lt;arm&gt;"), std::string::npos);
  // Two pieces: the point before the gap, and the line after it.
  const std::string path = svg.substr(svg.find("<path d='"), 60);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << path;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
