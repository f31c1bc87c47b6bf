#include "plumbline/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "plumbline/report/html_page.h"

namespace plumbline {
namespace {

/// Pixels of the drawing; the page scales it to its column.
struct Frame {
  double width, height, left, right, top, bottom, label_gap;
  bool labels_lines;
};
constexpr Frame kLarge = {460, 330, 54, 112, 38, 46, 17, true};
constexpr Frame kSmall = {340, 196, 58, 14, 32, 42, 0, false};
constexpr size_t kMostTableRows = 40;
constexpr size_t kMostLabel = 13;
constexpr int kMostTicks = 20;  // numbers at the edge of what a double holds never end the loop

const char* class_of(Ink ink) {
  constexpr const char* kClasses[] = {"c-vanilla strong", "c-treated strong", "c-other1 strong", "c-other2 strong",
                                      "c-muted"};
  return kClasses[static_cast<size_t>(ink)];
}

const char* dash_of(int dash) {
  constexpr const char* kDashes[] = {"", " stroke-dasharray='7 4'", " stroke-dasharray='2 3'",
                                     " stroke-dasharray='9 3 2 3'", " stroke-dasharray='4 2'"};
  return kDashes[static_cast<size_t>(dash) % std::size(kDashes)];
}

std::string number_text(double value, bool is_share) {
  if (!std::isfinite(value)) return "";
  return is_share ? percent(value) : fmt::format("{:.4g}", value);
}

std::string tick_text(double value, bool is_share) {
  if (is_share) return fmt::format("{:.3g} %", 100 * value);
  return std::abs(value) < 1e-12 ? "0" : fmt::format("{:.4g}", value);
}

std::string shortened(const std::string& name) {
  return name.size() <= kMostLabel ? name : name.substr(0, kMostLabel - 1) + "…";
}

class Plot {
 public:
  explicit Plot(const Chart& chart) : chart_(chart), frame_(chart.size == ChartSize::kLarge ? kLarge : kSmall) {
    double y_low = chart.y_min, y_high = chart.y_max, x_high = 0;
    bool is_first = chart.y_min == chart.y_max;
    const auto hold = [&](double y) {
      if (!std::isfinite(y)) return;
      y_low = is_first ? y : std::min(y_low, y);
      y_high = is_first ? y : std::max(y_high, y);
      is_first = false;
    };
    for (const ChartSeries& series : chart.series) {
      for (const double x : series.x) x_high = std::max(x_high, std::isfinite(x) ? x : 0.0);
      for (const std::vector<double>* values : {&series.y, &series.low, &series.high}) {
        std::for_each(values->begin(), values->end(), hold);
      }
    }
    y_ = axis_ticks(y_low, y_high, chart.size == ChartSize::kLarge ? 4 : 3);
    x_ = axis_ticks(0, std::max(1.0, x_high), chart.size == ChartSize::kLarge ? 4 : 3);
    x_.high = std::max(1.0, x_high);
  }

  std::string svg(const std::string& id) const {
    std::string out = fmt::format(
        "<svg viewBox='0 0 {0} {1}' role='img' tabindex='0' aria-labelledby='{2}-t {2}-d' "
        "xmlns='http://www.w3.org/2000/svg'><title id='{2}-t'>{3}</title><desc id='{2}-d'>{4}</desc>",
        frame_.width, frame_.height, id, escape_html(chart_.title), escape_html(chart_.description));
    out += axes();
    // Muted lines first: what matters lies on top.
    for (const bool muted : {true, false}) {
      for (const ChartSeries& series : chart_.series) {
        if ((series.ink == Ink::kMuted) == muted) out += drawing(series);
      }
    }
    return out + (frame_.labels_lines ? labels() : "") + "</svg>";
  }

 private:
  double pixel_x(double x) const { return frame_.left + x / x_.high * (frame_.width - frame_.left - frame_.right); }
  double pixel_y(double y) const {
    return frame_.height - frame_.bottom -
           (y - y_.low) / (y_.high - y_.low) * (frame_.height - frame_.top - frame_.bottom);
  }

