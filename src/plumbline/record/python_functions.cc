#include "plumbline/record/python_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_numbers.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
using Maybe = std::optional<PythonValue>;
using Values = std::vector<PythonValue>;

PythonValue boolean(bool value) {
  return PythonValue::of_bool(value);
}
PythonValue integer(size_t value) {
  return PythonValue::of_int(std::to_string(value));
}
bool is_sequence(const PythonValue& value) {
  return value.is(Kind::kList) || value.is(Kind::kTuple);
}
bool is_set(const PythonValue& value) {
  return value.is(Kind::kSet) || value.is(Kind::kFrozenset);
}
bool is_whole(const PythonValue& value) {
  return value.is(Kind::kInt) || value.is(Kind::kBool);
}

bool equal(const PythonValue& a, const PythonValue& b) {
  if (is_sequence(a)) {
    return a.kind == b.kind && std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), equal);
  }
  return python_equality_key(a) == python_equality_key(b);
}

/// A small int; unset for others.
std::optional<int64_t> small_integer(const PythonValue& value) {
  const PythonValue number = without_bool(value);
  if (!number.is(Kind::kInt) || number.text.size() > 9) return std::nullopt;
  return std::stoll(number.text);
}

/// The characters of a string, one string each.
Values characters(const std::string& text) {
  Values result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    result.push_back(PythonValue::of_str(text.substr(i, end - i)));
    i = end;
  }
  return result;
}

/// Sorted as list.sort does; unset where a comparison raises. nan makes the order depend on the algorithm: unset too.
std::optional<Values> sorted_values(Values items, bool reverse) {
  const auto is_nan = [](const PythonValue& v) { return v.is(Kind::kFloat) && std::isnan(v.real); };
  if (std::any_of(items.begin(), items.end(), is_nan)) return std::nullopt;
  bool comparable = true;
  const auto less = [&](const PythonValue& a, const PythonValue& b) {
    const auto result = is_less(a, b);
    comparable &= result.has_value();
    return result.value_or(false);
  };
  for (size_t i = 0; i + 1 < items.size() && comparable; ++i) less(items[i], items[i + 1]);
  if (!comparable) return std::nullopt;
  if (reverse) std::reverse(items.begin(), items.end());  // equal elements keep their order, as in Python
  std::stable_sort(items.begin(), items.end(), less);
  if (reverse) std::reverse(items.begin(), items.end());
  return comparable ? std::optional(std::move(items)) : std::nullopt;
}

double keyword_number(const PythonArguments& arguments, const char* name, double otherwise) {
  const auto found = arguments.keywords.find(name);
  return found == arguments.keywords.end() ? otherwise : number_as_double(found->second).value_or(NAN);
}

/// |a - b| within max(rel * larger or rel * |b|, abs), as math.isclose and pytest.approx have it.
bool within(double a, double b, double relative_to, double rel, double abs) {
  if (a == b) return true;
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || std::isinf(b)) return false;
  return std::fabs(a - b) <= std::max(rel * relative_to, abs);
}

Maybe math_isclose(const PythonArguments& arguments) {
  const auto a = number_as_double(arguments.positional[0]), b = number_as_double(arguments.positional[1]);
  if (!a || !b) return std::nullopt;
  const double larger = std::max(std::fabs(*a), std::fabs(*b));
  return boolean(
      within(*a, *b, larger, keyword_number(arguments, "rel_tol", 1e-9), keyword_number(arguments, "abs_tol", 0)));
}

/// numpy.allclose of numbers and of sequences of one shape.
std::optional<bool> all_close(const PythonValue& a, const PythonValue& b, double rtol, double atol) {
  if (is_sequence(a) && is_sequence(b)) {
    if (a.items.size() != b.items.size()) return std::nullopt;
    bool close = true;
    for (size_t i = 0; i < a.items.size(); ++i) {
      const auto one = all_close(a.items[i], b.items[i], rtol, atol);
      if (!one) return std::nullopt;
      close &= *one;
    }
    return close;
  }
  if (is_sequence(a) || is_sequence(b)) {  // a number beside a sequence is taken for each element
    const PythonValue& sequence = is_sequence(a) ? a : b;
    bool close = true;
    for (const PythonValue& item : sequence.items) {
      const auto one = is_sequence(a) ? all_close(item, b, rtol, atol) : all_close(a, item, rtol, atol);
      if (!one) return std::nullopt;
      close &= *one;
    }
    return close;
  }
  const auto x = number_as_double(a), y = number_as_double(b);
  if (!x || !y) return std::nullopt;
  if (*x == *y) return true;
  if (!std::isfinite(*x) || !std::isfinite(*y)) return false;
  return std::fabs(*x - *y) <= atol + rtol * std::fabs(*y);
}

