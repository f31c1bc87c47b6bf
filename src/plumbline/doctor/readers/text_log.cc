#include "plumbline/doctor/readers/text_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "plumbline/base/error.h"
#include "plumbline/doctor/readers/completion_text.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMaxExcerpt = 300;

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

std::string excerpt(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first != line.npos) line.remove_prefix(first);
  return escape_control(line.substr(0, kMaxExcerpt));
}

/// "[rank0]: ", "(Worker pid=1) " and the like before the text of a line.
std::string_view without_prefix(std::string_view line) {
  if (line.starts_with("[rank")) {
    const size_t end = line.find("]: ");
    if (end != line.npos) return line.substr(end + 3);
  }
  if (line.starts_with("(") && holds(line.substr(0, 80), "pid=")) {
    const size_t end = line.find(") ");
    if (end != line.npos) return line.substr(end + 2);
  }
  return line;
}

/// "ValueError: ...", "torch.cuda.OutOfMemoryError: ...", "KeyboardInterrupt".
bool is_exception_line(std::string_view line) {
  size_t end = 0;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_' || line[end] == '.'))
    ++end;
  const std::string_view name = line.substr(0, end);
  const bool named = name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt") ||
                     name.ends_with("Exit") || name.ends_with("Failure");
  return named && (end == line.size() || line[end] == ':');
}

/// What a shell, an argument parser or a scheduler says of a command that did not run through.
bool is_failed_command(std::string_view line) {
  static constexpr std::array<std::string_view, 14> kSigns = {"error: unrecognized arguments",
                                                              "error: the following arguments are required",
                                                              ": error: argument ",
                                                              "error: invalid choice",
                                                              "error: ambiguous option",
                                                              "Segmentation fault",
                                                              ": command not found",
                                                              "slurmstepd: error:",
                                                              "srun: error:",
                                                              "torch.cuda.OutOfMemoryError",
                                                              "CUDA out of memory",
                                                              "config.unknown_key:",
                                                              "Error: No such option",
                                                              "Could not override '"};
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return holds(line, sign); });
}

bool reports_a_number(std::string_view line) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "pass@1", "pass_at_1", "accuracy", "exact_match", "mean_reward", "win_rate", "wrote report", "success rate"};
  const std::string text = lower(line);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return holds(text, word); });
}

/// The quoted names of "Target modules {'a', 'b'} not found".
std::vector<std::string> missing_targets(std::string_view line) {
  std::vector<std::string> names;
  const size_t begin = line.find("Target modules {"), end = line.find("} not found");
  if (begin == line.npos || end == line.npos || end < begin) return names;
  std::string_view list = line.substr(begin + 16, end - begin - 16);
  while (!list.empty()) {
    const size_t open = list.find_first_of("'\"");
    if (open == list.npos) break;
    const size_t close = list.find(list[open], open + 1);
    if (close == list.npos) break;
    names.emplace_back(list.substr(open + 1, close - open - 1));
    list.remove_prefix(close + 1);
  }
  return names;
}

/// "expert=0", "experts: 0", "0 expert modules", as words of their own.
bool says_no_expert(const std::string& text) {
  for (size_t at = text.find("expert"); at != std::string::npos; at = text.find("expert", at + 1)) {
    size_t end = at + 6;
    if (end < text.size() && text[end] == 's') ++end;
    size_t value = end;
    while (value < text.size() && (text[value] == ' ' || text[value] == '=' || text[value] == ':')) ++value;
    const bool zero_after = value > end && value < text.size() && text[value] == '0' &&
                            (value + 1 == text.size() ||
                             !(std::isalnum(static_cast<unsigned char>(text[value + 1])) || text[value + 1] == '.'));
    const bool zero_before =
        at >= 2 && text.compare(at - 2, 2, "0 ") == 0 &&
        (at == 2 || !(std::isalnum(static_cast<unsigned char>(text[at - 3])) || text[at - 3] == '.'));
    if (zero_after || zero_before) return true;
  }
  return false;
}

