#include "plumbline/text/jinja/value.h"

#include <fmt/format.h>

namespace plumbline::jinja {

void fail(const char* python_class, const std::string& message) {
  throw TemplateFailure{"data.template_error", fmt::format("{}: {}", python_class, message)};
}

void fail_unsupported(const std::string& what) {
  throw TemplateFailure{"data.template_error", fmt::format("Unsupported: {} is not supported by plumbline", what)};
}

Value Value::undefined(std::string message, const char* python_class) {
  Value value;
  value.kind_ = Kind::kUndefined;
  value.text_ = std::make_shared<const std::string>(fmt::format("{}: {}", python_class, message));
  return value;
}

bool Value::same_as(const Value& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kUndefined:
      return text_ == other.text_;
    case Kind::kNone:
      return true;
    case Kind::kString:
      return text_ == other.text_ || *text_ == *other.text_;
    case Kind::kFloat:
      return float_ == other.float_;
    case Kind::kBool:
    case Kind::kInt:
      return int_ == other.int_;
    default:
      return list_ == other.list_;
  }
}

namespace {

/// True, 1 and 1.0 are one key in Python.
bool same_key(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return left.real() == right.real();
  return left.same_as(right);
}

void require_key(const Value& key) {
  require_hashable(key);
  if (!key.is_number() && !key.is(Kind::kString) && !key.is(Kind::kNone)) {
    fail_unsupported(fmt::format("a {} as a key", type_name(key)));
  }
}

}  // namespace

void require_hashable(const Value& value) {
  const bool is_plain_list = value.is(Kind::kList) && value.list().kind == ListKind::kList;
  if (is_plain_list || value.is(Kind::kDict)) fail("TypeError", fmt::format("unhashable type: '{}'", type_name(value)));
}

const Value* DictObject::find(const std::string& key) const {
  const auto found = index_of_text_.find(key);
  return found == index_of_text_.end() ? nullptr : &entries[found->second].second;
}

const Value* DictObject::find(const Value& key) const {
  if (key.is(Kind::kString)) return find(key.text());
  require_key(key);
  if (index_of_text_.size() == entries.size()) return nullptr;
  for (const auto& [known, value] : entries) {
    if (same_key(known, key)) return &value;
  }
  return nullptr;
}

void DictObject::set(const Value& key, const Value& value) {
  if (const Value* present = find(key)) {
    const_cast<Value&>(*present) = value;
    return;
  }
  require_key(key);
  if (key.is(Kind::kString)) index_of_text_[key.text()] = entries.size();
  entries.emplace_back(key, value);
}

const Value* NamespaceObject::find(const std::string& name) const {
  for (const auto& [known, value] : members) {
    if (known == name) return &value;
  }
  return nullptr;
}

void NamespaceObject::set(const std::string& name, const Value& value) {
  for (auto& [known, present] : members) {
    if (known == name) {
      present = value;
      return;
    }
  }
  members.emplace_back(name, value);
}

std::vector<std::optional<Value>> bind(const Arguments& arguments, const std::string& function,
                                       const std::vector<const char*>& parameters) {
  std::vector<std::optional<Value>> bound(parameters.size());
  if (arguments.positional.size() > parameters.size()) {
    fail("TypeError", fmt::format("{}() takes at most {} arguments ({} given)", function, parameters.size(),
                                  arguments.positional.size()));
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) bound[i] = arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    size_t at = 0;
    while (at < parameters.size() && name != parameters[at]) ++at;
    if (at == parameters.size()) {
      fail("TypeError", fmt::format("{}() got an unexpected keyword argument '{}'", function, name));
    }
    if (bound[at]) fail("TypeError", fmt::format("{}() got multiple values for argument '{}'", function, name));
    bound[at] = value;
  }
  return bound;
}

bool LoopObject::has(size_t count) {
  while (items.size() < count && next_item) {
    if (is_asking) fail("ValueError", "generator already executing");
    is_asking = true;
    const bool found = next_item();
    is_asking = false;
    if (!found) next_item = nullptr;
  }
  return items.size() >= count;
}

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kString:
      return value.is_safe() ? "Markup" : "str";
    case Kind::kList:
      switch (value.list().kind) {
        case ListKind::kList:
          return "list";
        case ListKind::kTuple:
          return "tuple";
        case ListKind::kRange:
          return "range";
        case ListKind::kItems:
          return "dict_items";
        case ListKind::kKeys:
          return "dict_keys";
        case ListKind::kValues:
          return "dict_values";
        case ListKind::kGenerator:
          return "generator";
      }
      return "list";
    case Kind::kDict:
      return "dict";
    case Kind::kNamespace:
      return "Namespace";
    case Kind::kCallable:
      return "function";
    case Kind::kLoop:
      return "LoopContext";
  }
  return "object";
}

void require_defined(const Value& value) {
  if (value.is(Kind::kUndefined)) throw TemplateFailure{"data.template_error", value.text()};
}

}  // namespace plumbline::jinja