std::optional<bool> approximately(const PythonValue& tested, const PythonValue& expected, double rel, double abs) {
  if (is_python_number(tested) && is_python_number(expected) && !expected.is(Kind::kBool)) {
    if (equal(tested, expected)) return !(expected.is(Kind::kFloat) && std::isnan(expected.real));
    const auto a = number_as_double(tested), b = number_as_double(expected);
    return a && b && within(*a, *b, std::fabs(*b), rel, abs);
  }
  if (is_sequence(expected)) {
    if (!is_sequence(tested) || tested.items.size() != expected.items.size()) return false;
    for (size_t i = 0; i < tested.items.size(); ++i) {
      const auto close = approximately(tested.items[i], expected.items[i], rel, abs);
      if (!close || !*close) return close;
    }
    return true;
  }
  if (expected.is(Kind::kDict)) {
    if (!tested.is(Kind::kDict) || tested.entries.size() != expected.entries.size()) return false;
    std::map<std::string, const PythonValue*> wanted;
    for (const auto& [key, item] : expected.entries) wanted[python_equality_key(key)] = &item;
    for (const auto& [key, item] : tested.entries) {
      const auto at = wanted.find(python_equality_key(key));
      if (at == wanted.end()) return false;
      const auto close = approximately(item, *at->second, rel, abs);
      if (!close || !*close) return close;
    }
    return true;
  }
  return is_set(expected) ? std::nullopt : std::optional(equal(tested, expected));
}

Maybe length(const PythonValue& value) {
  if (value.is(Kind::kDict)) return integer(value.entries.size());
  if (value.is(Kind::kStr)) return integer(characters(value.text).size());
  return is_sequence(value) || is_set(value) ? Maybe(integer(value.items.size())) : std::nullopt;
}

Maybe sum_of(const PythonArguments& arguments) {
  const auto items = items_of(arguments.positional[0]);
  if (!items) return std::nullopt;
  Maybe total = arguments.positional.size() > 1        ? arguments.positional[1]
                : arguments.keywords.contains("start") ? arguments.keywords.at("start")
                                                       : PythonValue::of_int("0");
  if (total->is(Kind::kStr)) return std::nullopt;
  for (const PythonValue& item : *items) {
    total = binary_operation("+", *total, item);
    if (!total) return std::nullopt;
  }
  return total;
}

Maybe extreme_of(const PythonArguments& arguments, bool largest) {
  const auto items =
      arguments.positional.size() == 1 ? items_of(arguments.positional[0]) : std::optional(arguments.positional);
  if (!items || items->empty()) return std::nullopt;
  const PythonValue* best = &items->front();
  for (size_t i = 1; i < items->size(); ++i) {
    const auto better = largest ? is_less(*best, (*items)[i]) : is_less((*items)[i], *best);
    if (!better) return std::nullopt;
    if (*better) best = &(*items)[i];
  }
  return *best;
}

Maybe range_of(const PythonArguments& arguments) {
  std::vector<int64_t> bounds;
  for (const PythonValue& bound : arguments.positional) {
    const auto number = small_integer(bound);
    if (!number) return std::nullopt;
    bounds.push_back(*number);
  }
  const int64_t begin = bounds.size() > 1 ? bounds[0] : 0, end = bounds.size() > 1 ? bounds[1] : bounds[0];
  const int64_t step = bounds.size() > 2 ? bounds[2] : 1;
  if (step == 0 || (step > 0 ? (end - begin) / step : (begin - end) / -step) > static_cast<int64_t>(kMaxElements)) {
    return std::nullopt;
  }
  Values items;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    items.push_back(PythonValue::of_int(std::to_string(i)));
  return PythonValue::of_items(Kind::kList, std::move(items));
}