  std::string axes() const {
    const double right = frame_.width - frame_.right, base = frame_.height - frame_.bottom;
    std::string out = fmt::format("<text class='title' x='0' y='16'>{}</text>", escape_html(chart_.title));
    for (int i = 0; i <= kMostTicks && y_.low + i * y_.step <= y_.high + y_.step / 100; ++i) {
      const double y = y_.low + i * y_.step, at = pixel_y(y);
      out += fmt::format("<line class='rule' x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}'/>", frame_.left, right, at, at);
      out += fmt::format("<text class='axis' x='{}' y='{:.1f}' text-anchor='end'>{}</text>", frame_.left - 6, at + 4,
                         tick_text(y, chart_.is_share));
    }
    for (int i = 0; i <= kMostTicks && i * x_.step <= x_.high * 1.001; ++i) {
      const double x = i * x_.step;
      out += fmt::format("<text class='axis' x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:.6g}</text>", pixel_x(x),
                         base + 18, x);
    }
    return out + fmt::format("<text class='axis' x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>",
                             (frame_.left + right) / 2, frame_.height - 6, escape_html(chart_.x_label));
  }

  std::string drawing(const ChartSeries& series) const {
    return fmt::format("<g class='{}'>{}{}</g>", class_of(series.ink), band(series), line(series));
  }

  std::string line(const ChartSeries& series) const {
    std::string path;
    bool pen_down = false;
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      const bool is_there = std::isfinite(series.y[i]) && std::isfinite(series.x[i]);
      if (is_there)
        path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", pixel_x(series.x[i]), pixel_y(series.y[i]));
      pen_down = is_there;
    }
    return fmt::format("<path class='line' d='{}'{}><title>{}</title></path>", path, dash_of(series.dash),
                       escape_html(series.name));
  }

  /// One closed shape for every stretch without gaps.
  std::string band(const ChartSeries& series) const {
    const size_t size = std::min({series.x.size(), series.low.size(), series.high.size()});
    std::string out;
    for (size_t begin = 0, end = 0; begin < size; begin = end + 1) {
      end = begin;
      while (end < size && std::isfinite(series.low[end]) && std::isfinite(series.high[end])) ++end;
      if (end - begin < 2) continue;
      std::string path;
      for (size_t i = begin; i < end; ++i) {
        path += fmt::format("{}{:.1f} {:.1f}", i == begin ? "M" : "L", pixel_x(series.x[i]), pixel_y(series.high[i]));
      }
      for (size_t i = end; i-- > begin;)
        path += fmt::format("L{:.1f} {:.1f}", pixel_x(series.x[i]), pixel_y(series.low[i]));
      out += fmt::format("<path class='band' d='{}Z'/>", path);
    }
    return out;
  }

  /// Names beside the ends of their lines, pushed apart where they would overlap.
  std::string labels() const {
    struct Label {
      const ChartSeries* series;
      double x, y, at;
    };
    std::vector<Label> placed;
    for (const ChartSeries& series : chart_.series) {
      for (size_t i = std::min(series.x.size(), series.y.size()); i-- > 0;) {
        if (!std::isfinite(series.y[i])) continue;
        const double y = pixel_y(series.y[i]);
        placed.push_back({&series, pixel_x(series.x[i]), y, y});
        break;
      }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (size_t i = 1; i < placed.size(); ++i)
      placed[i].at = std::max(placed[i].at, placed[i - 1].at + frame_.label_gap);
    double limit = frame_.height - frame_.bottom + 6;
    for (size_t i = placed.size(); i-- > 0; limit -= frame_.label_gap) placed[i].at = std::min(placed[i].at, limit);
    std::string out;
    const double at_x = frame_.width - frame_.right + 16;
    for (const Label& label : placed) {
      out += fmt::format(
          "<g class='{}'><path class='leader' d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/>"
          "<text class='label' x='{:.1f}' y='{:.1f}'>{}</text></g>",
          class_of(label.series->ink), label.x + 2, label.y, at_x - 3, label.at, at_x, label.at + 4,
          escape_html(shortened(label.series->name)));
    }
    return out;
  }

  const Chart& chart_;
  const Frame frame_;
  AxisTicks x_, y_;
};

/// Steps down, series across; every n-th step where there are many.
std::string chart_table(const Chart& chart) {
  HtmlTable table{chart.title, {chart.x_label}, {}};
  std::map<double, std::vector<std::string>> rows;
  for (size_t column = 0; column < chart.series.size(); ++column) {
    const ChartSeries& series = chart.series[column];
    table.header.push_back(series.name + (chart.is_share ? ", %" : ""));
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      std::vector<std::string>& cells = rows[series.x[i]];
      cells.resize(chart.series.size());
      cells[column] = number_text(series.y[i], chart.is_share);
      if (i < series.low.size() && std::isfinite(series.low[i]) && series.low[i] != series.high[i]) {
        cells[column] += fmt::format(" ({}–{})", number_text(series.low[i], chart.is_share),
                                     number_text(series.high[i], chart.is_share));
      }
    }
  }
  const size_t every = (rows.size() + kMostTableRows - 1) / kMostTableRows;
  size_t index = 0;
  for (const auto& [x, cells] : rows) {
    const bool is_shown = index % every == 0 || index + 1 == rows.size();
    ++index;
    if (!is_shown) continue;
    table.rows.push_back({fmt::format("{:.6g}", x)});
    table.rows.back().insert(table.rows.back().end(), cells.begin(), cells.end());
  }
  const std::string summary = every > 1 ? fmt::format("Numbers (one step in {})", every) : "Numbers";
  return details_markup(summary, table.markup());
}

std::string figure(const std::string& svg, const std::string& caption, const std::string& table) {
  return "<figure>" + svg + (caption.empty() ? "" : "<figcaption>" + escape_html(caption) + "</figcaption>") + table +
         "</figure>\n";
}

}  // namespace

