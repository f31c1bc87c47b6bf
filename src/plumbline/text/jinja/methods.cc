#include "plumbline/text/jinja/methods.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_string.h"
#include "plumbline/text/jinja/python_text.h"
#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

using Bound = std::vector<std::optional<Value>>;

const std::string& require_text(const Value& value, const char* method) {
  require_defined(value);
  if (!value.is(Kind::kString)) {
    fail("TypeError", fmt::format("{} arg must be str, not {}", method, type_name(value)));
  }
  return value.text();
}

/// The argument as text, or null when it is absent or None.
const std::string* optional_text(const std::optional<Value>& value, const char* method) {
  return value && !value->is(Kind::kNone) ? &require_text(*value, method) : nullptr;
}

int64_t integer_or(const std::optional<Value>& value, int64_t otherwise) {
  return value ? require_integer(*value, "the argument") : otherwise;
}

Value texts(Runtime& runtime, const std::vector<std::string>& parts) {
  std::vector<Value> items;
  for (const std::string& part : parts) items.push_back(runtime.text(part));
  return runtime.list(std::move(items));
}

Value strip(Runtime& runtime, const std::string& text, const Arguments& arguments, bool left, bool right) {
  const Bound bound = bind(arguments, "strip", {"chars"});
  return runtime.text(python_strip(text, left, right, optional_text(bound[0], "strip")));
}

Value split(Runtime& runtime, const std::string& text, const Arguments& arguments, bool from_right) {
  const Bound bound = bind(arguments, "split", {"sep", "maxsplit"});
  const std::string* separator = optional_text(bound[0], "split");
  if (separator && separator->empty()) fail("ValueError", "empty separator");
  const int64_t max_splits = integer_or(bound[1], -1);
  return texts(runtime,
               from_right ? python_rsplit(text, separator, max_splits) : python_split(text, separator, max_splits));
}

/// The part of the text that optional start and end arguments leave, and where it begins; null where start is behind
/// the end of the text, so that nothing can be found.
std::optional<std::pair<std::string_view, int64_t>> window(std::string_view text, const std::optional<Value>& begin,
                                                           const std::optional<Value>& end) {
  const auto length = static_cast<int64_t>(count_code_points(text));
  const auto clip = [&](const std::optional<Value>& value, int64_t otherwise) {
    if (!value || value->is(Kind::kNone)) return otherwise;
    const int64_t index = require_integer(*value, "slice indices");
    return index < 0 ? std::max<int64_t>(index + length, 0) : index;
  };
  const int64_t first = clip(begin, 0), last = std::min(clip(end, length), length);
  if (first > length || first > last) return std::nullopt;
  size_t from = 0, to = 0;
  for (int64_t i = 0; i < last; ++i) {
    if (i == first) from = to;
    next_code_point(text, to);
  }
  if (first == last) from = to;
  return std::pair(text.substr(from, to - from), first);
}

bool has_affix(std::string_view text, const Value& affix, bool at_end) {
  if (affix.is(Kind::kList) && affix.list().kind == ListKind::kTuple) {
    const auto& affixes = affix.list().items;
    return std::any_of(affixes.begin(), affixes.end(), [&](const Value& one) { return has_affix(text, one, at_end); });
  }
  const std::string& part = require_text(affix, at_end ? "endswith first" : "startswith first");
  return at_end ? text.ends_with(part) : text.starts_with(part);
}

Value test_affix(const std::string& text, const Arguments& arguments, bool at_end) {
  const Bound bound = bind(arguments, at_end ? "endswith" : "startswith", {"prefix", "start", "end"});
  if (!bound[0]) fail("TypeError", "startswith() takes at least 1 argument (0 given)");
  const auto part = window(text, bound[1], bound[2]);
  return Value(part ? has_affix(part->first, *bound[0], at_end) : (has_affix("", *bound[0], at_end), false));
}

