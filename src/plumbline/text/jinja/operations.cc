#include "plumbline/text/jinja/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/text/jinja/html.h"
#include "plumbline/text/jinja/methods.h"
#include "plumbline/text/jinja/python_text.h"
#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

[[noreturn]] void fail_operands(const std::string& op, const Value& left, const Value& right) {
  fail("TypeError",
       fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", op, type_name(left), type_name(right)));
}

bool is_sequence(const Value& value) {
  return value.is(Kind::kList) && (value.list().kind == ListKind::kList || value.list().kind == ListKind::kTuple);
}

bool equal_lists(Runtime& runtime, const ListObject& left, const ListObject& right) {
  if (left.kind != right.kind) return false;
  if (left.kind != ListKind::kList && left.kind != ListKind::kTuple && left.kind != ListKind::kRange)
    return &left == &right;
  return left.items.size() == right.items.size() &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(),
                    [&](const Value& a, const Value& b) { return equals(runtime, a, b); });
}

bool equal_dicts(Runtime& runtime, const DictObject& left, const DictObject& right) {
  if (left.entries.size() != right.entries.size()) return false;
  return std::all_of(left.entries.begin(), left.entries.end(), [&](const auto& entry) {
    const Value* other = right.find(entry.first);
    return other && equals(runtime, entry.second, *other);
  });
}

bool contains(Runtime& runtime, const Value& container, const Value& item) {
  if (container.is(Kind::kString)) {
    require_defined(item);
    if (!item.is(Kind::kString)) {
      fail("TypeError", fmt::format("'in <string>' requires string as left operand, not {}", type_name(item)));
    }
    return container.text().find(item.text()) != std::string::npos;
  }
  if (container.is(Kind::kDict)) return container.dict().find(item) != nullptr;
  if (!container.is(Kind::kList) && !container.is(Kind::kUndefined)) {
    fail("TypeError", fmt::format("argument of type '{}' is not iterable", type_name(container)));
  }
  for (const Value& candidate : items_of(runtime, container)) {
    if (candidate.same_as(item) || equals(runtime, candidate, item)) return true;
  }
  return false;
}

Value add_texts(Runtime& runtime, const Value& left, const Value& right) {
  if (!left.is_safe() && !right.is_safe()) return runtime.text(left.text() + right.text());
  const auto part = [](const Value& value) { return value.is_safe() ? value.text() : escape_html(value.text()); };
  return runtime.text(part(left) + part(right), true);
}

