/// Replies kept between runs, so that a question is paid once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumbline/judge/chat_client.h"
#include "plumbline/judge/keyed_rows.h"

namespace plumbline {

/// A file of replies. Thread-safe; one process at a time.
class ReplyCache {
 public:
  /// Opens or makes the file; throws as KeyedRows.
  explicit ReplyCache(const std::string& path);

  /// Everything that a reply depends on: the endpoint, the whole request (model, messages, temperature, limits) and the
  /// number of the draw. The environment's key is no part of it.
  static std::string key_of(std::string_view endpoint, std::string_view body, int64_t draw);

  std::optional<ChatReply> find(const std::string& key) const;
  void keep(const std::string& key, const ChatReply& reply);

 private:
  KeyedRows rows_;
};

}  // namespace plumbline