Value find(const std::string& text, const Arguments& arguments, bool from_right, bool must_be_there = false) {
  const Bound bound = bind(arguments, "find", {"sub", "start", "end"});
  if (!bound[0]) fail("TypeError", "find() takes at least 1 argument (0 given)");
  const std::string& part = require_text(*bound[0], "find");
  const auto place = window(text, bound[1], bound[2]);
  const size_t at = !place ? std::string::npos : from_right ? place->first.rfind(part) : place->first.find(part);
  if (at == std::string::npos) {
    if (must_be_there) fail("ValueError", "substring not found");
    return Value(int64_t{-1});
  }
  return Value(place->second + static_cast<int64_t>(count_code_points(place->first.substr(0, at))));
}

Value partition(Runtime& runtime, const std::string& text, const Arguments& arguments, bool from_right) {
  const Bound bound = bind(arguments, "partition", {"sep"});
  if (!bound[0]) fail("TypeError", "partition() takes exactly one argument (0 given)");
  const std::string& separator = require_text(*bound[0], "partition");
  if (separator.empty()) fail("ValueError", "empty separator");
  const size_t at = from_right ? text.rfind(separator) : text.find(separator);
  std::vector<std::string> parts;
  if (at == std::string::npos) {
    parts = from_right ? std::vector<std::string>{"", "", text} : std::vector<std::string>{text, "", ""};
  } else {
    parts = {text.substr(0, at), separator, text.substr(at + separator.size())};
  }
  std::vector<Value> items;
  for (const std::string& part : parts) items.push_back(runtime.text(part));
  return runtime.list(std::move(items), ListKind::kTuple);
}

Value pad(Runtime& runtime, const std::string& text, const Arguments& arguments, Padding side) {
  const Bound bound = bind(arguments, "center", {"width", "fillchar"});
  if (!bound[0]) fail("TypeError", "center expected at least 1 argument, got 0");
  const int64_t width = require_integer(*bound[0], "width");
  const std::string fill = bound[1] ? require_text(*bound[1], "center") : " ";
  if (count_code_points(fill) != 1) fail("TypeError", "The fill character must be exactly one character long");
  runtime.charge_text(static_cast<size_t>(std::clamp<int64_t>(width, 0, INT64_MAX / 4)) * fill.size());
  size_t at = 0;
  return runtime.text(python_pad(text, width, next_code_point(fill, at), side));
}

/// Zeros behind the sign.
Value zero_fill(Runtime& runtime, const std::string& text, const Arguments& arguments) {
  const Bound bound = bind(arguments, "zfill", {"width"});
  if (!bound[0]) fail("TypeError", "zfill() takes exactly one argument (0 given)");
  const int64_t width = require_integer(*bound[0], "width");
  runtime.charge_text(static_cast<size_t>(std::max<int64_t>(width, 0)));
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  return runtime.text(text.substr(0, has_sign) +
                      python_pad(std::string_view(text).substr(has_sign), width - has_sign, U'0', Padding::kLeft));
}

std::string swap_case(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const auto code = static_cast<utf8proc_int32_t>(c);
    std::string one;
    append_utf8(one, c);
    out += utf8proc_isupper(code) ? python_lower(one) : utf8proc_islower(code) ? python_upper(one) : one;
  }
  return out;
}

Value replace(Runtime& runtime, const std::string& text, const Arguments& arguments) {
  const Bound bound = bind(arguments, "replace", {"old", "new", "count"});
  if (!bound[0] || !bound[1]) fail("TypeError", "replace() takes at least 2 arguments");
  const std::string &from = require_text(*bound[0], "replace"), &to = require_text(*bound[1], "replace");
  // The longest possible result, so that a hostile one is never built.
  runtime.charge_text((text.size() / std::max<size_t>(from.size(), 1) + 1) * to.size());
  return runtime.text(python_replace(text, from, to, integer_or(bound[2], -1)));
}

Value count(const std::string& text, const Arguments& arguments) {
  const Bound bound = bind(arguments, "count", {"sub"});
  if (!bound[0]) fail("TypeError", "count() takes at least 1 argument (0 given)");
  const std::string& part = require_text(*bound[0], "count");
  if (part.empty()) return Value(static_cast<int64_t>(count_code_points(text)) + 1);
  int64_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return Value(found);
}