AxisTicks axis_ticks(double low, double high, int ticks) {
  if (!(high > low)) high = low + (low == 0 ? 1 : std::abs(low) * 0.1);
  const double rough = (high - low) / ticks, scale = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * scale;
  for (const double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * scale >= rough * 0.999) step = factor * scale;
  }
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

std::string chart_figure(const Chart& chart, const std::string& id, const std::string& caption) {
  return figure(Plot(chart).svg(id), caption, chart_table(chart));
}

std::string dot_figure(const std::string& title, const std::string& description, const std::vector<DotRow>& rows,
                       const std::string& id, const std::string& caption) {
  constexpr double kWidth = 460, kLeft = 110, kRight = 26, kTop = 36, kRow = 26;
  const double height = kTop + kRow * static_cast<double>(rows.size()) + 26, base = height - 26;
  double least = 0, most = 0.1;
  for (const DotRow& row : rows) {
    for (const double value : row.values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  const AxisTicks axis = axis_ticks(least, most, 4);
  const auto pixel = [&](double value) {
    return kLeft + (value - axis.low) / (axis.high - axis.low) * (kWidth - kLeft - kRight);
  };
  std::string svg = fmt::format(
      "<svg viewBox='0 0 {0} {1}' role='img' tabindex='0' aria-labelledby='{2}-t {2}-d' "
      "xmlns='http://www.w3.org/2000/svg'><title id='{2}-t'>{3}</title><desc id='{2}-d'>{4}</desc>"
      "<text class='title' x='0' y='16'>{3}</text>",
      kWidth, height, id, escape_html(title), escape_html(description));
  for (int i = 0; axis.low + i * axis.step <= axis.high + 0.001 * axis.step; ++i) {
    const double exact = axis.low + i * axis.step, tick = std::abs(exact) < 1e-9 * axis.step ? 0 : exact;
    svg += fmt::format(
        "<line class='rule' x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}'/>"
        "<text class='axis' x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>",
        pixel(tick), kTop - 6, base, base + 17, tick_text(tick, true));
  }
  HtmlTable table{title, {"arm", "runs"}, {}};
  for (size_t i = 0; i < rows.size(); ++i) {
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    svg += fmt::format("<g class='{}'><text class='label' x='{}' y='{:.1f}' text-anchor='end'>{}</text>",
                       class_of(rows[i].ink), kLeft - 10, y + 4, escape_html(shortened(rows[i].name)));
    std::string all;
    for (size_t k = 0; k < rows[i].values.size(); ++k) {
      svg += fmt::format("<circle class='{}' cx='{:.1f}' cy='{:.1f}' r='{}'><title>{}</title></circle>",
                         rows[i].ink == Ink::kMuted ? "open" : "dot", pixel(rows[i].values[k]), y, 5.5,
                         escape_html(rows[i].name + ", " + rows[i].value_labels[k]));
      all += (all.empty() ? "" : "; ") + rows[i].value_labels[k];
    }
    svg += "</g>";
    table.rows.push_back({rows[i].name, all});
  }
  return figure(svg + "</svg>", caption, details_markup("Numbers", table.markup()));
}

}  // namespace plumbline
