#include "plumbline/text/jinja/filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "plumbline/text/jinja/html.h"
#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_string.h"
#include "plumbline/text/jinja/python_text.h"
#include "plumbline/text/jinja/tests.h"
#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

using Filter = Value (*)(Runtime&, const Value&, const Arguments&);
using Bound = std::vector<std::optional<Value>>;

bool is_given(const std::optional<Value>& value) {
  return value && !value->is(Kind::kNone);
}
bool flag(const std::optional<Value>& value) {
  return value && is_true(*value);
}

/// value.a.0.b of a dotted path, as the filters' `attribute` arguments mean it.
Value attribute_path(Runtime& runtime, Value value, const Value& path) {
  if (path.is_integer()) return subscript(runtime, value, path);
  const std::string text = to_text(runtime, path);
  const std::string dot = ".";
  for (const std::string& part : python_split(text, &dot, -1)) {
    const bool is_index = !part.empty() && part.size() < 10 &&
                          std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    value = subscript(runtime, value, is_index ? Value(static_cast<int64_t>(std::stoll(part))) : Value(part));
  }
  return value;
}

// --- text ---

Value trim(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "trim", {"chars"});
  const std::string characters = is_given(bound[0]) ? to_text(runtime, *bound[0]) : "";
  return runtime.text(python_strip(to_text(runtime, value), true, true, is_given(bound[0]) ? &characters : nullptr),
                      value.is_safe());
}

Value replace(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "replace", {"old", "new", "count"});
  if (!bound[0] || !bound[1]) fail("TypeError", "do_replace() missing required arguments");
  const std::string text = to_text(runtime, value), from = to_text(runtime, *bound[0]),
                    to = to_text(runtime, *bound[1]);
  runtime.charge_text((text.size() / std::max<size_t>(from.size(), 1) + 1) * to.size());
  const int64_t count = is_given(bound[2]) ? require_integer(*bound[2], "count") : -1;
  return runtime.text(python_replace(text, from, to, count));
}

/// Every word with a capital; words begin behind white space, - ( { [ and <.
Value title(Runtime& runtime, const Value& value, const Arguments&) {
  std::string out, word;
  const auto flush = [&] {
    out += python_capitalize(word);
    word.clear();
  };
  const std::string text = to_text(runtime, value);
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool separates = is_python_space(c) ||
                           (c < 0x80 && std::string_view("-({[<").find(static_cast<char>(c)) != std::string_view::npos);
    if (separates) {
      flush();
      out.append(text, begin, at - begin);
    } else {
      word.append(text, begin, at - begin);
    }
  }
  flush();
  return runtime.text(std::move(out));
}

Value indent(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "indent", {"width", "first", "blank"});
  std::string indention(4, ' ');
  if (bound[0] && bound[0]->is(Kind::kString)) {
    indention = bound[0]->text();
  } else if (bound[0]) {
    const int64_t width = std::max<int64_t>(require_integer(*bound[0], "width"), 0);
    runtime.charge_text(static_cast<size_t>(width));
    indention.assign(static_cast<size_t>(width), ' ');
  }
  const auto lines = python_splitlines(to_text(runtime, value) + "\n", false);
  runtime.charge_text(lines.size() * indention.size());
  std::string out = flag(bound[1]) ? indention : "";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i) out += "\n" + (lines[i].empty() && !flag(bound[2]) ? "" : indention);
    out += lines[i];
  }
  return runtime.text(std::move(out));
}

Value join(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "join", {"d", "attribute"});
  const std::string separator = bound[0] ? to_text(runtime, *bound[0]) : "";
  std::string out;
  bool is_first = true;
  for (const Value& item : items_of(runtime, value)) {
    if (!is_first) out += separator;
    is_first = false;
    out += to_text(runtime, is_given(bound[1]) ? attribute_path(runtime, item, *bound[1]) : item);
    if (out.size() > kMaxTextBytes) runtime.charge_text(out.size());
  }
  return runtime.text(std::move(out));
}

std::string json_indent(Runtime& runtime, const Value& indent) {
  if (indent.is(Kind::kString)) return indent.text();
  const int64_t width = std::max<int64_t>(require_integer(indent, "indent"), 0);
  runtime.charge_text(static_cast<size_t>(width));
  return std::string(static_cast<size_t>(width), ' ');
}