Maybe zip_of(const PythonArguments& arguments) {
  std::vector<Values> columns;
  size_t rows = kMaxElements;
  for (const PythonValue& argument : arguments.positional) {
    auto items = items_of(argument);
    if (!items) return std::nullopt;
    rows = std::min(rows, items->size());
    columns.push_back(std::move(*items));
  }
  Values tuples;
  for (size_t i = 0; i < rows; ++i) {
    Values row;
    for (const Values& column : columns) row.push_back(column[i]);
    tuples.push_back(PythonValue::of_items(Kind::kTuple, std::move(row)));
  }
  return PythonValue::of_items(Kind::kList, std::move(tuples));
}

Maybe enumeration(const PythonArguments& arguments) {
  const auto items = items_of(arguments.positional[0]);
  const auto start = arguments.positional.size() > 1 ? small_integer(arguments.positional[1]) : 0;
  if (!items || !start) return std::nullopt;
  Values pairs;
  for (size_t i = 0; i < items->size(); ++i) {
    pairs.push_back(PythonValue::of_items(
        Kind::kTuple, {PythonValue::of_int(std::to_string(*start + static_cast<int64_t>(i))), (*items)[i]}));
  }
  return PythonValue::of_items(Kind::kList, std::move(pairs));
}

/// collections.Counter as the dict that it is.
Maybe counts(const PythonValue& value) {
  const auto items = items_of(value);
  if (!items) return std::nullopt;
  PythonValue result;
  result.kind = Kind::kDict;
  std::map<std::string, std::pair<size_t, size_t>> seen;  // key -> (place, count)
  for (const PythonValue& item : *items) {
    if (!is_hashable(item)) return std::nullopt;
    const auto [at, is_new] = seen.try_emplace(python_equality_key(item), result.entries.size(), 0);
    if (is_new) result.entries.emplace_back(item, PythonValue::none());
    result.entries[at->second.first].second = integer(++at->second.second);
  }
  return result;
}

/// unittest's assertCountEqual: the same elements, in any order.
Maybe same_elements(const PythonValue& a, const PythonValue& b) {
  const auto left = items_of(a), right = items_of(b);
  if (!left || !right) return std::nullopt;
  std::vector<std::string> keys[2];
  for (const PythonValue& item : *left) keys[0].push_back(python_equality_key(item));
  for (const PythonValue& item : *right) keys[1].push_back(python_equality_key(item));
  for (auto& side : keys) std::sort(side.begin(), side.end());
  return boolean(keys[0] == keys[1]);
}

/// unittest's assertAlmostEqual: equal, or the difference rounds to 0 at so many places.
Maybe almost_equal(const PythonArguments& arguments) {
  const PythonValue &a = arguments.positional[0], &b = arguments.positional[1];
  if (equal(a, b)) return boolean(true);
  if (!is_python_number(a) || !is_python_number(b)) return std::nullopt;
  const Maybe difference = number_arithmetic("-", a, b);
  const auto distance = difference ? number_as_double(*difference) : std::nullopt;
  if (!distance) return std::nullopt;
  if (arguments.keywords.contains("delta")) {
    return boolean(std::fabs(*distance) <= keyword_number(arguments, "delta", 0));
  }
  const auto places = arguments.positional.size() > 2 ? number_as_double(arguments.positional[2])
                                                      : std::optional(keyword_number(arguments, "places", 7));
  const Maybe near =
      places ? rounded(PythonValue::of_float(std::fabs(*distance)), static_cast<int>(*places)) : std::nullopt;
  return near ? Maybe(boolean(near->real == 0)) : std::nullopt;
}

Maybe rounded_call(const PythonArguments& arguments) {
  const PythonValue* digits = arguments.positional.size() > 1          ? &arguments.positional[1]
                              : arguments.keywords.contains("ndigits") ? &arguments.keywords.at("ndigits")
                                                                       : nullptr;
  if (!digits || digits->is(Kind::kNone)) return rounded(arguments.positional[0], std::nullopt);
  const auto number = small_integer(*digits);
  return number ? rounded(arguments.positional[0], static_cast<int>(*number)) : std::nullopt;
}

Maybe text_of(const PythonValue& value) {
  if (value.is(Kind::kStr)) return value;
  if (value.is(Kind::kInt)) return PythonValue::of_str(value.text);
  if (value.is(Kind::kBool)) return PythonValue::of_str(value.boolean ? "True" : "False");
  return value.is(Kind::kNone) ? Maybe(PythonValue::of_str("None")) : std::nullopt;
}