Value repeat(Runtime& runtime, const Value& value, int64_t count) {
  auto times = static_cast<size_t>(std::max<int64_t>(count, 0));
  if (value.is(Kind::kString)) {
    const std::string& text = value.text();
    if (text.empty()) times = 0;
    runtime.charge_text(std::min(times, kMaxTextBytes + 1) * text.size());
    std::string out;
    out.reserve(times * text.size());
    for (size_t i = 0; i < times; ++i) out += text;
    return Value(std::move(out), value.is_safe());
  }
  const auto& items = value.list().items;
  if (items.empty()) times = 0;
  runtime.step(std::min(times, kMaxSteps + 1) * items.size());
  std::vector<Value> out;
  for (size_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  return runtime.list(std::move(out), value.list().kind);
}

void refuse_overflow(bool overflow) {
  if (overflow) fail_unsupported("an integer beyond 64 bits");
}

Value integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    return Value(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  if (base == 0 || base == 1) return Value(exponent == 0 ? int64_t{1} : base);
  if (base == -1) return Value(exponent % 2 ? int64_t{-1} : int64_t{1});
  int64_t result = 1;
  for (; exponent > 0; --exponent) {  // ends within 63 rounds: |base| is at least 2
    refuse_overflow(__builtin_mul_overflow(result, base, &result));
  }
  return Value(result);
}

Value integer_arithmetic(const std::string& op, int64_t left, int64_t right) {
  int64_t result = 0;
  if (op == "+" || op == "-" || op == "*") {
    refuse_overflow(op == "+"   ? __builtin_add_overflow(left, right, &result)
                    : op == "-" ? __builtin_sub_overflow(left, right, &result)
                                : __builtin_mul_overflow(left, right, &result));
    return Value(result);
  }
  if (op == "**") return integer_power(left, right);
  if (right == 0) fail("ZeroDivisionError", op == "/" ? "division by zero" : "integer division or modulo by zero");
  if (op == "/") return Value(static_cast<double>(left) / static_cast<double>(right));
  if (right == -1) return op == "//" ? integer_arithmetic("-", 0, left) : Value(int64_t{0});
  const int64_t remainder = left % right;
  const bool rounds_down = remainder != 0 && (remainder < 0) != (right < 0);  // Python rounds towards minus infinity
  if (op == "//") return Value(left / right - rounds_down);
  return Value(rounds_down ? remainder + right : remainder);
}

Value float_arithmetic(const std::string& op, double left, double right) {
  if (op == "+") return Value(left + right);
  if (op == "-") return Value(left - right);
  if (op == "*") return Value(left * right);
  if (op == "**") return Value(std::pow(left, right));
  if (right == 0.0) fail("ZeroDivisionError", op == "%" ? "float modulo" : "float division by zero");
  if (op == "/") return Value(left / right);
  double remainder = std::fmod(left, right);
  if (remainder != 0.0 && (remainder < 0.0) != (right < 0.0)) remainder += right;
  if (op == "%") return Value(remainder == 0.0 ? std::copysign(0.0, right) : remainder);
  return Value(std::round((left - remainder) / right));
}

Value add_sequences(Runtime& runtime, const Value& left, const Value& right) {
  std::vector<Value> items = left.list().items;
  items.insert(items.end(), right.list().items.begin(), right.list().items.end());
  return runtime.list(std::move(items), left.list().kind);
}

std::string described(const Value& object) {
  return object.is(Kind::kNone)        ? "None"
         : object.is(Kind::kNamespace) ? "jinja2.utils.Namespace object"
                                       : type_name(object) + " object";
}

Value missing_attribute(const Value& object, const std::string& name) {
  return Value::undefined(fmt::format("'{}' has no attribute '{}'", described(object), name));
}

std::optional<Value> loop_attribute(Runtime& runtime, LoopObject& loop, const std::string& name) {
  const auto number = [](size_t value) { return Value(static_cast<int64_t>(value)); };
  const auto length = [&] {
    loop.has(SIZE_MAX);
    return loop.items.size();
  };
  const auto is_last = [&] { return !loop.has(loop.index0 + 2); };
  if (name == "index") return number(loop.index0 + 1);
  if (name == "index0") return number(loop.index0);
  if (name == "revindex") return number(length() - loop.index0);
  if (name == "revindex0") return number(length() - loop.index0 - 1);
  if (name == "first") return Value(loop.index0 == 0);
  if (name == "last") return Value(is_last());
  if (name == "length") return number(length());
  if (name == "depth") return Value(loop.depth0 + 1);
  if (name == "depth0") return Value(loop.depth0);
  if (name == "previtem") {
    return loop.index0 == 0 ? Value::undefined("there is no previous item") : loop.items[loop.index0 - 1];
  }
  if (name == "nextitem") {
    return is_last() ? Value::undefined("there is no next item") : loop.items[loop.index0 + 1];
  }
  if (name == "cycle") {
    return runtime.callable("cycle", [&loop](const Arguments& arguments) {
      if (arguments.positional.empty()) fail("TypeError", "no items for cycling given");
      return arguments.positional[loop.index0 % arguments.positional.size()];
    });
  }
  if (name == "changed") {
    return runtime.callable("changed", [&loop, &runtime](const Arguments& arguments) {
      const auto& now = arguments.positional;
      const bool same = loop.last_changed && loop.last_changed->size() == now.size() &&
                        std::equal(now.begin(), now.end(), loop.last_changed->begin(),
                                   [&](const Value& a, const Value& b) { return equals(runtime, a, b); });
      loop.last_changed = now;
      return Value(!same);
    });
  }
  return std::nullopt;
}

/// What Python's getattr gives.
std::optional<Value> python_attribute(Runtime& runtime, const Value& object, const std::string& name) {
  if (name.starts_with("__")) {
    return Value::undefined(fmt::format("access to attribute '{}' of '{}' object is unsafe.", name, type_name(object)),
                            "SecurityError");
  }
  if (object.is(Kind::kNamespace)) {
    const Value* member = object.space().find(name);
    return member ? std::optional(*member) : std::nullopt;
  }
  if (object.is(Kind::kLoop)) return loop_attribute(runtime, object.loop(), name);
  if (object.is(Kind::kCallable)) fail_unsupported(fmt::format("the attribute {} of a function", name));
  return bound_method(runtime, object, name);
}

/// What Python's object[key] gives; empty for a LookupError or a TypeError.
std::optional<Value> python_item(Runtime& runtime, const Value& object, const Value& key) {
  if (object.is(Kind::kDict)) {
    if (key.is(Kind::kList) || key.is(Kind::kDict) || key.is(Kind::kUndefined)) return std::nullopt;
    const Value* member = object.dict().find(key);
    return member ? std::optional(*member) : std::nullopt;
  }
  if (!key.is_integer()) return std::nullopt;
  int64_t index = key.integer();
  if (object.is(Kind::kString)) {
    runtime.step(object.text().size() / 64 + 1);
    const auto length = static_cast<int64_t>(count_code_points(object.text()));
    if (index < 0) index += length;
    if (index < 0 || index >= length) return std::nullopt;
    size_t at = 0;
    for (; index > 0; --index) next_code_point(object.text(), at);
    return runtime.text(object.text().substr(at, utf8_length(object.text()[at])));
  }
  if (!is_sequence(object) && !(object.is(Kind::kList) && object.list().kind == ListKind::kRange)) return std::nullopt;
  const auto& items = object.list().items;
  if (index < 0) index += static_cast<int64_t>(items.size());
  if (index < 0 || index >= static_cast<int64_t>(items.size())) return std::nullopt;
  return items[index];
}

/// Python's indices of a slice: start, stop and step clipped to the length.
struct SliceBounds {
  int64_t start, stop, step;
};

SliceBounds slice_bounds(int64_t length, const Value& begin, const Value& end, const Value& step) {
  SliceBounds bounds{0, 0, step.is(Kind::kNone) ? 1 : require_integer(step, "slice indices")};
  if (bounds.step == 0) fail("ValueError", "slice step cannot be zero");
  bounds.step = std::clamp<int64_t>(bounds.step, -INT64_MAX, INT64_MAX);
  const bool backwards = bounds.step < 0;
  const auto clip = [&](const Value& value, int64_t otherwise) {
    if (value.is(Kind::kNone)) return otherwise;
    int64_t index = require_integer(value, "slice indices");
    if (index < 0) index = std::max<int64_t>(index + length, backwards ? -1 : 0);
    return std::min(index, backwards ? length - 1 : length);
  };
  bounds.start = clip(begin, backwards ? length - 1 : 0);
  bounds.stop = clip(end, backwards ? -1 : length);
  return bounds;
}

template <typename Use>
void for_each_index(const SliceBounds& bounds, int64_t length, Use use) {
  const int64_t step = std::clamp<int64_t>(bounds.step, -length - 1, length + 1);  // no overflow in the addition
  for (int64_t i = bounds.start; step > 0 ? i < bounds.stop : i > bounds.stop; i += step) use(static_cast<size_t>(i));
}

}  // namespace

