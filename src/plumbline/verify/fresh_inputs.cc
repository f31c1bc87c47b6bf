#include "plumbline/verify/fresh_inputs.h"

#include <algorithm>
#include <map>
#include <set>

#include "plumbline/base/rng.h"
#include "plumbline/base/sha256.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_literal.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
constexpr size_t kTriesPerInput = 8;
constexpr size_t kMostChanges = 3;
constexpr size_t kSmallDigits = 15;
constexpr size_t kMeaningfulLiteral = 3;

/// A value inside an argument, and where it stands: parameter and containers around it.
struct Leaf {
  std::string place;
  PythonValue* value;
};
struct Sequence {
  std::string place;
  PythonValue* value;
};

/// Everything that can be changed inside one call. Elements of sets and keys of dicts are left alone.
struct Inside {
  std::vector<Leaf> leaves;
  std::vector<Sequence> lists;

  void add(PythonValue& value, const std::string& place) {
    if (value.is(Kind::kList) || value.is(Kind::kTuple)) {
      lists.push_back({place, &value});
      for (PythonValue& item : value.items) add(item, place + "[]");
    } else if (value.is(Kind::kDict)) {
      for (auto& entry : value.entries) add(entry.second, place + "{}");
    } else if (!value.is(Kind::kSet) && !value.is(Kind::kFrozenset) && !value.is(Kind::kNone)) {
      leaves.push_back({place, &value});
    }
  }
};

Inside inside(PythonCall& call) {
  Inside result;
  for (size_t i = 0; i < call.args.size(); ++i) result.add(call.args[i], std::to_string(i));
  for (auto& [name, value] : call.kwargs) result.add(value, name);
  return result;
}

bool is_ordered(const PythonValue& list, bool strictly) {
  for (size_t i = 1; i < list.items.size(); ++i) {
    const auto above = is_less(list.items[i], list.items[i - 1]);
    if (!above || *above) return false;
    if (strictly && python_equality_key(list.items[i]) == python_equality_key(list.items[i - 1])) return false;
  }
  return true;
}

bool is_distinct(const PythonValue& list) {
  std::set<std::string> keys;
  return std::all_of(list.items.begin(), list.items.end(),
                     [&](const PythonValue& item) { return keys.insert(python_equality_key(item)).second; });
}

/// What the visible tests show about one place.
struct Place {
  std::vector<PythonValue> seen;
  bool sorted = true, distinct = true;  ///< of a list
  bool is_length = true;                ///< always the length of some list of its call
};

class Shapes {
 public:
  explicit Shapes(std::vector<PythonCall>& calls) {
    for (PythonCall& call : calls) learn(call);
  }

  bool changeable(const Leaf& leaf) const { return !(leaf.value->is(Kind::kInt) && places_.at(leaf.place).is_length); }

  void change(const Leaf& leaf, CounterRng& rng) const {
    const std::vector<PythonValue>& seen = places_.at(leaf.place).seen;
    PythonValue& value = *leaf.value;
    if (value.is(Kind::kBool)) {
      value.boolean = !value.boolean;
    } else if (value.is(Kind::kInt)) {
      value = integer_like(seen, value, rng);
    } else if (value.is(Kind::kFloat)) {
      const PythonValue &a = one_of(seen, rng), &b = one_of(seen, rng);
      if (a.is(Kind::kFloat) && b.is(Kind::kFloat)) value.real = a.real / 2 + b.real / 2;
    } else if (value.is(Kind::kStr)) {
      change_text(value.text, seen, rng);
    }
  }

  /// Sorts where all visible lists are sorted. False when a list lost its distinct elements.
  bool restore(const std::vector<Sequence>& lists) const {
    for (const Sequence& list : lists) {
      const Place& place = places_.at(list.place);
      if (place.sorted) {
        std::stable_sort(list.value->items.begin(), list.value->items.end(),
                         [](const auto& a, const auto& b) { return is_less(a, b).value_or(false); });
      }
      if (place.distinct && !is_distinct(*list.value)) return false;
    }
    return true;
  }

 private:
  static const PythonValue& one_of(const std::vector<PythonValue>& values, CounterRng& rng) {
    return values[rng.next_below(values.size())];
  }

  void learn(PythonCall& call) {
    const Inside parts = inside(call);
    std::set<std::string> lengths;
    for (const Sequence& list : parts.lists) {
      lengths.insert(std::to_string(list.value->items.size()));
      Place& place = places_[list.place];
      place.sorted = place.sorted && is_ordered(*list.value, false);
      place.distinct = place.distinct && is_distinct(*list.value);
    }
    for (const Leaf& leaf : parts.leaves) {
      if (leaf.value->is(Kind::kStr)) lengths.insert(std::to_string(leaf.value->text.size()));
    }
    for (const Leaf& leaf : parts.leaves) {
      Place& place = places_[leaf.place];
      place.seen.push_back(*leaf.value);
      place.is_length = place.is_length && leaf.value->is(Kind::kInt) && lengths.contains(leaf.value->text);
    }
  }