Value join(Runtime& runtime, const std::string& text, const Arguments& arguments) {
  const Bound bound = bind(arguments, "join", {"iterable"});
  if (!bound[0]) fail("TypeError", "join() takes exactly one argument (0 given)");
  const std::vector<Value> items = items_of(runtime, *bound[0]);
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(Kind::kString)) {
      fail("TypeError", fmt::format("sequence item {}: expected str instance, {} found", i, type_name(items[i])));
    }
    out += (i ? text : "") + items[i].text();
    if (out.size() > kMaxTextBytes) runtime.charge_text(out.size());
  }
  return runtime.text(std::move(out));
}

Value remove_affix(Runtime& runtime, const std::string& text, const Arguments& arguments, bool at_end) {
  const Bound bound = bind(arguments, "removeprefix", {"prefix"});
  if (!bound[0]) fail("TypeError", "removeprefix() takes exactly one argument (0 given)");
  const std::string& affix = require_text(*bound[0], "removeprefix");
  if (at_end && text.ends_with(affix)) return runtime.text(text.substr(0, text.size() - affix.size()));
  if (!at_end && text.starts_with(affix)) return runtime.text(text.substr(affix.size()));
  return runtime.text(text);
}

bool all_characters(const std::string& text, bool (*holds)(char32_t)) {
  if (text.empty()) return false;
  for (size_t at = 0; at < text.size();) {
    if (!holds(next_code_point(text, at))) return false;
  }
  return true;
}

/// At least one cased character, and none of the other case.
bool is_of_case(const std::string& text, bool upper) {
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<utf8proc_int32_t>(next_code_point(text, at));
    if (upper ? utf8proc_islower(c) : utf8proc_isupper(c)) return false;
    any |= upper ? utf8proc_isupper(c) != 0 : utf8proc_islower(c) != 0;
  }
  return any;
}

std::string title(const std::string& text) {
  std::string out;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const auto code = static_cast<utf8proc_int32_t>(c);
    append_utf8(out, inside ? utf8proc_tolower(code) : utf8proc_totitle(code));
    inside = is_python_alpha(c);
  }
  return out;
}

using Method = Value (*)(Runtime&, const Value&, const Arguments&);