bool is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.integer() != 0;
    case Kind::kFloat:
      return value.real() != 0.0;
    case Kind::kString:
      return !value.text().empty();
    case Kind::kList:
      return value.list().kind == ListKind::kGenerator || !value.list().items.empty();
    case Kind::kDict:
      return !value.dict().entries.empty();
    default:
      return true;
  }
}

bool equals(Runtime& runtime, const Value& left, const Value& right) {
  const Runtime::Level level(runtime);
  runtime.step();
  if (left.is_integer() && right.is_integer()) return left.integer() == right.integer();
  if (left.is_number() && right.is_number()) return left.real() == right.real();
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::kUndefined:
      return true;
    case Kind::kString:
      runtime.step(left.text().size() / 256);
      return left.text() == right.text();
    case Kind::kList:
      return equal_lists(runtime, left.list(), right.list());
    case Kind::kDict:
      return equal_dicts(runtime, left.dict(), right.dict());
    default:
      return left.same_as(right);
  }
}

bool less_than(Runtime& runtime, const Value& left, const Value& right, const char* op) {
  const Runtime::Level level(runtime);
  runtime.step();
  require_defined(left);
  require_defined(right);
  if (left.is_integer() && right.is_integer()) return left.integer() < right.integer();
  if (left.is_number() && right.is_number()) return left.real() < right.real();
  if (left.is(Kind::kString) && right.is(Kind::kString)) return left.text() < right.text();  // UTF-8 keeps the order
  if (is_sequence(left) && is_sequence(right) && left.list().kind == right.list().kind) {
    const auto &a = left.list().items, &b = right.list().items;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!equals(runtime, a[i], b[i])) return less_than(runtime, a[i], b[i], op);
    }
    return a.size() < b.size();
  }
  fail("TypeError",
       fmt::format("'{}' not supported between instances of '{}' and '{}'", op, type_name(left), type_name(right)));
}

bool compare(Runtime& runtime, const std::string& op, const Value& left, const Value& right) {
  if (op == "==") return equals(runtime, left, right);
  if (op == "!=") return !equals(runtime, left, right);
  if (op == "in") return contains(runtime, right, left);
  if (op == "not in") return !contains(runtime, right, left);
  const bool has_nan = left.is_number() && right.is_number() && (std::isnan(left.real()) || std::isnan(right.real()));
  if (has_nan) return false;
  if (op == "<") return less_than(runtime, left, right, "<");
  if (op == ">") return less_than(runtime, right, left, ">");
  if (op == "<=") return !less_than(runtime, right, left, "<=");
  return !less_than(runtime, left, right, ">=");
}

