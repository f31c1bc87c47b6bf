#include "plumbline/doctor/readers/json_head.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kMostValues = 1'000'000;
constexpr int kMaxDepth = 100;

bool is_row_list(const std::string& path, int depth) {
  if (depth == 0 || path == "rows" || path == "perItem" || path == "cases" || path == "samples") return true;
  if (path == "log_history" || path == "data") return true;
  return depth == 2 && path.starts_with("rows.");
}

class HeadReader {
 public:
  HeadReader(JsonStream& stream, const RowVisitor& visit) : stream_(stream), visit_(visit) {}

  JsonHead read() {
    head_.tree = std::make_shared<const Json>(value(0));
    head_.num_nonfinite = stream_.num_nonfinite();
    return std::move(head_);
  }

 private:
  Json value(int depth) {
    if (++num_values_ > kMostValues || depth > kMaxDepth) {
      throw DataError("data.too_large", "more structure than any report has", stream_.where());
    }
    switch (stream_.kind()) {
      case JsonStream::Kind::kObject:
        return object(depth);
      case JsonStream::Kind::kArray:
        return array(depth);
      case JsonStream::Kind::kString: {
        std::string text;
        stream_.string(text);
        return text;
      }
      case JsonStream::Kind::kNumber:
        return number();
      case JsonStream::Kind::kBoolean:
        return stream_.boolean();
      case JsonStream::Kind::kNull:
        stream_.null();
        return nullptr;
      case JsonStream::Kind::kEnd:
        stream_.skip();
    }
    return nullptr;
  }

  Json number() {
    std::string token;
    const double value = stream_.number(&token);
    if (!std::isfinite(value)) return nullptr;
    if (token.find_first_of(".eE") == std::string::npos && std::fabs(value) < 9e15) return static_cast<int64_t>(value);
    return value;
  }

  Json object(int depth) {
    Json result = Json::object();
    const size_t size = path_.size();
    std::string key;
    stream_.begin_object();
    while (stream_.next_key(key)) {
      if (size > 0) path_ += '.';
      path_ += key;
      Json member = value(depth + 1);
      const auto found = result.find(key);
      if (found == result.end()) {
        result[key] = std::move(member);
      } else if (*found != member) {
        head_.conflicts.push_back(path_);
      }
      path_.resize(size);
    }
    return result;
  }

  Json array(int depth) {
    Json result = Json::array();
    const bool rows = is_row_list(path_, depth);
    stream_.begin_array();
    while (stream_.next_element()) {
      const JsonStream::Kind kind = stream_.kind();
      if (rows && (kind == JsonStream::Kind::kObject || kind == JsonStream::Kind::kArray)) {
        row_.read(stream_);
        if (!row_.conflict().empty()) head_.conflicts.push_back(path_ + " row: " + row_.conflict());
        ++head_.num_rows;
        visit_(path_, row_);
      } else {
        result.push_back(value(depth + 1));
      }
    }
    return result;
  }

  JsonStream& stream_;
  const RowVisitor& visit_;
  JsonHead head_;
  FlatRow row_;
  std::string path_;
  int64_t num_values_ = 0;
};

}  // namespace

JsonHead read_json_head(JsonStream& stream, const RowVisitor& visit) {
  return HeadReader(stream, visit).read();
}

const Json* value_at(const Json& tree, std::string_view path) {
  const Json* value = &tree;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    path.remove_prefix(dot == path.npos ? path.size() : dot + 1);
    if (!value->is_object()) return nullptr;
    const auto found = value->find(key);
    if (found == value->end()) return nullptr;
    value = &*found;
  }
  return value;
}

std::optional<double> number_at(const Json& tree, std::string_view path) {
  const Json* value = value_at(tree, path);
  if (!value) return {};
  if (value->is_string()) return number_of_text(value->get_ref<const std::string&>());
  if (!value->is_number()) return {};
  return value->get<double>();
}

std::optional<int64_t> count_at(const Json& tree, std::string_view path) {
  const std::optional<double> number = number_at(tree, path);
  if (!number || *number < 0 || *number > 9e15 || *number != std::floor(*number)) return {};
  return static_cast<int64_t>(*number);
}

std::string text_at(const Json& tree, std::string_view path) {
  const Json* value = value_at(tree, path);
  if (!value || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : value->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<bool> flag_at(const Json& tree, std::string_view path) {
  const Json* value = value_at(tree, path);
  if (!value) return {};
  if (value->is_boolean()) return value->get<bool>();
  const std::string word = value->is_string() ? value->get<std::string>() : "";
  if (word == "true" || word == "True") return true;
  if (word == "false" || word == "False") return false;
  return {};
}

std::vector<std::string> words_at(const Json& tree, std::string_view path) {
  std::vector<std::string> words;
  const Json* value = value_at(tree, path);
  if (!value || !value->is_array()) return words;
  for (const Json& item : *value) words.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return words;
}

int decimals_of(const Json& number) {
  const std::string text = number.is_string() ? number.get<std::string>() : number.dump();
  const size_t point = text.find('.');
  if (text.find_first_of("eE") != std::string::npos) return 9;
  return point == std::string::npos ? 0 : static_cast<int>(std::min<size_t>(text.size() - point - 1, 9));
}

}  // namespace plumbline::doctor