/// transformers' own: json.dumps without HTML escapes.
Value tojson(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = flag(bound[0]);
  style.sort_keys = flag(bound[3]);
  if (is_given(bound[1])) {
    style.has_indent = true;
    style.indent = json_indent(runtime, *bound[1]);
    style.item_separator = ",";
  }
  if (is_given(bound[2])) {
    const std::vector<Value> separators = items_of(runtime, *bound[2]);
    if (separators.size() != 2) fail("ValueError", "separators must be two strings");
    style.item_separator = to_text(runtime, separators[0]);
    style.key_separator = to_text(runtime, separators[1]);
  }
  return runtime.text(to_json(runtime, value, style));
}

// --- numbers ---

/// Digits as Python's int() and float() take them: white space around, single underscores between digits.
std::string number_text(const std::string& text) {
  const std::string stripped = python_strip(text, true, true);
  std::string out;
  for (size_t i = 0; i < stripped.size(); ++i) {
    const bool between = stripped[i] == '_' && i > 0 && i + 1 < stripped.size() &&
                         std::isdigit(static_cast<unsigned char>(stripped[i - 1])) &&
                         std::isdigit(static_cast<unsigned char>(stripped[i + 1]));
    if (!between) out += stripped[i];
  }
  return out.starts_with('+') && !out.starts_with("+-") ? out.substr(1) : out;
}

std::optional<double> parse_float(const std::string& text) {
  const std::string digits = number_text(text);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) fail_unsupported("a float beyond the range of doubles");
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> truncated(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::abs(value) >= 9.2e18) fail_unsupported("an integer beyond 64 bits");
  return static_cast<int64_t>(value);
}

std::optional<int64_t> to_integer(const Value& value) {
  if (value.is_integer()) return value.integer();
  if (value.is(Kind::kFloat)) return truncated(value.real());
  if (!value.is(Kind::kString)) return std::nullopt;
  const std::string digits = number_text(value.text());
  int64_t parsed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (error == std::errc::result_out_of_range) fail_unsupported("an integer beyond 64 bits");
  if (error == std::errc() && end == digits.data() + digits.size()) return parsed;
  const auto real = parse_float(value.text());
  return real ? truncated(*real) : std::nullopt;
}

Value to_int(Runtime&, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "int", {"default", "base"});
  if (bound[1] && require_integer(*bound[1], "base") != 10) fail_unsupported("int with another base than 10");
  require_defined(value);
  if (const auto number = to_integer(value)) return Value(*number);
  return bound[0] ? *bound[0] : Value(int64_t{0});
}

Value to_float(Runtime&, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "float", {"default"});
  require_defined(value);
  if (value.is_number()) return Value(value.real());
  if (value.is(Kind::kString)) {
    if (const auto number = parse_float(value.text())) return Value(*number);
  }
  return bound[0] ? *bound[0] : Value(0.0);
}

Value absolute(Runtime&, const Value& value, const Arguments&) {
  require_defined(value);
  if (!value.is_number()) fail("TypeError", fmt::format("bad operand type for abs(): '{}'", type_name(value)));
  if (value.is(Kind::kFloat)) return Value(std::abs(value.real()));
  return value.integer() < 0 ? negate(value) : Value(value.integer());
}

Value round_number(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "round", {"precision", "method"});
  require_defined(value);
  if (!value.is_number()) fail("TypeError", fmt::format("type {} doesn't define __round__ method", type_name(value)));
  const int64_t precision = bound[0] ? require_integer(*bound[0], "precision") : 0;
  if (precision < 0 || precision > 100) fail_unsupported("round with this precision");
  const std::string method = bound[1] ? to_text(runtime, *bound[1]) : "common";
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (method == "ceil") return Value(std::ceil(value.real() * scale) / scale);
  if (method == "floor") return Value(std::floor(value.real() * scale) / scale);
  if (method != "common") fail("FilterArgumentError", "method must be common, ceil or floor");
  if (value.is_integer()) return Value(value.integer());
  return Value(std::strtod(fmt::format("{:.{}f}", value.real(), precision).c_str(), nullptr));
}

// --- sequences ---

Value first(Runtime& runtime, const Value& value, const Arguments&) {
  const std::vector<Value> items = items_of(runtime, value);
  return items.empty() ? Value::undefined("No first item, sequence was empty.") : items.front();
}

