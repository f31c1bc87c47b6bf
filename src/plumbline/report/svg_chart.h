/// Charts as inline SVG: no scripts, no fonts, nothing fetched; colours come from the page's style, so that they follow
/// light and dark. Every chart has a title and a description for those who cannot see it, and its numbers as a table.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Class of the page's style that colours a series.
enum class Ink { kVanilla, kTreated, kOther1, kOther2, kMuted };

/// One line; NaN values are gaps. `low` and `high` are empty or as long as `y`: a band.
struct ChartSeries {
  std::string name;
  std::vector<double> x, y, low = {}, high = {};
  Ink ink = Ink::kMuted;
  int dash = 0;  ///< 0 = solid; further patterns tell muted lines apart
};

enum class ChartSize { kLarge, kSmall };

/// The y axis starts at the given bounds and grows to hold the data.
struct Chart {
  std::string title, description;
  std::string x_label;
  double y_min = 0, y_max = 0;
  bool is_share = true;  ///< values are shares, shown as percent
  ChartSize size = ChartSize::kLarge;
  std::vector<ChartSeries> series;
};

/// A figure element: the chart, a caption, the table of its numbers (thinned to 40 rows). `id` is unique in the page.
/// Names, labels and texts are escaped.
std::string chart_figure(const Chart& chart, const std::string& id, const std::string& caption);

/// One dot a run, a row an arm.
struct DotRow {
  std::string name;
  std::vector<double> values;             ///< shares, or differences of shares
  std::vector<std::string> value_labels;  ///< "seed 1: 72.7 %"; as long as `values`
  Ink ink = Ink::kMuted;
};
std::string dot_figure(const std::string& title, const std::string& description, const std::vector<DotRow>& rows,
                       const std::string& id, const std::string& caption);

/// Bounds and step of an axis with about `ticks` round labels that holds [low, high].
struct AxisTicks {
  double low = 0, high = 1, step = 0.25;
};
AxisTicks axis_ticks(double low, double high, int ticks);

}  // namespace plumbline
