/// A line chart as inline SVG. No scripts, no fonts, nothing fetched.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// One line; NaN values are gaps.
struct ChartSeries {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
};

/// Axes start at the given bounds and grow to hold the data.
struct Chart {
  std::string title, x_label, y_label;
  double y_min = 0, y_max = 1;
  std::vector<ChartSeries> series;
};

/// Colours that stay apart for colour-blind readers (Okabe and Ito, 2008), in order.
std::string chart_color(size_t index);

/// Names and labels are escaped.
std::string render_svg(const Chart& chart);

}  // namespace plumbline