bool is_key_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '/' || letter == '@';
}

struct Figure {
  std::string_view key;
  double value;
};

/// The size of "nan", "inf" or "infinity" at the start of a text, in any case and with a sign; 0 where no such word is.
size_t size_of_nonfinite(std::string_view text) {
  size_t end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  while (end < text.size() && is_key_letter(text[end])) ++end;
  const std::string word = lower(text.substr(0, end));
  const size_t sign = word.find_first_not_of("+-");
  if (sign == std::string::npos) return 0;
  const std::string_view name = std::string_view(word).substr(sign);
  return name == "nan" || name == "inf" || name == "infinity" ? end : 0;
}

/// "key: 1.5", "'key': 1.5", "key=1.5", "key 1.5", "key: nan", wherever they stand in a line.
std::vector<Figure> figures_of(std::string_view line) {
  std::vector<Figure> figures;
  for (size_t at = 0; at < line.size();) {
    if (!std::isalpha(static_cast<unsigned char>(line[at]))) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < line.size() && (is_key_letter(line[at]) || ((line[at] == '-' || line[at] == '.') &&
                                                            at + 1 < line.size() && is_key_letter(line[at + 1]))))
      ++at;
    const std::string_view key = line.substr(begin, at - begin);
    size_t value = at;
    while (value < line.size() && std::string_view("'\" :=").find(line[value]) != std::string_view::npos) ++value;
    if (value == at || value - at > 6) continue;
    size_t end = value;
    while (end < line.size() && (std::isdigit(static_cast<unsigned char>(line[end])) ||
                                 std::string_view("+-.eE").find(line[end]) != std::string_view::npos))
      ++end;
    while (end > value &&
           (line[end - 1] == '.' || line[end - 1] == '-' || line[end - 1] == '+' || line[end - 1] == 'e'))
      --end;
    if (const auto number = number_of_text(line.substr(value, end - value))) {
      figures.push_back({key, *number});
      at = end;
    } else if (const size_t size = size_of_nonfinite(line.substr(value)); size > 0) {
      const size_t unsigned_begin = value + (line[value] == '+');
      figures.push_back(
          {key, nonfinite_of_text(line.substr(unsigned_begin, value + size - unsigned_begin)).value_or(NAN)});
      at = value + size;
    }
  }
  return figures;
}

}  // namespace

TextLogReader::TextLogReader(std::string where) : series_(where) {
  log_.where = std::move(where);
}

void TextLogReader::take(std::string_view whole) {
  ++log_.num_lines;
  const std::string_view line = without_prefix(whole);
  if (line.empty()) return;
  take_error(line);
  take_setup(line);
  take_teacher(line);
  if (take_figures(line) && log_.error_line > 0) ++num_steps_after_error_;
  const bool is_after_error = log_.error_line > 0 && log_.number_line == 0 && log_.error_line < log_.num_lines;
  const bool has_number = (is_after_error || !has_number_) && reports_a_number(line);
  has_number_ |= has_number;
  if (is_after_error && has_number) {
    log_.number_line = log_.num_lines;
    log_.number_after = excerpt(line);
  }
}

void TextLogReader::take_error(std::string_view line) {
  bool failed = is_failed_command(line);
  if (line.starts_with("Traceback (most recent call last)")) {
    in_traceback_ = true;
  } else if (in_traceback_ && line[0] != ' ' && line[0] != '\t') {
    failed |= is_exception_line(line);
    in_traceback_ = false;
  }
  if (!failed) return;
  log_.error = excerpt(line);
  log_.error_line = log_.num_lines;
  log_.number_line = 0;
  log_.number_after.clear();
  num_steps_after_error_ = 0;
}

