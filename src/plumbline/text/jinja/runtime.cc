#include "plumbline/text/jinja/runtime.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace plumbline::jinja {

void Runtime::exhausted(const char* what) {
  throw TemplateFailure{"data.template_limit", fmt::format("the template uses too many {}", what)};
}

Value Runtime::list(std::vector<Value> items, ListKind kind) {
  step(items.size() * 2);
  auto* list = make<ListObject>();
  list->kind = kind;
  list->items = std::move(items);
  return Value(list);
}

Value Runtime::callable(std::string name, std::function<Value(const Arguments&)> call) {
  auto* callable = make<CallableObject>();
  callable->name = std::move(name);
  callable->call = std::move(call);
  return Value(callable);
}

Value Runtime::from_json(const Json& json) {
  const Level level(*this);
  step();
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value(json.get<bool>());
    case Json::value_t::number_integer:
      return Value(json.get<int64_t>());
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() > INT64_MAX) return Value(json.get<double>());
      return Value(json.get<int64_t>());
    case Json::value_t::number_float:
      return Value(json.get<double>());
    case Json::value_t::string:
      return text(json.get<std::string>());
    case Json::value_t::array: {
      std::vector<Value> items;
      for (const Json& item : json) items.push_back(from_json(item));
      return list(std::move(items));
    }
    case Json::value_t::object: {
      auto* dict = make<DictObject>();
      for (const auto& [key, item] : json.items()) dict->set(Value(key), from_json(item));
      return Value(dict);
    }
    default:
      return {};
  }
}

}  // namespace plumbline::jinja