Maybe float_of(const PythonValue& value) {
  if (!value.is(Kind::kStr)) {
    const auto number = number_as_double(value);
    return number ? Maybe(PythonValue::of_float(*number)) : std::nullopt;
  }
  std::string name = value.text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "inf" || name == "+inf" || name == "infinity") return PythonValue::of_float(INFINITY);
  if (name == "-inf" || name == "-infinity") return PythonValue::of_float(-INFINITY);
  return name == "nan" ? Maybe(PythonValue::of_float(NAN)) : std::nullopt;
}

Maybe absolute(const PythonValue& value) {
  if (!is_python_number(value)) return std::nullopt;
  const PythonValue number = without_bool(value);
  if (number.is(Kind::kFloat)) return PythonValue::of_float(std::fabs(number.real));
  return PythonValue::of_int(number.text.starts_with('-') ? number.text.substr(1) : number.text);
}

template <typename Function>
Maybe of_double(const PythonValue& value, Function function) {
  const auto number = number_as_double(value);
  return number ? function(*number) : std::nullopt;
}

Maybe square_root(double value) {
  return value < 0 ? std::nullopt : Maybe(PythonValue::of_float(std::sqrt(value)));
}

Maybe any_of(const PythonValue& value, bool all) {
  const auto items = items_of(value);
  if (!items) return std::nullopt;
  return boolean(all ? std::all_of(items->begin(), items->end(), is_truthy)
                     : std::any_of(items->begin(), items->end(), is_truthy));
}

Maybe container_of(const PythonArguments& arguments, Kind kind) {
  if (arguments.positional.empty()) return PythonValue::of_items(kind, {});
  auto items = items_of(arguments.positional[0]);
  return items ? make_container(kind, std::move(*items)) : std::nullopt;
}

Maybe sorted_call(const PythonArguments& arguments) {
  auto items = items_of(arguments.positional[0]);
  const auto reverse = arguments.keywords.find("reverse");
  auto ordered =
      items ? sorted_values(std::move(*items), reverse != arguments.keywords.end() && is_truthy(reverse->second))
            : std::nullopt;
  return ordered ? Maybe(PythonValue::of_items(Kind::kList, std::move(*ordered))) : std::nullopt;
}

Maybe reversed_call(const PythonValue& value) {
  if (!is_sequence(value) && !value.is(Kind::kStr)) return std::nullopt;
  auto items = items_of(value);
  std::reverse(items->begin(), items->end());
  return PythonValue::of_items(Kind::kList, std::move(*items));
}

/// Values that came through JSON have no tuples: they count as lists.
PythonValue with_lists(PythonValue value) {
  if (value.is(Kind::kTuple)) value.kind = Kind::kList;
  for (PythonValue& item : value.items) item = with_lists(std::move(item));
  for (auto& [key, item] : value.entries) item = with_lists(std::move(item));
  return value;
}

struct Function {
  size_t least, most;
  std::vector<std::string> keywords;
  Maybe (*call)(const PythonArguments&);
};