const std::unordered_map<std::string, Method>& text_methods() {
  static const std::unordered_map<std::string, Method> methods = {
      {"upper", [](Runtime& r, const Value& s, const Arguments&) { return r.text(python_upper(s.text())); }},
      {"lower", [](Runtime& r, const Value& s, const Arguments&) { return r.text(python_lower(s.text())); }},
      {"title", [](Runtime& r, const Value& s, const Arguments&) { return r.text(title(s.text())); }},
      {"capitalize", [](Runtime& r, const Value& s, const Arguments&) { return r.text(python_capitalize(s.text())); }},
      {"strip", [](Runtime& r, const Value& s, const Arguments& a) { return strip(r, s.text(), a, true, true); }},
      {"lstrip", [](Runtime& r, const Value& s, const Arguments& a) { return strip(r, s.text(), a, true, false); }},
      {"rstrip", [](Runtime& r, const Value& s, const Arguments& a) { return strip(r, s.text(), a, false, true); }},
      {"split", [](Runtime& r, const Value& s, const Arguments& a) { return split(r, s.text(), a, false); }},
      {"rsplit", [](Runtime& r, const Value& s, const Arguments& a) { return split(r, s.text(), a, true); }},
      {"splitlines",
       [](Runtime& r, const Value& s, const Arguments& a) {
         const Bound bound = bind(a, "splitlines", {"keepends"});
         return texts(r, python_splitlines(s.text(), bound[0] && is_true(*bound[0])));
       }},
      {"startswith", [](Runtime&, const Value& s, const Arguments& a) { return test_affix(s.text(), a, false); }},
      {"endswith", [](Runtime&, const Value& s, const Arguments& a) { return test_affix(s.text(), a, true); }},
      {"replace", [](Runtime& r, const Value& s, const Arguments& a) { return replace(r, s.text(), a); }},
      {"find", [](Runtime&, const Value& s, const Arguments& a) { return find(s.text(), a, false); }},
      {"rfind", [](Runtime&, const Value& s, const Arguments& a) { return find(s.text(), a, true); }},
      {"count", [](Runtime&, const Value& s, const Arguments& a) { return count(s.text(), a); }},
      {"join", [](Runtime& r, const Value& s, const Arguments& a) { return join(r, s.text(), a); }},
      {"removeprefix",
       [](Runtime& r, const Value& s, const Arguments& a) { return remove_affix(r, s.text(), a, false); }},
      {"removesuffix",
       [](Runtime& r, const Value& s, const Arguments& a) { return remove_affix(r, s.text(), a, true); }},
      {"isspace",
       [](Runtime&, const Value& s, const Arguments&) { return Value(all_characters(s.text(), is_python_space)); }},
      {"isalpha",
       [](Runtime&, const Value& s, const Arguments&) { return Value(all_characters(s.text(), is_python_alpha)); }},
      {"isdecimal",
       [](Runtime&, const Value& s, const Arguments&) { return Value(all_characters(s.text(), is_python_decimal)); }},
      {"isalnum",
       [](Runtime&, const Value& s, const Arguments&) { return Value(all_characters(s.text(), is_python_alnum)); }},
      {"isascii",
       [](Runtime&, const Value& s, const Arguments&) {
         return Value(s.text().empty() || all_characters(s.text(), [](char32_t c) { return c < 0x80; }));
       }},
      {"index", [](Runtime&, const Value& s, const Arguments& a) { return find(s.text(), a, false, true); }},
      {"rindex", [](Runtime&, const Value& s, const Arguments& a) { return find(s.text(), a, true, true); }},
      {"partition", [](Runtime& r, const Value& s, const Arguments& a) { return partition(r, s.text(), a, false); }},
      {"rpartition", [](Runtime& r, const Value& s, const Arguments& a) { return partition(r, s.text(), a, true); }},
      {"center", [](Runtime& r, const Value& s, const Arguments& a) { return pad(r, s.text(), a, Padding::kCenter); }},
      {"ljust", [](Runtime& r, const Value& s, const Arguments& a) { return pad(r, s.text(), a, Padding::kRight); }},
      {"rjust", [](Runtime& r, const Value& s, const Arguments& a) { return pad(r, s.text(), a, Padding::kLeft); }},
      {"zfill", [](Runtime& r, const Value& s, const Arguments& a) { return zero_fill(r, s.text(), a); }},
      {"swapcase", [](Runtime& r, const Value& s, const Arguments&) { return r.text(swap_case(s.text())); }},
      {"isupper", [](Runtime&, const Value& s, const Arguments&) { return Value(is_of_case(s.text(), true)); }},
      {"islower", [](Runtime&, const Value& s, const Arguments&) { return Value(is_of_case(s.text(), false)); }},
  };
  return methods;
}

Value entries_of(Runtime& runtime, const DictObject& dict, ListKind kind) {
  std::vector<Value> items;
  for (const auto& [key, value] : dict.entries) {
    if (kind == ListKind::kItems) items.push_back(runtime.list({key, value}, ListKind::kTuple));
    if (kind == ListKind::kKeys) items.push_back(key);
    if (kind == ListKind::kValues) items.push_back(value);
  }
  return runtime.list(std::move(items), kind);
}

