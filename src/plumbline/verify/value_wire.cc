#include "plumbline/verify/value_wire.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
using Token = MarshalReader::Token;

constexpr int kMaxDepth = 100;

std::optional<PythonValue> read_token(MarshalReader& reader, Token token, int depth);

std::optional<PythonValue> read_items(MarshalReader& reader, Kind kind, int depth) {
  PythonValue value;
  value.kind = kind;
  for (size_t left = reader.count(); left > 0; --left) {
    auto item = read_token(reader, reader.next(), depth + 1);
    if (!item) return std::nullopt;
    value.items.push_back(std::move(*item));
  }
  if (kind == Kind::kSet || kind == Kind::kFrozenset) {
    for (const PythonValue& item : value.items) {
      if (!is_hashable(item)) return std::nullopt;
    }
  }
  return value;
}

std::optional<PythonValue> read_dict(MarshalReader& reader, int depth) {
  PythonValue value;
  value.kind = Kind::kDict;
  while (true) {
    const Token token = reader.next();
    if (token == Token::kEnd) break;
    auto key = read_token(reader, token, depth + 1);
    if (!key || !is_hashable(*key)) return std::nullopt;
    auto item = read_token(reader, reader.next(), depth + 1);
    if (!item) return std::nullopt;
    value.entries.emplace_back(std::move(*key), std::move(*item));
  }
  return value;
}

std::optional<PythonValue> read_token(MarshalReader& reader, Token token, int depth) {
  if (depth > kMaxDepth) return std::nullopt;
  switch (token) {
    case Token::kNone:
      return PythonValue::none();
    case Token::kTrue:
      return PythonValue::of_bool(true);
    case Token::kFalse:
      return PythonValue::of_bool(false);
    case Token::kInteger:
      return PythonValue::of_int(reader.decimal());
    case Token::kReal:
      return PythonValue::of_float(reader.real());
    case Token::kText:
      return PythonValue::of_str(std::string(reader.text()));
    case Token::kList:
      return read_items(reader, Kind::kList, depth);
    case Token::kTuple:
      return read_items(reader, Kind::kTuple, depth);
    case Token::kSet:
      return read_items(reader, Kind::kSet, depth);
    case Token::kFrozenSet:
      return read_items(reader, Kind::kFrozenset, depth);
    case Token::kDict:
      return read_dict(reader, depth);
    case Token::kEnd:
    case Token::kBad:
      return std::nullopt;
  }
  return std::nullopt;
}

void write_items(const PythonValue& value, MarshalWriter& writer) {
  for (const PythonValue& item : value.items) write_value(item, writer);
}

}  // namespace

void write_value(const PythonValue& value, MarshalWriter& writer) {
  switch (value.kind) {
    case Kind::kNone:
      writer.none();
      break;
    case Kind::kBool:
      writer.boolean(value.boolean);
      break;
    case Kind::kInt:
      writer.big_integer(value.text);
      break;
    case Kind::kFloat:
      writer.real(value.real);
      break;
    case Kind::kStr:
      writer.text(value.text);
      break;
    case Kind::kList:
      write_items(value, writer.list(value.items.size()));
      break;
    case Kind::kTuple:
      write_items(value, writer.tuple(value.items.size()));
      break;
    case Kind::kSet:
      write_items(value, writer.set(value.items.size()));
      break;
    case Kind::kFrozenset:
      write_items(value, writer.frozen_set(value.items.size()));
      break;
    case Kind::kDict:
      writer.begin_dict();
      for (const auto& [key, item] : value.entries) {
        write_value(key, writer);
        write_value(item, writer);
      }
      writer.end_dict();
      break;
  }
}

std::optional<PythonValue> read_value(std::string_view bytes) {
  MarshalReader reader(bytes);
  auto value = read_token(reader, reader.next(), 0);
  return value && reader.at_end() ? std::move(value) : std::nullopt;
}

}  // namespace plumbline