void TextLogReader::take_setup(std::string_view line) {
  if (holds(line, "Target modules {")) {
    log_.missing_targets = missing_targets(line);
    log_.targets_line = log_.num_lines;
  }
  if (!holds(line, "xpert") && !holds(line, "XPERT") && !is_mixture_name(line)) return;
  const std::string text = lower(line);
  const bool about_adapters = holds(text, "lora") || holds(text, "adapter") || holds(text, "target");
  // "64 experts each", "num_experts: 8": a model that has experts.
  for (size_t at = text.find(" experts"); at != std::string::npos; at = text.find(" experts", at + 1)) {
    if (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1])) &&
        !(text[at - 1] == '0' && (at == 1 || text[at - 2] == ' ')))
      log_.is_mixture = true;
  }
  log_.is_mixture |= is_mixture_name(line);
  if (about_adapters && says_no_expert(text)) {
    if (log_.experts_line == 0) log_.experts_line = log_.num_lines;
    // A line of its own about experts without an adapter is written for a model that has some.
    log_.is_mixture |= holds(text, "warning") && holds(text, "0 expert");
  }
}

void TextLogReader::take_teacher(std::string_view line) {
  if (!holds(line, "eacher") && !holds(line, "kept") && !holds(line, "keep")) return;
  const std::string text = lower(line);
  if (holds(text, "teacher")) {
    if (holds(text, "call failed") || holds(text, "http 4") || holds(text, "http 5") || holds(text, "request failed")) {
      ++log_.num_teacher_failures;
    } else if (holds(text, "call ok") || holds(text, "http 200")) {
      ++log_.num_teacher_successes;
    }
  }
  for (const char* words : {"kept 0", "keep_rate=0", "keep rate 0", "keep rate: 0", "0 kept"}) {
    const size_t at = text.find(words);
    if (at == std::string::npos) continue;
    const size_t end = at + std::string_view(words).size();
    if (std::isdigit(static_cast<unsigned char>(at > 0 ? text[at - 1] : ' ')) ||
        (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))))
      continue;
    log_.teacher_line = log_.num_lines;
    log_.teacher_text = excerpt(line);
    return;
  }
}

bool TextLogReader::take_figures(std::string_view line) {
  if (!holds(line, "rew") && !holds(line, "clip") && !holds(line, "loss")) return false;
  const std::vector<Figure> figures = figures_of(line);
  int num_known = 0;
  bool has_loss = false;
  std::optional<double> step;
  for (const Figure& figure : figures) {
    num_known += !canonical_series(figure.key).empty();
    has_loss |= watched_kind(figure.key) == WatchedFigure::Kind::kLoss;
    if ((figure.key == "step" || figure.key == "global_step") && std::isfinite(figure.value)) step = figure.value;
  }
  const bool is_whole = num_known >= 2;
  if (!is_whole && !has_loss) return false;
  series_.begin_step(step);
  for (const Figure& figure : figures) {
    is_whole ? series_.add(figure.key, figure.value) : series_.watch(figure.key, figure.value);
  }
  return true;
}

bool TextLogReader::finish(Collector& out) {
  const bool is_known = has_number_ || !series_.empty() || log_.error_line > 0 || log_.targets_line > 0 ||
                        log_.is_mixture || log_.experts_line > 0 || log_.teacher_line > 0 ||
                        log_.num_teacher_failures > 0 || log_.num_teacher_successes > 0;
  if (num_steps_after_error_ > 0) {  // training went on: the error was handled
    log_.error.clear();
    log_.error_line = log_.number_line = 0;
  }
  if (!series_.empty()) out.evidence.logs.push_back(series_.take());
  out.evidence.texts.push_back(std::move(log_));
  return is_known;
}

bool read_text_log(const std::string& path, std::string head, ByteSource& source, Collector& out) {
  TextLogReader reader(path);
  for_each_line(std::move(head), source, [&](std::string_view line) { reader.take(line); });
  if (reader.finish(out)) return true;
  out.not_checked(path, "the whole file",
                  "text of no kind that doctor knows: no figure of a training, no error, no result");
  return false;
}

}  // namespace plumbline::doctor