  static PythonValue integer_like(const std::vector<PythonValue>& seen, const PythonValue& old, CounterRng& rng) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (const PythonValue& value : seen) {
      if (!value.is(Kind::kInt) || value.text.size() > kSmallDigits) return one_of(seen, rng);
      least = std::min<int64_t>(least, std::stoll(value.text));
      most = std::max<int64_t>(most, std::stoll(value.text));
    }
    const auto width = static_cast<uint64_t>(most - least) + 1;
    PythonValue value = old;
    value.text = std::to_string(least + static_cast<int64_t>(rng.next_below(width)));
    return value;
  }

  static void change_text(std::string& text, const std::vector<PythonValue>& seen, CounterRng& rng) {
    const PythonValue& other = one_of(seen, rng);
    const auto plain = [](const std::string& t) {
      return std::all_of(t.begin(), t.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    };
    if (!other.is(Kind::kStr) || other.text.empty() || text.empty() || !plain(text) || !plain(other.text)) return;
    text[rng.next_below(text.size())] = other.text[rng.next_below(other.text.size())];
  }

  std::map<std::string, Place> places_;
};

std::string call_key(const PythonCall& call) {
  std::string key;
  for (const PythonValue& value : call.args) key += to_notation(value) + ",";
  for (const auto& [name, value] : call.kwargs) key += name + "=" + to_notation(value) + ",";
  return key;
}

uint64_t seed_of(const Problem& problem) {
  return std::stoull(sha256_hex(grading_hash(problem)).substr(0, 16), nullptr, 16);
}

/// The literal without blanks and with one kind of quotes.
std::string compact(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    result += c == '"' ? '\'' : c;
  }
  return result;
}

bool is_word_char(char c) {
  return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool stands_in(const std::string& code, const std::string& literal) {
  for (size_t at = code.find(literal); at != std::string::npos; at = code.find(literal, at + 1)) {
    const size_t end = at + literal.size();
    const bool begins = at == 0 || !is_word_char(code[at - 1]) || !is_word_char(literal[0]);
    if (begins && (end == code.size() || !is_word_char(code[end]) || !is_word_char(literal.back()))) return true;
  }
  return false;
}

}  // namespace

std::vector<PythonCall> make_fresh_inputs(const Problem& problem, size_t count) {
  std::vector<PythonCall> visible;
  std::set<std::string> known;
  for (const TestCase& test : problem.tests) {
    if (!test.is_plain()) return {};
    visible.push_back({test.args, test.kwargs, test.as_list});
    known.insert(call_key(visible.back()));
  }
  if (visible.empty()) return {};
  const Shapes shapes(visible);
  CounterRng rng({seed_of(problem), Stream::kFreshInputs, 0, 0, 0});
  std::vector<PythonCall> fresh;
  for (size_t tries = count * kTriesPerInput; tries > 0 && fresh.size() < count; --tries) {
    PythonCall call = visible[rng.next_below(visible.size())];
    Inside parts = inside(call);
    std::erase_if(parts.leaves, [&](const Leaf& leaf) { return !shapes.changeable(leaf); });
    if (parts.leaves.empty()) continue;
    for (uint64_t changes = 1 + rng.next_below(kMostChanges); changes > 0; --changes) {
      shapes.change(parts.leaves[rng.next_below(parts.leaves.size())], rng);
    }
    if (shapes.restore(parts.lists) && known.insert(call_key(call)).second) fresh.push_back(std::move(call));
  }
  return fresh;
}

QuotedTests quoted_tests(const Problem& problem, const std::string& code) {
  const std::string text = compact(code);
  QuotedTests meaningful, all;
  for (const TestCase& test : problem.tests) {
    std::vector<std::string> literals;
    for (const PythonValue& value : test.args) literals.push_back(compact(to_python_literal(value)));
    for (const auto& [name, value] : test.kwargs) literals.push_back(compact(to_python_literal(value)));
    if (literals.empty()) continue;
    const bool quoted =
        std::all_of(literals.begin(), literals.end(), [&](const std::string& one) { return stands_in(text, one); });
    const bool counts = std::any_of(literals.begin(), literals.end(),
                                    [](const std::string& one) { return one.size() >= kMeaningfulLiteral; });
    all.total += 1, all.quoted += quoted;
    meaningful.total += counts, meaningful.quoted += counts && quoted;
  }
  return meaningful.total > 0 ? meaningful : all;
}

}  // namespace plumbline