const std::unordered_map<std::string, Method>& dict_methods() {
  static const std::unordered_map<std::string, Method> methods = {
      {"items", [](Runtime& r, const Value& d, const Arguments&) { return entries_of(r, d.dict(), ListKind::kItems); }},
      {"keys", [](Runtime& r, const Value& d, const Arguments&) { return entries_of(r, d.dict(), ListKind::kKeys); }},
      {"values",
       [](Runtime& r, const Value& d, const Arguments&) { return entries_of(r, d.dict(), ListKind::kValues); }},
      {"get",
       [](Runtime&, const Value& d, const Arguments& a) {
         const Bound bound = bind(a, "get", {"key", "default"});
         if (!bound[0]) fail("TypeError", "get expected at least 1 argument, got 0");
         if (const Value* found = d.dict().find(*bound[0])) return *found;
         return bound[1] ? *bound[1] : Value();
       }},
      {"copy",
       [](Runtime& r, const Value& d, const Arguments&) {
         r.step(d.dict().entries.size());
         auto* copy = r.make<DictObject>();
         *copy = d.dict();
         return Value(copy);
       }},
  };
  return methods;
}

const std::unordered_map<std::string, Method>& list_methods() {
  static const std::unordered_map<std::string, Method> methods = {
      {"copy", [](Runtime& r, const Value& l, const Arguments&) { return r.list(l.list().items, l.list().kind); }},
      {"count",
       [](Runtime& r, const Value& l, const Arguments& a) {
         const Bound bound = bind(a, "count", {"value"});
         if (!bound[0]) fail("TypeError", "count() takes exactly one argument (0 given)");
         const auto& items = l.list().items;
         return Value(static_cast<int64_t>(
             std::count_if(items.begin(), items.end(), [&](const Value& item) { return equals(r, item, *bound[0]); })));
       }},
      {"index",
       [](Runtime& r, const Value& l, const Arguments& a) {
         const Bound bound = bind(a, "index", {"value"});
         if (!bound[0]) fail("TypeError", "index expected at least 1 argument, got 0");
         const auto& items = l.list().items;
         const auto found =
             std::find_if(items.begin(), items.end(), [&](const Value& item) { return equals(r, item, *bound[0]); });
         if (found == items.end()) fail("ValueError", fmt::format("{} is not in list", to_repr(r, *bound[0])));
         return Value(static_cast<int64_t>(found - items.begin()));
       }},
  };
  return methods;
}

/// What the immutable sandbox does not hand out.
bool changes_its_object(const Value& object, const std::string& name) {
  static const std::unordered_set<std::string> of_list = {"append", "clear",  "extend",  "insert",
                                                          "pop",    "remove", "reverse", "sort"};
  static const std::unordered_set<std::string> of_dict = {"clear", "pop", "popitem", "setdefault", "update"};
  return (object.is(Kind::kList) && of_list.count(name)) || (object.is(Kind::kDict) && of_dict.count(name));
}

/// Methods of Python's str that are not known here.
bool is_unsupported_text_method(const std::string& name) {
  static const std::unordered_set<std::string> names = {"casefold",    "encode",  "expandtabs",   "format",
                                                        "format_map",  "isdigit", "isidentifier", "isnumeric",
                                                        "isprintable", "istitle", "maketrans",    "translate"};
  return names.count(name) > 0;
}

}  // namespace

std::optional<Value> bound_method(Runtime& runtime, const Value& object, const std::string& name) {
  const std::unordered_map<std::string, Method>* methods = nullptr;
  if (object.is(Kind::kString)) methods = &text_methods();
  if (object.is(Kind::kDict)) methods = &dict_methods();
  const bool is_sequence =
      object.is(Kind::kList) && (object.list().kind == ListKind::kList || object.list().kind == ListKind::kTuple);
  if (is_sequence) methods = &list_methods();
  if (!methods) return std::nullopt;
  if (const auto found = methods->find(name); found != methods->end()) {
    return runtime.callable(name, [&runtime, object, method = found->second](const Arguments& arguments) {
      return method(runtime, object, arguments);
    });
  }
  if (changes_its_object(object, name)) {
    return Value::undefined(fmt::format("access to attribute '{}' of '{}' object is unsafe.", name, type_name(object)),
                            "SecurityError");
  }
  if (object.is(Kind::kString) && is_unsupported_text_method(name))
    fail_unsupported(fmt::format("the method str.{}", name));
  return std::nullopt;
}

}  // namespace plumbline::jinja