const std::map<std::string, Function>& functions() {
  using A = const PythonArguments&;
  static const std::map<std::string, Function> kFunctions = {
      {"len", {1, 1, {}, [](A a) { return length(a.positional[0]); }}},
      {"abs", {1, 1, {}, [](A a) { return absolute(a.positional[0]); }}},
      {"math.fabs",
       {1,
        1,
        {},
        [](A a) {
          return of_double(a.positional[0], [](double x) { return Maybe(PythonValue::of_float(std::fabs(x))); });
        }}},
      {"math.sqrt", {1, 1, {}, [](A a) { return of_double(a.positional[0], square_root); }}},
      {"math.floor", {1, 1, {}, [](A a) { return to_integer(a.positional[0], -1); }}},
      {"math.ceil", {1, 1, {}, [](A a) { return to_integer(a.positional[0], 1); }}},
      {"math.isnan",
       {1,
        1,
        {},
        [](A a) { return of_double(a.positional[0], [](double x) { return Maybe(boolean(std::isnan(x))); }); }}},
      {"math.isinf",
       {1,
        1,
        {},
        [](A a) { return of_double(a.positional[0], [](double x) { return Maybe(boolean(std::isinf(x))); }); }}},
      {"math.isclose", {2, 2, {"rel_tol", "abs_tol"}, math_isclose}},
      {"numpy.isclose",
       {2,
        2,
        {"rtol", "atol"},
        [](A a) {
          const auto close = all_close(a.positional[0], a.positional[1], keyword_number(a, "rtol", 1e-5),
                                       keyword_number(a, "atol", 1e-8));
          return close ? Maybe(boolean(*close)) : std::nullopt;
        }}},
      {"sorted", {1, 1, {"reverse"}, sorted_call}},
      {"reversed", {1, 1, {}, [](A a) { return reversed_call(a.positional[0]); }}},
      {"set", {0, 1, {}, [](A a) { return container_of(a, Kind::kSet); }}},
      {"frozenset", {0, 1, {}, [](A a) { return container_of(a, Kind::kFrozenset); }}},
      {"list", {0, 1, {}, [](A a) { return container_of(a, Kind::kList); }}},
      {"tuple", {0, 1, {}, [](A a) { return container_of(a, Kind::kTuple); }}},
      {"sum", {1, 2, {"start"}, sum_of}},
      {"min", {1, 64, {}, [](A a) { return extreme_of(a, false); }}},
      {"max", {1, 64, {}, [](A a) { return extreme_of(a, true); }}},
      {"any", {1, 1, {}, [](A a) { return any_of(a.positional[0], false); }}},
      {"all", {1, 1, {}, [](A a) { return any_of(a.positional[0], true); }}},
      {"round", {1, 2, {"ndigits"}, rounded_call}},
      {"bool", {1, 1, {}, [](A a) { return Maybe(boolean(is_truthy(a.positional[0]))); }}},
      {"str", {1, 1, {}, [](A a) { return text_of(a.positional[0]); }}},
      {"float", {1, 1, {}, [](A a) { return float_of(a.positional[0]); }}},
      {"range", {1, 3, {}, range_of}},
      {"zip", {1, 8, {}, zip_of}},
      {"enumerate", {1, 2, {}, enumeration}},
      {"copy.copy", {1, 1, {}, [](A a) { return Maybe(a.positional[0]); }}},
      {"copy.deepcopy", {1, 1, {}, [](A a) { return Maybe(a.positional[0]); }}},
      {"collections.Counter", {1, 1, {}, [](A a) { return counts(a.positional[0]); }}},
      {"pytest.approx", {1, 1, {"rel", "abs"}, nullptr}},
      {"unittest.count_equal", {2, 2, {}, [](A a) { return same_elements(a.positional[0], a.positional[1]); }}},
      {"unittest.almost_equal", {2, 3, {"places", "delta"}, almost_equal}},
      {"json.equal",
       {2, 2, {}, [](A a) { return Maybe(boolean(equal(with_lists(a.positional[0]), with_lists(a.positional[1])))); }}},
  };
  return kFunctions;
}

const Function* find_function(const std::string& name) {
  static const std::map<std::string, std::string> kAliases = {
      {"np.isclose", "numpy.isclose"}, {"np.allclose", "numpy.isclose"}, {"numpy.allclose", "numpy.isclose"}};
  const auto alias = kAliases.find(name);
  const auto found = functions().find(alias == kAliases.end() ? name : alias->second);
  return found == functions().end() ? nullptr : &found->second;
}

}  // namespace

bool has_signature(const std::string& name, size_t num_positional, const std::vector<std::string>& keywords) {
  const Function* function = find_function(name);
  return function && num_positional >= function->least && num_positional <= function->most &&
         std::all_of(keywords.begin(), keywords.end(), [&](const std::string& keyword) {
           return std::find(function->keywords.begin(), function->keywords.end(), keyword) != function->keywords.end();
         });
}

std::optional<PythonValue> call_function(const std::string& name, const PythonArguments& arguments) {
  const Function* function = find_function(name);
  const size_t count = arguments.positional.size();
  if (!function || !function->call || count < function->least || count > function->most) return std::nullopt;
  return function->call(arguments);
}