Value last(Runtime& runtime, const Value& value, const Arguments&) {
  if (value.is(Kind::kList) && value.list().kind == ListKind::kGenerator) {
    fail("TypeError", "'generator' object is not reversible");
  }
  const std::vector<Value> items = items_of(runtime, value);
  return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Value reverse(Runtime& runtime, const Value& value, const Arguments&) {
  if (value.is(Kind::kString)) {
    std::u32string characters = to_code_points(value.text());
    std::reverse(characters.begin(), characters.end());
    return runtime.text(to_utf8(characters));
  }
  std::vector<Value> items = items_of(runtime, value);
  std::reverse(items.begin(), items.end());
  const bool becomes_list = value.is(Kind::kList) && value.list().kind == ListKind::kGenerator;
  return runtime.list(std::move(items), becomes_list ? ListKind::kList : ListKind::kGenerator);
}

Value items(Runtime& runtime, const Value& value, const Arguments&) {
  if (value.is(Kind::kUndefined)) return runtime.list({}, ListKind::kGenerator);
  if (!value.is(Kind::kDict)) fail("TypeError", "Can only get item pairs from a mapping.");
  std::vector<Value> pairs;
  for (const auto& [key, member] : value.dict().entries) pairs.push_back(runtime.list({key, member}, ListKind::kTuple));
  return runtime.list(std::move(pairs), ListKind::kGenerator);
}

/// What sorting looks at: an attribute, strings in lower case unless case matters.
Value sort_key(Runtime& runtime, const Value& item, const std::optional<Value>& path, bool case_sensitive) {
  Value key = is_given(path) ? attribute_path(runtime, item, *path) : item;
  if (key.is(Kind::kString) && !case_sensitive) return runtime.text(python_lower(key.text()));
  return key;
}

/// Stable, and stable in reverse too, as Python's.
std::vector<Value> sorted_by(Runtime& runtime, const std::vector<Value>& items, const std::vector<Value>& keys,
                             bool reversed) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return reversed ? less_than(runtime, keys[b], keys[a]) : less_than(runtime, keys[a], keys[b]);
  });
  std::vector<Value> out;
  for (const size_t i : order) out.push_back(items[i]);
  return out;
}

Value sort(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "sort", {"reverse", "case_sensitive", "attribute"});
  const std::vector<Value> items = items_of(runtime, value);
  if (is_given(bound[2]) && to_text(runtime, *bound[2]).find(',') != std::string::npos) {
    fail_unsupported("sort by several attributes");
  }
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(sort_key(runtime, item, bound[2], flag(bound[1])));
  return runtime.list(sorted_by(runtime, items, keys, flag(bound[0])));
}

Value dictsort(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "dictsort", {"case_sensitive", "by", "reverse"});
  require_defined(value);
  if (!value.is(Kind::kDict)) fail("TypeError", "dictsort takes a mapping");
  const std::string by = bound[1] ? to_text(runtime, *bound[1]) : "key";
  if (by != "key" && by != "value") fail("FilterArgumentError", "You can only sort by either \"key\" or \"value\"");
  std::vector<Value> pairs, keys;
  for (const auto& [key, member] : value.dict().entries) {
    pairs.push_back(runtime.list({key, member}, ListKind::kTuple));
    keys.push_back(sort_key(runtime, by == "key" ? key : member, std::nullopt, flag(bound[0])));
  }
  return runtime.list(sorted_by(runtime, pairs, keys, flag(bound[2])));
}

Value extreme(Runtime& runtime, const Value& value, const Arguments& arguments, bool greatest) {
  const Bound bound = bind(arguments, greatest ? "max" : "min", {"case_sensitive", "attribute"});
  const std::vector<Value> items = items_of(runtime, value);
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  size_t best = 0;
  Value best_key = sort_key(runtime, items[0], bound[1], flag(bound[0]));
  for (size_t i = 1; i < items.size(); ++i) {
    Value key = sort_key(runtime, items[i], bound[1], flag(bound[0]));
    if (greatest ? less_than(runtime, best_key, key) : less_than(runtime, key, best_key)) {
      best = i;
      best_key = std::move(key);
    }
  }
  return items[best];
}

Value sum(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "sum", {"attribute", "start"});
  Value total = bound[1] ? *bound[1] : Value(int64_t{0});
  for (const Value& item : items_of(runtime, value)) {
    total = arithmetic(runtime, "+", total, is_given(bound[0]) ? attribute_path(runtime, item, *bound[0]) : item);
  }
  return total;
}

