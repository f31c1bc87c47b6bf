#include "plumbline/text/jinja/python_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

/// str.isprintable of one character.
bool is_printable(char32_t c) {
  if (c == ' ') return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

std::string text_repr(const std::string& text) {
  const bool double_quotes = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string out(1, quote);
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_printable(c)) {
      out.append(text, begin, at - begin);
    } else if (c < 0x100) {
      out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
    }
  }
  return out + quote;
}

std::string joined_reprs(Runtime& runtime, const std::vector<Value>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + to_repr(runtime, items[i]);
  runtime.charge_text(out.size());
  return out;
}

std::string list_repr(Runtime& runtime, const ListObject& list) {
  const std::string inner = joined_reprs(runtime, list.items);
  switch (list.kind) {
    case ListKind::kList:
      return fmt::format("[{}]", inner);
    case ListKind::kTuple:
      return list.items.size() == 1 ? fmt::format("({},)", inner) : fmt::format("({})", inner);
    case ListKind::kItems:
      return fmt::format("dict_items([{}])", inner);
    case ListKind::kKeys:
      return fmt::format("dict_keys([{}])", inner);
    case ListKind::kValues:
      return fmt::format("dict_values([{}])", inner);
    default:
      fail_unsupported(fmt::format("a {} as text", list.kind == ListKind::kRange ? "range" : "generator"));
  }
}

void append_json_text(std::string& out, const std::string& text, bool ensure_ascii) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const auto code = static_cast<uint32_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (c < 0x20 || (ensure_ascii && c >= 0x7F && c < 0x10000)) {
      out += fmt::format("\\u{:04x}", code);
    } else if (ensure_ascii && c >= 0x10000) {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
      out.append(text, begin, at - begin);
    }
  }
  out += '"';
}

class JsonWriter {
 public:
  JsonWriter(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}

  std::string run(const Value& value) {
    write(value);
    runtime_.charge_text(out_.size());
    return std::move(out_);
  }

 private:
  void write(const Value& value) {
    const Runtime::Level level(runtime_);
    runtime_.step();
    if (out_.size() > kMaxTextBytes) runtime_.charge_text(out_.size());
    switch (value.kind()) {
      case Kind::kString:
        return append_json_text(out_, value.text(), style_.ensure_ascii);
      case Kind::kNone:
        out_ += "null";
        return;
      case Kind::kBool:
        out_ += value.integer() ? "true" : "false";
        return;
      case Kind::kInt:
        out_ += std::to_string(value.integer());
        return;
      case Kind::kFloat:
        out_ += json_float(value.real());
        return;
      case Kind::kList:
        if (value.list().kind == ListKind::kList || value.list().kind == ListKind::kTuple)
          return write_list(value.list());
        [[fallthrough]];
      default:
        if (value.is(Kind::kDict)) return write_dict(value.dict());
        fail("TypeError", fmt::format("Object of type {} is not JSON serializable", type_name(value)));
    }
  }

  static std::string json_float(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return float_repr(value);
  }

  void line_break() {
    if (!style_.has_indent) return;
    out_ += '\n';
    for (size_t i = 0; i < depth_; ++i) out_ += style_.indent;
  }

  void separate(bool is_first) {
    if (!is_first) out_ += style_.item_separator;
    line_break();
  }

  void write_list(const ListObject& list) {
    if (list.items.empty()) {
      out_ += "[]";
      return;
    }
    out_ += '[';
    ++depth_;
    for (size_t i = 0; i < list.items.size(); ++i) {
      separate(i == 0);
      write(list.items[i]);
    }
    --depth_;
    line_break();
    out_ += ']';
  }

  std::string key_text(const Value& key) {
    if (key.is(Kind::kString)) return key.text();
    if (key.is(Kind::kNone)) return "null";
    if (key.is(Kind::kBool)) return key.integer() ? "true" : "false";
    if (key.is(Kind::kFloat)) return json_float(key.real());
    return to_text(runtime_, key);
  }

  void write_dict(const DictObject& dict) {
    if (dict.entries.empty()) {
      out_ += "{}";
      return;
    }
    std::vector<const std::pair<Value, Value>*> entries;
    for (const auto& entry : dict.entries) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(), [this](const auto* left, const auto* right) {
        return key_text(left->first) < key_text(right->first);
      });
    }
    out_ += '{';
    ++depth_;
    for (size_t i = 0; i < entries.size(); ++i) {
      separate(i == 0);
      append_json_text(out_, key_text(entries[i]->first), style_.ensure_ascii);
      out_ += style_.key_separator;
      write(entries[i]->second);
    }
    --depth_;
    line_break();
    out_ += '}';
  }

  Runtime& runtime_;
  const JsonStyle& style_;
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string scientific(buffer, end);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  const auto fixed_end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string fixed(buffer, fixed_end);
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

std::string to_repr(Runtime& runtime, const Value& value) {
  const Runtime::Level level(runtime);
  runtime.step();
  switch (value.kind()) {
    case Kind::kString:
      return value.is_safe() ? fmt::format("Markup({})", text_repr(value.text())) : text_repr(value.text());
    case Kind::kList:
      return list_repr(runtime, value.list());
    case Kind::kDict: {
      std::string out;
      for (const auto& [key, item] : value.dict().entries) {
        out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", to_repr(runtime, key), to_repr(runtime, item));
      }
      runtime.charge_text(out.size());
      return fmt::format("{{{}}}", out);
    }
    case Kind::kUndefined:
      return "Undefined";
    default:
      return to_text(runtime, value);
  }
}

std::string to_text(Runtime& runtime, const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "";
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.integer() ? "True" : "False";
    case Kind::kInt:
      return std::to_string(value.integer());
    case Kind::kFloat:
      return float_repr(value.real());
    case Kind::kString:
      return value.text();
    case Kind::kList:
    case Kind::kDict:
      return to_repr(runtime, value);
    default:
      fail_unsupported(fmt::format("a {} as text", type_name(value)));
  }
}

std::string to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  return JsonWriter(runtime, style).run(value);
}

}  // namespace plumbline::jinja
