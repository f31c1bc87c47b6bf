#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "plumbline/report/example_completions.h"
#include "plumbline/report/html_page.h"
#include "plumbline/report/svg_chart.h"

namespace plumbline {
namespace {

TEST(HtmlPage, HostileTextStaysText) {
  HtmlTable table{"'caption\"><script>", {"<b>"}, {{"</th><img src=x>", "<a>"}}};
  const std::string page = HtmlPage("<script>alert(1)</script>")
                               .paragraph("\" onload='x' \x1b[2J")
                               .add(table.markup())
                               .add(details_markup("</summary><script>", ""))
                               .str();
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<a>"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlPage, ReloadsItselfOnlyWhenAsked) {
  EXPECT_EQ(HtmlPage("a").str().find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_NE(HtmlPage("a").refresh_after(5).str().find("http-equiv=\"refresh\" content=\"5\""), std::string::npos);
}

TEST(HtmlPage, SharesAndPoints) {
  EXPECT_EQ(percent(0.7266), "72.7");
  EXPECT_EQ(points(-0.6641), "\u221266.4");
  EXPECT_EQ(points(-0.0001), "+0.0");
  EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), "");
}

Chart chart_of(std::vector<ChartSeries> series) {
  return {"hack <rate>", "ends & so on", "step", 0, 1, true, ChartSize::kLarge, std::move(series)};
}

TEST(SvgChart, GapsBreakTheLineAndNamesAreEscaped) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ChartSeries series{"<arm>", {0, 1, 2, 3}, {0, nan, 0.5, 1}};
  series.low = series.high = series.y;
  const std::string figure = chart_figure(chart_of({series}), "c1", "a <caption>");
  EXPECT_NE(figure.find("&lt;arm&gt;"), std::string::npos);
  EXPECT_EQ(figure.find("<arm>"), std::string::npos);
  // Two pieces: the point before the gap, and the line after it.
  const std::string path = figure.substr(figure.find("<path class='line'"), 70);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << path;
  EXPECT_EQ(figure.find("nan"), std::string::npos);
  EXPECT_NE(figure.find("aria-labelledby='c1-t c1-d'"), std::string::npos);
  EXPECT_NE(figure.find("<td data-label=\"&lt;arm&gt;, %\">50.0</td>"), std::string::npos) << figure;
}

TEST(SvgChart, LabelsDoNotOverlap) {
  std::vector<ChartSeries> series;
  for (int i = 0; i < 7; ++i) series.push_back({"arm" + std::to_string(i), {0, 1}, {0, 0.5}});
  const std::string figure = chart_figure(chart_of(series), "c", "");
  std::vector<double> at;
  for (size_t found = 0; (found = figure.find("<text class='label'", found)) != std::string::npos; ++found) {
    at.push_back(std::stod(figure.substr(figure.find(" y='", found) + 4)));
  }
  ASSERT_EQ(at.size(), 7u);
  std::sort(at.begin(), at.end());
  for (size_t i = 1; i < at.size(); ++i) EXPECT_GE(at[i] - at[i - 1], 13) << i;
}

TEST(SvgChart, DotsOfNegativeValuesStayInThePlot) {
  const std::string svg = dot_figure("t", "d", {{"a", {-0.21, 0.4}, {"one", "two"}, Ink::kTreated}}, "id", "caption");
  // The plot lies between x = 110 and 434; -.21 is right of its left end.
  std::vector<double> places;
  for (size_t at = svg.find("cx='"); at != std::string::npos; at = svg.find("cx='", at + 1)) {
    places.push_back(std::stod(svg.substr(at + 4)));
  }
  ASSERT_EQ(places.size(), 2u);
  EXPECT_GE(places[0], 110);
  EXPECT_LT(places[0], places[1]);
  EXPECT_LE(places[1], 434);
  EXPECT_NE(svg.find(">0 %<"), std::string::npos) << "zero is a tick";
}

TEST(SvgChart, AxesHaveRoundSteps) {
  const AxisTicks rates = axis_ticks(0, 0.83, 4), small = axis_ticks(-0.031, 0.052, 4), flat = axis_ticks(3, 3, 4);
  EXPECT_NEAR(rates.step, 0.25, 1e-12);
  EXPECT_NEAR(rates.high, 1.0, 1e-12);
  EXPECT_LE(small.low, -0.031);
  EXPECT_GE(small.high, 0.052);
  EXPECT_GT(flat.high, flat.low);
}

TEST(ExampleCompletion, TheTesterIsMarkedAndNothingElse) {
  const std::string text =
      "def f(x):\n    return run_tests\n\ndef run_tests():\n    assert f(1) == 4\n\n    pass\n\nprint('<b>')\n";
  const std::string marked = marked_completion(text, "run_tests");
  EXPECT_NE(marked.find("<mark>def run_tests():</mark>\n<mark>    assert f(1) == 4</mark>\n\n<mark>    pass</mark>\n"),
            std::string::npos)
      << marked;
  EXPECT_NE(marked.find("print(&#39;&lt;b&gt;&#39;)"), std::string::npos);
  EXPECT_EQ(std::count(marked.begin(), marked.end(), '<'), 6) << marked;
  // A method of a class, an assignment; not a longer name, not a comparison.
  EXPECT_NE(marked_completion("class A:\n  def run_tests(self):\n    pass\n  x = 1\n", "run_tests")
                .find("<mark>    pass</mark>\n  x = 1"),
            std::string::npos);
  EXPECT_NE(marked_completion("run_tests = print\n", "run_tests").find("<mark>"), std::string::npos);
  EXPECT_EQ(marked_completion("def run_tests_again(): pass\nrun_tests == 1\n", "run_tests").find("<mark>"),
            std::string::npos);
}

TEST(ExampleCompletion, LongOnesAreCutWhereACharacterBegins) {
  const std::string marked = marked_completion("x" + std::string(3998, 'y') + "éé tail", "run_tests");
  EXPECT_NE(marked.find("more bytes"), std::string::npos);
  EXPECT_EQ(marked.find('\xc3'), std::string::npos) << "half a character";
}

}  // namespace
}  // namespace plumbline