Value unique(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "unique", {"case_sensitive", "attribute"});
  auto* seen = runtime.make<DictObject>();
  std::vector<Value> out;
  for (const Value& item : items_of(runtime, value)) {
    const Value key = sort_key(runtime, item, bound[1], flag(bound[0]));
    if (seen->find(key)) continue;
    runtime.step(key.is(Kind::kString) ? 1 : seen->entries.size());
    seen->set(key, Value(true));
    out.push_back(item);
  }
  return runtime.list(std::move(out), ListKind::kGenerator);
}

Value map(Runtime& runtime, const Value& value, const Arguments& arguments) {
  std::vector<Value> out;
  if (!is_true(value)) return runtime.list({}, ListKind::kGenerator);  // None too, as in Jinja
  if (arguments.positional.empty()) {
    const Bound bound = bind(arguments, "map", {"attribute", "default"});
    if (!bound[0]) fail("FilterArgumentError", "map requires a filter argument");
    for (const Value& item : items_of(runtime, value)) {
      Value found = attribute_path(runtime, item, *bound[0]);
      out.push_back(found.is(Kind::kUndefined) && bound[1] ? *bound[1] : found);
    }
  } else {
    const std::string name = to_text(runtime, arguments.positional[0]);
    Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.named};
    for (const Value& item : items_of(runtime, value)) out.push_back(apply_filter(runtime, name, item, rest));
  }
  return runtime.list(std::move(out), ListKind::kGenerator);
}

/// select, reject, selectattr and rejectattr: items for which a test (truth without one) gives `wanted`.
Value filter_items(Runtime& runtime, const Value& value, const Arguments& arguments, bool by_attribute, bool wanted) {
  const size_t name_at = by_attribute ? 1 : 0;
  if (!is_true(value)) return runtime.list({}, ListKind::kGenerator);
  if (arguments.positional.size() < name_at) fail("FilterArgumentError", "Missing parameter for attribute name");
  const bool has_test = arguments.positional.size() > name_at;
  const std::string test = has_test ? to_text(runtime, arguments.positional[name_at]) : "";
  Arguments rest;
  if (has_test) rest = {{arguments.positional.begin() + name_at + 1, arguments.positional.end()}, arguments.named};
  std::vector<Value> out;
  for (const Value& item : items_of(runtime, value)) {
    const Value subject = by_attribute ? attribute_path(runtime, item, arguments.positional[0]) : item;
    const bool holds = has_test ? apply_test(runtime, test, subject, rest) : is_true(subject);
    if (holds == wanted) out.push_back(item);
  }
  return runtime.list(std::move(out), ListKind::kGenerator);
}

Value batch(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "batch", {"linecount", "fill_with"});
  if (!bound[0]) fail("TypeError", "do_batch() missing 1 required positional argument: 'linecount'");
  const int64_t size = require_integer(*bound[0], "linecount");
  std::vector<Value> rows, row;
  for (const Value& item : items_of(runtime, value)) {
    if (static_cast<int64_t>(row.size()) == size) {
      rows.push_back(runtime.list(std::move(row)));
      row.clear();
    }
    row.push_back(item);
  }
  if (!row.empty()) {
    if (is_given(bound[1])) {
      runtime.step(static_cast<size_t>(std::clamp<int64_t>(size, 0, kMaxSteps)));
      while (static_cast<int64_t>(row.size()) < size) row.push_back(*bound[1]);
    }
    rows.push_back(runtime.list(std::move(row)));
  }
  return runtime.list(std::move(rows), ListKind::kGenerator);
}

/// Runs of word characters, as Python's re counts them.
Value word_count(Runtime& runtime, const Value& value, const Arguments&) {
  int64_t count = 0;
  bool inside = false;
  const std::string text = to_text(runtime, value);
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool is_inside = c == '_' || is_python_alnum(c);
    count += is_inside && !inside;
    inside = is_inside;
  }
  return Value(count);
}

Value otherwise(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound = bind(arguments, "default", {"default_value", "boolean"});
  const bool absent = value.is(Kind::kUndefined) || (flag(bound[1]) && !is_true(value));
  if (!absent) return value;
  return bound[0] ? *bound[0] : runtime.text("");
}

Value as_text(Runtime& runtime, const Value& value, const Arguments&) {
  return value.is(Kind::kString) ? value : runtime.text(to_text(runtime, value));
}

