#include "plumbline/judge/reply_cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

std::optional<std::string> key_of_row(const Json& row) {
  const auto key = row.find("key");
  if (key == row.end() || !key->is_string()) return std::nullopt;
  return key->get<std::string>();
}

template <typename Value>
void put(Json& row, const char* name, const std::optional<Value>& value) {
  if (value) row[name] = *value;
}

template <typename Value>
std::optional<Value> take(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() ? std::nullopt : std::optional<Value>(found->get<Value>());
}

}  // namespace

ReplyCache::ReplyCache(const std::string& path) : rows_(path, key_of_row) {}

std::string ReplyCache::key_of(std::string_view endpoint, std::string_view body, int64_t draw) {
  // Lengths in front, so that no two triples are the same text.
  return sha256_hex(fmt::format("reply.v1 {} {} {}\n{}{}", endpoint.size(), body.size(), draw, endpoint, body));
}

std::optional<ChatReply> ReplyCache::find(const std::string& key) const {
  const std::optional<std::string> line = rows_.find(key);
  if (!line) return std::nullopt;
  const Json row = parse_json(*line, rows_.path());
  ChatReply reply;
  reply.http_status = row.value("http_status", 0);
  reply.content = row.value("content", "");
  reply.finish_reason = row.value("finish_reason", "");
  reply.refusal = row.value("refusal", "");
  reply.model = row.value("model", "");
  reply.usage = {take<int64_t>(row, "prompt_tokens"), take<int64_t>(row, "completion_tokens"),
                 take<double>(row, "cost_usd")};
  reply.cached = true;
  return reply;
}

void ReplyCache::keep(const std::string& key, const ChatReply& reply) {
  Json row = {{"key", key},
              {"http_status", reply.http_status},
              {"content", reply.content},
              {"finish_reason", reply.finish_reason},
              {"refusal", reply.refusal},
              {"model", reply.model}};
  put(row, "prompt_tokens", reply.usage.prompt_tokens);
  put(row, "completion_tokens", reply.usage.completion_tokens);
  put(row, "cost_usd", reply.usage.cost_usd);
  rows_.append(key, to_json_line(row));
}

}  // namespace plumbline