bool iterates_argument(const std::string& name) {
  static const std::vector<std::string> kNames = {"sorted",
                                                  "set",
                                                  "frozenset",
                                                  "list",
                                                  "tuple",
                                                  "sum",
                                                  "min",
                                                  "max",
                                                  "any",
                                                  "all",
                                                  "zip",
                                                  "enumerate",
                                                  "collections.Counter",
                                                  "unittest.count_equal"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::optional<bool> pytest_approx(const PythonValue& tested, const PythonArguments& arguments) {
  if (arguments.positional.size() != 1) return std::nullopt;
  const bool has_abs = arguments.keywords.contains("abs");
  const double rel = keyword_number(arguments, "rel", has_abs ? 0 : 1e-6);
  const double abs = keyword_number(arguments, "abs", 1e-12);
  return approximately(tested, arguments.positional[0], rel, abs);
}

std::optional<PythonValue> known_constant(const std::string& name) {
  if (name == "inf" || name == "math.inf" || name == "numpy.inf") return PythonValue::of_float(INFINITY);
  if (name == "nan" || name == "math.nan" || name == "numpy.nan") return PythonValue::of_float(NAN);
  if (name == "math.pi") return PythonValue::of_float(std::numbers::pi);
  if (name == "math.e") return PythonValue::of_float(std::numbers::e);
  if (name == "string.ascii_lowercase") return PythonValue::of_str("abcdefghijklmnopqrstuvwxyz");
  if (name == "string.ascii_uppercase") return PythonValue::of_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (name == "string.digits") return PythonValue::of_str("0123456789");
  return std::nullopt;
}

bool is_truthy(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean;
    case Kind::kInt:
      return value.text != "0";
    case Kind::kFloat:
      return value.real != 0;
    case Kind::kStr:
      return !value.text.empty();
    case Kind::kDict:
      return !value.entries.empty();
    default:
      return !value.items.empty();
  }
}

std::optional<bool> is_less(const PythonValue& left, const PythonValue& right) {
  if (is_python_number(left) && is_python_number(right)) return number_less(left, right);
  if (left.kind != right.kind) return std::nullopt;
  if (left.is(Kind::kStr)) return left.text < right.text;  // UTF-8 orders as its code points do
  if (!is_sequence(left)) return std::nullopt;
  const size_t common = std::min(left.items.size(), right.items.size());
  for (size_t i = 0; i < common; ++i) {
    if (!equal(left.items[i], right.items[i])) return is_less(left.items[i], right.items[i]);
  }
  return left.items.size() < right.items.size();
}

std::optional<std::vector<PythonValue>> items_of(const PythonValue& value) {
  if (value.is(Kind::kStr)) return characters(value.text);
  if (is_sequence(value) || is_set(value)) return value.items;
  if (!value.is(Kind::kDict)) return std::nullopt;
  Values keys;
  for (const auto& [key, item] : value.entries) keys.push_back(key);
  return keys;
}

std::optional<PythonValue> make_container(Kind kind, std::vector<PythonValue> items) {
  PythonValue result = PythonValue::of_items(kind, std::move(items));
  if (is_set(result)) {
    if (!std::all_of(result.items.begin(), result.items.end(), is_hashable)) return std::nullopt;
    drop_duplicates(result);
  }
  return result;
}

std::optional<PythonValue> element_of(const PythonValue& container, const PythonValue& key) {
  if (container.is(Kind::kDict)) {
    for (const auto& [name, item] : container.entries) {
      if (equal(name, key)) return item;
    }
    return std::nullopt;
  }
  if (!is_sequence(container) && !container.is(Kind::kStr)) return std::nullopt;
  const auto place = small_integer(key);
  const Values items = container.is(Kind::kStr) ? characters(container.text) : container.items;
  const auto size = static_cast<int64_t>(items.size());
  if (!place || *place < -size || *place >= size) return std::nullopt;
  return items[static_cast<size_t>(*place < 0 ? *place + size : *place)];
}

namespace {

Maybe repeated(const PythonValue& value, const PythonValue& times) {
  const auto count = small_integer(times);
  if (!count) return std::nullopt;
  const size_t size = value.is(Kind::kStr) ? value.text.size() : value.items.size();
  if (*count > 0 && size * static_cast<size_t>(*count) > kMaxElements) return std::nullopt;
  PythonValue result = value.is(Kind::kStr) ? PythonValue::of_str("") : PythonValue::of_items(value.kind, {});
  for (int64_t i = 0; i < *count; ++i) {
    result.text += value.is(Kind::kStr) ? value.text : "";
    result.items.insert(result.items.end(), value.items.begin(), value.items.end());
  }
  return result;
}

Maybe set_difference(const PythonValue& left, const PythonValue& right) {
  PythonValue result = PythonValue::of_items(left.kind, {});
  for (const PythonValue& item : left.items) {
    if (!*compare("in", item, right)) result.items.push_back(item);
  }
  return result;
}

}  // namespace

std::optional<PythonValue> binary_operation(std::string_view symbol, const PythonValue& left,
                                            const PythonValue& right) {
  if (is_python_number(left) && is_python_number(right)) return number_arithmetic(symbol, left, right);
  const auto repeatable = [](const PythonValue& value) { return is_sequence(value) || value.is(Kind::kStr); };
  if (symbol == "*" && repeatable(left) && is_whole(right)) return repeated(left, right);
  if (symbol == "*" && repeatable(right) && is_whole(left)) return repeated(right, left);
  if (symbol == "-" && is_set(left) && is_set(right)) return set_difference(left, right);
  if (symbol != "+" || left.kind != right.kind || !repeatable(left)) return std::nullopt;
  PythonValue result = left;
  result.text += right.text;
  result.items.insert(result.items.end(), right.items.begin(), right.items.end());
  return result.items.size() + result.text.size() > kMaxElements ? std::nullopt : Maybe(std::move(result));
}

namespace {

std::optional<bool> contains(const PythonValue& container, const PythonValue& item) {
  if (container.is(Kind::kStr)) {
    if (!item.is(Kind::kStr)) return std::nullopt;
    return container.text.find(item.text) != std::string::npos;
  }
  if ((is_set(container) || container.is(Kind::kDict)) && !is_hashable(item)) return std::nullopt;
  if (container.is(Kind::kDict)) {
    return std::any_of(container.entries.begin(), container.entries.end(),
                       [&](const auto& entry) { return equal(entry.first, item); });
  }
  if (!is_sequence(container) && !is_set(container)) return std::nullopt;
  return std::any_of(container.items.begin(), container.items.end(),
                     [&](const PythonValue& other) { return equal(other, item); });
}

/// < and <= between sets: proper and improper subset.
std::optional<bool> set_order(std::string_view symbol, const PythonValue& left, const PythonValue& right) {
  if (symbol[0] == '>') return set_order(symbol == ">" ? "<" : "<=", right, left);
  const bool inside = std::all_of(left.items.begin(), left.items.end(),
                                  [&](const PythonValue& item) { return *contains(right, item); });
  return inside && (symbol == "<=" || left.items.size() < right.items.size());
}

bool is_nan(const PythonValue& value) {
  return value.is(Kind::kFloat) && std::isnan(value.real);
}

}  // namespace

std::optional<bool> compare(std::string_view symbol, const PythonValue& left, const PythonValue& right) {
  if (symbol == "==") return equal(left, right);
  if (symbol == "!=") return !equal(left, right);
  if (symbol == "in") return contains(right, left);
  if (symbol == "not in") {
    const auto inside = contains(right, left);
    return inside ? std::optional(!*inside) : std::nullopt;
  }
  if (symbol == "is" || symbol == "is not") {
    const bool same =
        left.kind == right.kind && left.boolean == right.boolean && (left.is(Kind::kNone) || left.is(Kind::kBool));
    return same == (symbol == "is");
  }
  if (is_set(left) && is_set(right)) return set_order(symbol, left, right);
  if (symbol == "<") return is_less(left, right);
  if (symbol == ">") return is_less(right, left);
  if (is_nan(left) || is_nan(right))
    return is_python_number(left) && is_python_number(right) ? std::optional(false) : std::nullopt;
  const auto above = symbol == "<=" ? is_less(right, left) : is_less(left, right);
  return above ? std::optional(!*above) : std::nullopt;
}

bool is_builtin_type(std::string_view name) {
  for (const char* type : {"bool", "int", "float", "str", "list", "tuple", "dict", "set", "frozenset"}) {
    if (name == type) return true;
  }
  return false;
}

std::string_view type_name(const PythonValue& value) {
  static constexpr const char* kNames[] = {"NoneType", "bool",  "int",  "float", "str",
                                           "list",     "tuple", "dict", "set",   "frozenset"};
  return kNames[static_cast<int>(value.kind)];
}

bool is_instance(const PythonValue& value, std::string_view type) {
  return type_name(value) == type || (type == "int" && value.is(Kind::kBool));
}

}  // namespace plumbline