Value arithmetic(Runtime& runtime, const std::string& op, const Value& left, const Value& right) {
  require_defined(left);
  require_defined(right);
  if (left.is_integer() && right.is_integer()) return integer_arithmetic(op, left.integer(), right.integer());
  if (left.is_number() && right.is_number()) return float_arithmetic(op, left.real(), right.real());
  if (op == "+") {
    if (left.is(Kind::kString) && right.is(Kind::kString)) return add_texts(runtime, left, right);
    if (is_sequence(left) && is_sequence(right) && left.list().kind == right.list().kind) {
      return add_sequences(runtime, left, right);
    }
    if (left.is(Kind::kString) || is_sequence(left)) {
      const std::string name = type_name(left);
      fail("TypeError", fmt::format("can only concatenate {} (not \"{}\") to {}", name, type_name(right), name));
    }
  }
  const auto repeatable = [](const Value& value) { return value.is(Kind::kString) || is_sequence(value); };
  if (op == "*" && repeatable(left) && right.is_integer()) return repeat(runtime, left, right.integer());
  if (op == "*" && repeatable(right) && left.is_integer()) return repeat(runtime, right, left.integer());
  if (op == "%" && left.is(Kind::kString)) fail_unsupported("formatting with %");
  fail_operands(op == "**" ? "** or pow()" : op, left, right);
}

Value negate(const Value& value) {
  require_defined(value);
  if (value.is_integer()) return integer_arithmetic("-", 0, value.integer());
  if (value.is(Kind::kFloat)) return Value(-value.real());
  fail("TypeError", fmt::format("bad operand type for unary -: '{}'", type_name(value)));
}

std::vector<Value> items_of(Runtime& runtime, const Value& value) {
  std::vector<Value> items;
  switch (value.kind()) {
    case Kind::kUndefined:
      break;
    case Kind::kString:
      for (size_t at = 0; at < value.text().size();) {
        const size_t length = utf8_length(value.text()[at]);
        items.push_back(runtime.text(value.text().substr(at, length)));
        at += length;
        runtime.step(2);
      }
      break;
    case Kind::kList:
      if (value.list().consumed) break;
      value.list().consumed = value.list().kind == ListKind::kGenerator;
      items = value.list().items;
      break;
    case Kind::kDict:
      for (const auto& entry : value.dict().entries) items.push_back(entry.first);
      break;
    default:
      fail("TypeError", fmt::format("'{}' object is not iterable", type_name(value)));
  }
  runtime.step(items.size());
  return items;
}

int64_t length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return static_cast<int64_t>(count_code_points(value.text()));
    case Kind::kDict:
      return static_cast<int64_t>(value.dict().entries.size());
    case Kind::kList:
      if (value.list().kind != ListKind::kGenerator) return static_cast<int64_t>(value.list().items.size());
      [[fallthrough]];
    default:
      fail("TypeError", fmt::format("object of type '{}' has no len()", type_name(value)));
  }
}

Value attribute(Runtime& runtime, const Value& object, const std::string& name) {
  require_defined(object);
  if (auto found = python_attribute(runtime, object, name)) return *found;
  if (object.is(Kind::kDict)) {
    if (const Value* member = object.dict().find(name)) return *member;
  }
  return missing_attribute(object, name);
}

Value subscript(Runtime& runtime, const Value& object, const Value& key) {
  require_defined(object);
  if (auto found = python_item(runtime, object, key)) return *found;
  if (key.is(Kind::kString)) {
    if (auto found = python_attribute(runtime, object, key.text())) return *found;
    return missing_attribute(object, key.text());
  }
  return Value::undefined(fmt::format("{} has no element {}", described(object), to_repr(runtime, key)));
}

Value slice(Runtime& runtime, const Value& object, const Value& begin, const Value& end, const Value& step) {
  require_defined(object);
  if (object.is(Kind::kString)) {
    const std::u32string characters = to_code_points(object.text());
    runtime.step(characters.size() / 16 + 1);
    const auto length = static_cast<int64_t>(characters.size());
    std::string out;
    for_each_index(slice_bounds(length, begin, end, step), length, [&](size_t i) { append_utf8(out, characters[i]); });
    return runtime.text(std::move(out), object.is_safe());
  }
  if (is_sequence(object) || (object.is(Kind::kList) && object.list().kind == ListKind::kRange)) {
    const auto& items = object.list().items;
    const auto length = static_cast<int64_t>(items.size());
    std::vector<Value> out;
    for_each_index(slice_bounds(length, begin, end, step), length, [&](size_t i) { out.push_back(items[i]); });
    return runtime.list(std::move(out), object.list().kind);
  }
  if (object.is(Kind::kDict)) fail("TypeError", "unhashable type: 'slice'");
  fail("TypeError", fmt::format("'{}' object is not subscriptable", type_name(object)));
}

int64_t require_integer(const Value& value, const char* what) {
  require_defined(value);
  if (!value.is_integer()) fail("TypeError", fmt::format("{} must be an integer, not {}", what, type_name(value)));
  return value.integer();
}

}  // namespace plumbline::jinja