Value escape(Runtime& runtime, const Value& value, const Arguments&) {
  if (value.is_safe()) return value;
  const std::string text = to_text(runtime, value);
  runtime.charge_text(text.size() * 5);
  return runtime.text(escape_html(text), true);
}

Value length(Runtime& runtime, const Value& value, const Arguments&) {
  if (value.is(Kind::kString)) runtime.step(value.text().size() / 64 + 1);
  return Value(length_of(value));
}

const std::unordered_map<std::string, Filter>& table() {
  static const std::unordered_map<std::string, Filter> filters = {
      {"abs", absolute},
      {"batch", batch},
      {"center",
       [](Runtime& r, const Value& v, const Arguments& a) {
         const Bound bound = bind(a, "center", {"width"});
         const int64_t width = bound[0] ? require_integer(*bound[0], "width") : 80;
         r.charge_text(static_cast<size_t>(std::max<int64_t>(width, 0)));
         return r.text(python_pad(to_text(r, v), width, U' ', Padding::kCenter));
       }},
      {"forceescape",
       [](Runtime& r, const Value& v, const Arguments&) {
         const std::string text = to_text(r, v);
         r.charge_text(text.size() * 5);
         return r.text(escape_html(text), true);
       }},
      {"wordcount", word_count},
      {"capitalize",
       [](Runtime& r, const Value& v, const Arguments&) { return r.text(python_capitalize(to_text(r, v))); }},
      {"count", length},
      {"d", otherwise},
      {"default", otherwise},
      {"dictsort", dictsort},
      {"e", escape},
      {"escape", escape},
      {"first", first},
      {"float", to_float},
      {"indent", indent},
      {"int", to_int},
      {"items", items},
      {"join", join},
      {"last", last},
      {"length", length},
      {"list", [](Runtime& r, const Value& v, const Arguments&) { return r.list(items_of(r, v)); }},
      {"lower", [](Runtime& r, const Value& v, const Arguments&) { return r.text(python_lower(to_text(r, v))); }},
      {"map", map},
      {"max", [](Runtime& r, const Value& v, const Arguments& a) { return extreme(r, v, a, true); }},
      {"min", [](Runtime& r, const Value& v, const Arguments& a) { return extreme(r, v, a, false); }},
      {"reject", [](Runtime& r, const Value& v, const Arguments& a) { return filter_items(r, v, a, false, false); }},
      {"rejectattr", [](Runtime& r, const Value& v, const Arguments& a) { return filter_items(r, v, a, true, false); }},
      {"replace", replace},
      {"reverse", reverse},
      {"round", round_number},
      {"safe", [](Runtime& r, const Value& v, const Arguments&) { return r.text(to_text(r, v), true); }},
      {"select", [](Runtime& r, const Value& v, const Arguments& a) { return filter_items(r, v, a, false, true); }},
      {"selectattr", [](Runtime& r, const Value& v, const Arguments& a) { return filter_items(r, v, a, true, true); }},
      {"sort", sort},
      {"string", as_text},
      {"sum", sum},
      {"title", title},
      {"tojson", tojson},
      {"trim", trim},
      {"unique", unique},
      {"upper", [](Runtime& r, const Value& v, const Arguments&) { return r.text(python_upper(to_text(r, v))); }},
  };
  return filters;
}

}  // namespace

namespace {

/// Jinja has it and we do not: refused where it is used.
bool is_unsupported_filter(const std::string& name) {
  static const std::unordered_set<std::string> names = {
      "attr",      "filesizeformat", "format",    "groupby", "pprint",   "random", "slice",
      "striptags", "truncate",       "urlencode", "urlize",  "wordwrap", "xmlattr"};
  return names.count(name) > 0;
}

}  // namespace

bool is_known_filter(const std::string& name) {
  return table().count(name) > 0 || is_unsupported_filter(name);
}

Value apply_filter(Runtime& runtime, const std::string& name, const Value& subject, const Arguments& arguments) {
  const auto found = table().find(name);
  if (found == table().end() && is_unsupported_filter(name)) fail_unsupported(fmt::format("the filter {}", name));
  if (found == table().end()) fail("TemplateRuntimeError", fmt::format("No filter named '{}' found.", name));
  return found->second(runtime, subject, arguments);
}

}  // namespace plumbline::jinja
