#include "plumbline/text/jinja/globals.h"

#include <fmt/format.h>

#include <ctime>

#include "plumbline/text/jinja/operations.h"
#include "plumbline/text/jinja/python_text.h"
#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

constexpr int64_t kMaxRange = 100'000;  // Jinja's sandbox has the same

Value range(Runtime& runtime, const Arguments& arguments) {
  const auto& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.named.empty()) {
    fail("TypeError", fmt::format("range expected 1 to 3 arguments, got {}", given.size()));
  }
  const int64_t first = given.size() == 1 ? 0 : require_integer(given[0], "range()");
  const int64_t stop = require_integer(given[given.size() == 1 ? 0 : 1], "range()");
  const int64_t step = given.size() == 3 ? require_integer(given[2], "range()") : 1;
  if (step == 0) fail("ValueError", "range() arg 3 must not be zero");
  std::vector<Value> items;
  bool beyond = false;  // of 64 bits, so beyond `stop` too
  for (int64_t at = first; !beyond && (step > 0 ? at < stop : at > stop);
       beyond = __builtin_add_overflow(at, step, &at)) {
    if (static_cast<int64_t>(items.size()) >= kMaxRange) {
      fail("OverflowError",
           fmt::format("Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).", kMaxRange));
    }
    items.emplace_back(at);
  }
  return runtime.list(std::move(items), ListKind::kRange);
}

/// Entries of an optional mapping or list of pairs, then the named arguments.
std::vector<std::pair<Value, Value>> entries_given(Runtime& runtime, const Arguments& arguments, const char* function) {
  if (arguments.positional.size() > 1) {
    fail("TypeError", fmt::format("{} expected at most 1 argument, got {}", function, arguments.positional.size()));
  }
  std::vector<std::pair<Value, Value>> entries;
  for (const Value& given : arguments.positional) require_defined(given);
  if (!arguments.positional.empty() && arguments.positional[0].is(Kind::kDict)) {
    entries = arguments.positional[0].dict().entries;
  } else if (!arguments.positional.empty()) {
    for (const Value& pair : items_of(runtime, arguments.positional[0])) {
      const std::vector<Value> members = items_of(runtime, pair);
      if (members.size() != 2) fail("ValueError", "dictionary update sequence elements must be of length 2");
      entries.emplace_back(members[0], members[1]);
    }
  }
  for (const auto& [name, value] : arguments.named) entries.emplace_back(Value(name), value);
  runtime.step(entries.size() * 8);
  return entries;
}

Value make_dict(Runtime& runtime, const Arguments& arguments) {
  auto* dict = runtime.make<DictObject>();
  for (const auto& [key, value] : entries_given(runtime, arguments, "dict")) dict->set(key, value);
  return Value(dict);
}

Value make_namespace(Runtime& runtime, const Arguments& arguments) {
  auto* space = runtime.make<NamespaceObject>();
  for (const auto& [key, value] : entries_given(runtime, arguments, "namespace"))
    space->set(to_text(runtime, key), value);
  return Value(space);
}

Value raise_exception(Runtime& runtime, const Arguments& arguments) {
  const auto bound = bind(arguments, "raise_exception", {"message"});
  if (!bound[0]) fail("TypeError", "raise_exception() missing 1 required positional argument: 'message'");
  throw TemplateFailure{"data.template_raised", to_text(runtime, *bound[0])};
}

/// The clock that templates see, as local time.
std::tm clock_of(const std::string& now_iso) {
  std::tm time = {};
  if (now_iso.empty()) {
    const std::time_t now = std::time(nullptr);
    localtime_r(&now, &time);
    return time;
  }
  const char* rest = strptime(now_iso.c_str(), "%Y-%m-%d", &time);
  if (rest && (*rest == 'T' || *rest == ' ')) rest = strptime(rest + 1, "%H:%M:%S", &time);
  if (!rest) fail("ValueError", fmt::format("Invalid isoformat string: '{}'", now_iso));
  std::tm copy = time;
  timegm(&copy);  // fills in the day of the week and of the year
  time.tm_wday = copy.tm_wday;
  time.tm_yday = copy.tm_yday;
  return time;
}

Value strftime_now(Runtime& runtime, const Arguments& arguments) {
  const auto bound = bind(arguments, "strftime_now", {"format"});
  if (!bound[0] || !bound[0]->is(Kind::kString)) fail("TypeError", "strftime() argument 1 must be str");
  const std::string format = bound[0]->text();
  if (format.size() > 1024) fail_unsupported("a time format of more than 1,024 bytes");
  const std::tm time = clock_of(runtime.now_iso());
  std::string out(65536, '\0');
  out.resize(std::strftime(out.data(), out.size(), format.c_str(), &time));
  return runtime.text(replace_invalid_utf8(out));
}

}  // namespace

std::optional<Value> global_function(Runtime& runtime, const std::string& name) {
  using Function = Value (*)(Runtime&, const Arguments&);
  static constexpr std::pair<const char*, Function> kFunctions[] = {{"range", range},
                                                                    {"dict", make_dict},
                                                                    {"namespace", make_namespace},
                                                                    {"raise_exception", raise_exception},
                                                                    {"strftime_now", strftime_now}};
  for (const auto& [known, function] : kFunctions) {
    if (name == known) {
      return runtime.callable(
          name, [&runtime, call = function](const Arguments& arguments) { return call(runtime, arguments); });
    }
  }
  if (name == "lipsum" || name == "cycler" || name == "joiner") fail_unsupported(fmt::format("the function {}", name));
  return std::nullopt;
}

}  // namespace plumbline::jinja
