#include "plumbline/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plumbline/report/html_page.h"

namespace plumbline {
namespace {

constexpr double kWidth = 640, kHeight = 300, kLeft = 52, kRight = 150, kTop = 34, kBottom = 42;
constexpr int kTicks = 5;

struct Bounds {
  double x_min = 0, x_max = 1, y_min = 0, y_max = 1;

  double pixel_x(double x) const { return kLeft + (x - x_min) / (x_max - x_min) * (kWidth - kLeft - kRight); }
  double pixel_y(double y) const {
    return kHeight - kBottom - (y - y_min) / (y_max - y_min) * (kHeight - kTop - kBottom);
  }
};

Bounds bounds_of(const Chart& chart) {
  Bounds bounds{0, 1, chart.y_min, chart.y_max};
  for (const ChartSeries& series : chart.series) {
    for (const double x : series.x) bounds.x_max = std::max(bounds.x_max, x);
    for (const double y : series.y) {
      if (!std::isfinite(y)) continue;
      bounds.y_min = std::min(bounds.y_min, y);
      bounds.y_max = std::max(bounds.y_max, y);
    }
  }
  return bounds;
}

std::string axes(const Chart& chart, const Bounds& bounds) {
  std::string svg;
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double share = static_cast<double>(tick) / kTicks;
    const double y = bounds.y_min + share * (bounds.y_max - bounds.y_min);
    const double x = bounds.x_min + share * (bounds.x_max - bounds.x_min);
    svg += fmt::format("<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#ddd'/>", kLeft, kWidth - kRight,
                       bounds.pixel_y(y));
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{:.2g}</text>", kLeft - 6, bounds.pixel_y(y) + 4, y);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:.3g}</text>", bounds.pixel_x(x),
                       kHeight - kBottom + 16, x);
  }
  svg += fmt::format("<text x='{}' y='18' font-weight='bold'>{}</text>", kLeft, escape_html(chart.title));
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>", (kLeft + kWidth - kRight) / 2, kHeight - 8,
                     escape_html(chart.x_label));
  svg += fmt::format("<text transform='translate(13 {}) rotate(-90)' text-anchor='middle'>{}</text>", kHeight / 2,
                     escape_html(chart.y_label));
  return svg;
}

std::string line(const ChartSeries& series, const Bounds& bounds, const std::string& color) {
  std::string path;
  bool pen_down = false;
  for (size_t i = 0; i < series.x.size() && i < series.y.size(); ++i) {
    if (!std::isfinite(series.y[i])) {
      pen_down = false;
      continue;
    }
    path +=
        fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", bounds.pixel_x(series.x[i]), bounds.pixel_y(series.y[i]));
    pen_down = true;
  }
  return fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2'{}/>", path, color,
                     series.dashed ? " stroke-dasharray='5 4'" : "");
}

}  // namespace

std::string chart_color(size_t index) {
  static constexpr std::array<const char*, 7> kColors = {"#D55E00", "#0072B2", "#009E73", "#CC79A7",
                                                         "#E69F00", "#56B4E9", "#000000"};
  return kColors[index % kColors.size()];
}

std::string render_svg(const Chart& chart) {
  const Bounds bounds = bounds_of(chart);
  std::string svg = fmt::format(
      "<svg viewBox='0 0 {} {}' width='{}' role='img' font-family='sans-serif' font-size='12' "
      "xmlns='http://www.w3.org/2000/svg'>",
      kWidth, kHeight, kWidth);
  svg += axes(chart, bounds);
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const std::string color = chart_color(i);
    const double y = kTop + 10 + 18 * static_cast<double>(i);
    svg += line(chart.series[i], bounds, color);
    svg +=
        fmt::format("<line x1='{}' x2='{}' y1='{}' y2='{}' stroke='{}' stroke-width='3'{}/>", kWidth - kRight + 10,
                    kWidth - kRight + 30, y - 4, y - 4, color, chart.series[i].dashed ? " stroke-dasharray='5 4'" : "");
    svg += fmt::format("<text x='{}' y='{}'>{}</text>", kWidth - kRight + 36, y, escape_html(chart.series[i].name));
  }
  return svg + "</svg>";
}

}  // namespace plumbline
