/// One question to one model behind an OpenAI-compatible endpoint, and what became of it. What a network or a provider
/// does is a value with a kind; nothing of it is thrown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/files/http/client.h"
#include "plumbline/judge/provider.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"

namespace plumbline {

class ReplyCache;

/// What came of a call. The order is that of the words in to_string.
enum class CallKind {
  kReply,         ///< the model asked for said something
  kUnauthorized,  ///< 401
  kForbidden,     ///< 403: terms of service, region, no access
  kNotFound,      ///< 404: no such model or address
  kRateLimited,   ///< 429, after all attempts
  kServerError,   ///< 5xx, after all attempts
  kRefusedCall,   ///< any other status, or an error object without one under status 200
  kConnect,       ///< no connection
  kTls,           ///< no trustworthy one
  kTimeout,       ///< no answer in time
  kCutBody,       ///< the connection closed inside the answer
  kRedirect,      ///< sent on to another place, which the key and the question do not follow
  kProtocol,      ///< no proper HTTP: other bytes, headers beyond all limits
  kChangedModel,  ///< another model answered
  kEmptyBody,     ///< status 200 and nothing
  kHtml,          ///< status 200 and a web page, after all attempts: a gateway's or a network's, never the model's
  kWrongJson,     ///< status 200 and not the form of a chat reply
  kInterrupted,   ///< Ctrl-C: not asked to the end
};
std::string_view to_string(CallKind kind);

/// Whether the call itself failed. False for kReply and for the two kinds under status 200 that are no reply
/// (kEmptyBody, kWrongJson): those are kept as unparsable replies.
bool is_transport_error(CallKind kind);

struct ChatRequest {
  std::vector<Message> messages;
  int64_t draw = 0;  ///< tells repetitions of one question apart in the cache
};

/// Tokens as the provider counts them; cost in USD as it states it, or from the preset's prices. Unset = not known.
struct Usage {
  std::optional<int64_t> prompt_tokens, completion_tokens;
  std::optional<double> cost_usd;
};

/// No text in it holds the key.
struct ChatReply {
  CallKind kind = CallKind::kReply;
  int http_status = 0;
  std::string detail;         ///< why there is no reply: the provider's own sentence where it gave one
  std::string content;        ///< the model's text; the start of the body for the two unparsable kinds
  std::string finish_reason;  ///< "stop" and "length" by these names whatever the server calls them; empty: not said
  std::string refusal;        ///< the provider's field of that name
  std::string model;          ///< as the reply names it; empty when it does not
  Usage usage;
  int num_attempts = 0;
  bool cached = false;
  double wall_s = 0;
};

/// Immutable after construction; thread-safe.
class ChatClient {
 public:
  /// `prices`: USD for a million tokens in and out, or empty. `cache` (may be null) is borrowed.
  /// Throws what key_of throws.
  ChatClient(ProviderSpec spec, const RemoteOptions& options, std::vector<double> prices, ReplyCache* cache);

  /// Asks, with retries as the options say: a web page, or an error object with a status of its own, is tried again
  /// under status 200 as under 503. Blocks. Only kReply is kept in the cache.
  ChatReply ask(const ChatRequest& request) const;
  /// The same, past the cache: for a pre-flight.
  ChatReply ask_anew(const ChatRequest& request) const;
  /// Hash of all that the reply depends on: address, model, messages, limits, draw. 16 hex digits.
  std::string hash_of(const ChatRequest& request) const;

  const ProviderSpec& spec() const { return spec_; }
  const std::string& family() const { return family_; }

 private:
  std::string body_of(const ChatRequest& request) const;
  ChatReply send(std::string body) const;
  void read_reply(const std::string& body, ChatReply& reply) const;
  void price(Usage& usage) const;

  const ProviderSpec spec_;
  const std::string family_;
  const RemoteOptions options_;
  const std::vector<double> prices_;
  const Secret key_;
  ReplyCache* const cache_;
  const HttpClient http_;
};

/// The provider's sentence in an error's body: "error.message" and its relatives, the title of a page, else the start
/// of the text. One line, at most 500 bytes.
std::string provider_sentence(const std::string& body);

}  // namespace plumbline
