#include "plumbline/record/exact_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
constexpr size_t kMaxDepth = 512;
/// Longer integers overflow the double that the library makes of them on the way, which it refuses.
constexpr size_t kMaxLibraryDigits = 300;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_integer_token(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  return !token.empty() && (token.size() == 1 || token[0] != '0') && std::all_of(token.begin(), token.end(), is_digit);
}

/// Takes very long integers out of the text, a 0 and blanks in their place so that byte offsets stay true.
/// Returns them by the ordinal of the number in the document.
std::map<size_t, std::string> take_long_integers(std::string& text) {
  std::map<size_t, std::string> taken;
  size_t ordinal = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    } else if (text[i] == '-' || is_digit(text[i])) {
      const size_t end = std::min(text.find_first_not_of("+-.eE0123456789", i), text.size());
      const std::string_view token = std::string_view(text).substr(i, end - i);
      if (token.size() > kMaxLibraryDigits && is_integer_token(token)) {
        taken.emplace(ordinal, token);
        std::fill(text.begin() + static_cast<long>(i), text.begin() + static_cast<long>(end), ' ');
        text[i] = '0';
      }
      ++ordinal;
      i = end - 1;
    }
  }
  return taken;
}

/// Builds the value from the library's events.
class ValueBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ValueBuilder(std::map<size_t, std::string> long_integers) : long_integers_(std::move(long_integers)) {}

  bool null() override { return add(PythonValue::none()); }
  bool boolean(bool value) override { return add(PythonValue::of_bool(value)); }
  bool number_integer(number_integer_t value) override { return add_integer(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add_integer(std::to_string(value)); }
  bool number_float(number_float_t value, const std::string& token) override {
    if (is_integer_token(token)) return add_integer(token);
    ++num_numbers_;
    return add(PythonValue::of_float(value));
  }
  bool string(std::string& value) override { return add(PythonValue::of_str(std::move(value))); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(size_t) override { return open(Kind::kDict); }
  bool start_array(size_t) override { return open(Kind::kList); }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) return fail(fmt::format("the key \"{}\" stands twice in one object", name));
    names_.back() = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    offset_ = position;
    return fail(error.id == 406 ? "a float beyond the range of a double" : "not valid JSON");
  }

  PythonValue take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }
  size_t offset() const { return offset_; }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool add_integer(std::string digits) {
    const auto found = long_integers_.find(num_numbers_++);
    return add(PythonValue::of_int(found == long_integers_.end() ? std::move(digits) : found->second));
  }
  bool open(Kind kind) {
    if (stack_.size() == kMaxDepth) return fail("nested deeper than 512 levels");
    PythonValue value;
    value.kind = kind;
    stack_.push_back(std::move(value));
    keys_.emplace_back();
    names_.emplace_back();
    return true;
  }
  bool close() {
    PythonValue value = std::move(stack_.back());
    stack_.pop_back();
    keys_.pop_back();
    names_.pop_back();
    return add(std::move(value));
  }
  bool add(PythonValue value) {
    if (stack_.empty())
      root_ = std::move(value);
    else if (stack_.back().is(Kind::kList))
      stack_.back().items.push_back(std::move(value));
    else
      stack_.back().entries.emplace_back(PythonValue::of_str(std::move(names_.back())), std::move(value));
    return true;
  }

  const std::map<size_t, std::string> long_integers_;
  size_t num_numbers_ = 0, offset_ = 0;
  PythonValue root_;
  std::vector<PythonValue> stack_;
  std::vector<std::unordered_set<std::string>> keys_;
  std::vector<std::string> names_;
  std::string problem_;
};

}  // namespace

PythonValue parse_exact_json(std::string_view text, const std::string& where) {
  require_no_null_byte(text, where);
  std::string shortened(text);
  ValueBuilder builder(take_long_integers(shortened));
  if (!nlohmann::json::sax_parse(shortened, &builder)) {
    throw DataError("data.json", builder.problem(),
                    builder.offset() ? fmt::format("{}, byte {}", where, builder.offset()) : where,
                    text.empty() ? "the text is empty" : "write strict JSON, UTF-8, one value");
  }
  return builder.take();
}

}  // namespace plumbline
