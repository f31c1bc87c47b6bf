#include "plumbline/judge/chat_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"
#include "plumbline/files/http/retry.h"
#include "plumbline/judge/reply_cache.h"

namespace plumbline {
namespace {

constexpr size_t kSentence_bytes = 500, kKeptBody_bytes = 2000;
constexpr double kGrace_s = 10;

/// After Ctrl-C calls under way may still come home, so that none is paid twice; then they are cut.
bool is_out_of_grace() {
  static std::atomic<double> first_s = 0;
  if (!interrupt_requested()) return false;
  double none = 0;
  first_s.compare_exchange_strong(none, now_s());
  return now_s() - first_s > kGrace_s;
}

/// The four hexadecimal digits of a \u escape that begins at `at`; unset when none does.
std::optional<unsigned> escape_at(const std::string& text, size_t at) {
  unsigned unit = 0;
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  const auto [end, error] = std::from_chars(&text[at + 2], &text[at] + 6, unit, 16);
  return error == std::errc() && end == &text[at] + 6 ? std::optional(unit) : std::nullopt;
}

/// Half a surrogate pair, which models do write and JSON cannot hold, as U+FFFD.
std::string without_lone_surrogates(std::string text) {
  const auto is_in = [](const std::optional<unsigned>& unit, unsigned first) { return unit && *unit - first < 0x400; };
  for (size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const std::optional<unsigned> unit = escape_at(text, at);
    if (is_in(unit, 0xd800) && is_in(escape_at(text, at + 6), 0xdc00)) {
      at += 12;
    } else if (is_in(unit, 0xd800) || is_in(unit, 0xdc00)) {
      text.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;  // any other escape; of \uXXXX the digits hold no backslash
    }
  }
  return text;
}

/// Unset when the text is no JSON.
std::optional<Json> json_of(const std::string& body) {
  try {
    return parse_json(without_lone_surrogates(body), "a reply");
  } catch (const DataError&) {
    return std::nullopt;
  }
}

std::string lower_start(std::string_view text) {
  std::string out(text.substr(0, std::min<size_t>(text.size(), 64)));
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char byte) { return std::tolower(byte); });
  return out;
}

bool is_page(std::string_view body) {
  const size_t begin = body.find_first_not_of(" \t\r\n");
  if (begin == body.npos) return false;
  const std::string start = lower_start(body.substr(begin));
  return start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<head");
}

template <typename Value>
std::optional<Value> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return value >= 0 && value < 1e15 ? std::optional<Value>(static_cast<Value>(value)) : std::nullopt;
}

/// The status in an error object: gateways pass the errors of those behind them on under status 200. 0 where the
/// object has none; unset where the body holds no error.
std::optional<int> status_in_error(const Json& tree) {
  const auto error = tree.is_object() ? tree.find("error") : tree.end();
  if (error == tree.end() || error->is_null()) return std::nullopt;
  const double code = error->is_object() ? number_in<double>(*error, "code").value_or(0) : 0;
  return code >= 400 && code < 600 ? static_cast<int>(code) : 0;
}

/// What under status 200 is an outage that may pass. In words of ours: they are logged, and a body may repeat the key.
std::string outage_in(const HttpReply& reply) {
  if (is_page(reply.body)) return fmt::format("a web page under status {}", reply.status);
  if (reply.body.find("\"error\"") == std::string::npos) return "";
  const std::optional<Json> tree = json_of(reply.body);
  HttpReply meant;
  meant.failure = HttpFailure::kStatus;
  meant.status = tree ? status_in_error(*tree).value_or(0) : 0;
  return may_pass_later(meant) ? fmt::format("an error {} under status {}", meant.status, reply.status) : "";
}

HttpOptions http_options(const RemoteOptions& options) {
  HttpOptions http;
  http.connect_timeout_s = std::min(http.connect_timeout_s, options.timeout_s);
  http.read_timeout_s = http.total_timeout_s = options.timeout_s;
  http.max_attempts = static_cast<int>(options.attempts);
  http.max_redirects = 3;
  http.follow_other_origins = false;
  http.max_body_bytes = int64_t{16} << 20;
  http.stop = is_out_of_grace;
  http.objection = outage_in;
  return http;
}

CallKind kind_of_status(int status) {
  switch (status) {
    case 401:
      return CallKind::kUnauthorized;
    case 403:
      return CallKind::kForbidden;
    case 404:
      return CallKind::kNotFound;
    case 429:
      return CallKind::kRateLimited;
    default:
      return status >= 500 ? CallKind::kServerError : CallKind::kRefusedCall;
  }
}

CallKind kind_of(const HttpReply& reply) {
  switch (reply.failure) {
    case HttpFailure::kNone:
      return CallKind::kReply;
    case HttpFailure::kConnect:
      return CallKind::kConnect;
    case HttpFailure::kTls:
      return CallKind::kTls;
    case HttpFailure::kTimeout:
      return CallKind::kTimeout;
    case HttpFailure::kStatus:
      return kind_of_status(reply.status);
    case HttpFailure::kCutBody:
      return CallKind::kCutBody;
    case HttpFailure::kNoAnswer:
      return is_page(reply.body) ? CallKind::kHtml : kind_of_status(status_in_error(*json_of(reply.body)).value());
    case HttpFailure::kRedirect:
      return CallKind::kRedirect;
    case HttpFailure::kInterrupted:
      return CallKind::kInterrupted;
    default:
      return CallKind::kProtocol;
  }
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const bool is_space = static_cast<unsigned char>(byte) <= 0x20;
    if (is_space && (out.empty() || out.back() == ' ')) continue;
    out += is_space ? ' ' : byte;
    if (out.size() >= kSentence_bytes) break;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// What servers call the two ways to end, by the names of OpenAI's interface; other reasons as they are.
std::string finish_reason_of(std::string reason) {
  std::transform(reason.begin(), reason.end(), reason.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* name : {"max_tokens", "max_new_tokens", "max_length", "model_length", "max_output_tokens"}) {
    if (reason == name) return "length";
  }
  for (const char* name : {"end_turn", "stop_sequence", "eos", "eos_token"}) {
    if (reason == name) return "stop";
  }
  return reason;
}

std::string sentence_in(const Json& tree) {
  if (tree.is_string()) return tree.get<std::string>();
  if (tree.is_array() && !tree.empty()) return sentence_in(tree.front());
  if (!tree.is_object()) return "";
  for (const char* name : {"error", "message", "detail", "msg", "error_description"}) {
    const auto found = tree.find(name);
    if (found == tree.end()) continue;
    if (std::string text = sentence_in(*found); !text.empty()) return text;
  }
  return "";
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The message's text: a string, or parts of which those of type text count. Unset when it is neither.
std::optional<std::string> content_of(const Json& message) {
  const auto content = message.find("content");
  if (content == message.end() || content->is_null()) return "";
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) return std::nullopt;
  std::string text;
  for (const Json& part : *content) {
    if (!part.is_object()) return std::nullopt;
    text += text_of(part, "text");
  }
  return text;
}

Usage usage_of(const Json& tree) {
  const auto usage = tree.find("usage");
  if (usage == tree.end() || !usage->is_object()) return {};
  return {number_in<int64_t>(*usage, "prompt_tokens"), number_in<int64_t>(*usage, "completion_tokens"),
          number_in<double>(*usage, "cost")};
}

}  // namespace

std::string_view to_string(CallKind kind) {
  constexpr std::array<std::string_view, 18> kNames = {
      "reply",        "unauthorized",  "forbidden",  "not_found", "rate_limited", "server_error",
      "refused_call", "connect",       "tls",        "timeout",   "cut_body",     "redirect",
      "protocol",     "changed_model", "empty_body", "html",      "wrong_json",   "interrupted"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_transport_error(CallKind kind) {
  return kind != CallKind::kReply && kind != CallKind::kEmptyBody && kind != CallKind::kWrongJson;
}

std::string provider_sentence(const std::string& body) {
  if (const std::optional<Json> tree = json_of(body)) {
    const std::string sentence = sentence_in(*tree);
    return one_line(sentence.empty() ? body : sentence);
  }
  if (is_page(body)) {
    const size_t begin = body.find("<title>"), end = body.find("</title>");
    if (begin != body.npos && end != body.npos && begin + 7 <= end) {
      return "a web page: " + one_line(std::string_view(body).substr(begin + 7, end - begin - 7));
    }
    return "a web page";
  }
  return one_line(body);
}

ChatClient::ChatClient(ProviderSpec spec, const RemoteOptions& options, std::vector<double> prices, ReplyCache* cache)
    : spec_(std::move(spec)),
      family_(model_family(spec_.model)),
      options_(options),
      prices_(std::move(prices)),
      key_(plumbline::key_of(spec_)),
      cache_(cache),
      http_(http_options(options)) {}

std::string ChatClient::body_of(const ChatRequest& request) const {
  Json messages = Json::array();
  for (const Message& message : request.messages) {
    messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  Json body = {{"model", spec_.model}, {"messages", std::move(messages)}};
  if (!spec_.is_reasoning) body["temperature"] = options_.temperature;
  body[spec_.is_reasoning ? "max_completion_tokens" : "max_tokens"] = options_.max_tokens;
  body["stream"] = false;
  return to_json_line(body);
}

std::string ChatClient::hash_of(const ChatRequest& request) const {
  return ReplyCache::key_of(spec_.base_url, body_of(request), request.draw).substr(0, 16);
}

ChatReply ChatClient::ask(const ChatRequest& request) const {
  std::string body = body_of(request);
  if (!cache_) return send(std::move(body));
  const std::string key = ReplyCache::key_of(spec_.base_url, body, request.draw);
  if (std::optional<ChatReply> kept = cache_->find(key)) {
    // Names that may answer can have changed since.
    if (kept->model.empty() || is_same_model(spec_.model, kept->model, options_.answers_as)) return *kept;
  }
  ChatReply reply = send(std::move(body));
  if (reply.kind == CallKind::kReply) cache_->keep(key, reply);
  return reply;
}

ChatReply ChatClient::ask_anew(const ChatRequest& request) const {
  return send(body_of(request));
}

ChatReply ChatClient::send(std::string body) const {
  HttpHeaders headers;
  if (!key_.empty()) headers.emplace_back("Authorization", "Bearer " + key_.reveal());
  const double start_s = now_s();
  const HttpReply answer = http_.post(spec_.base_url + "/chat/completions", std::move(body), std::move(headers));
  ChatReply reply;
  reply.kind = kind_of(answer);
  reply.http_status = answer.status;
  reply.num_attempts = answer.num_attempts;
  reply.wall_s = now_s() - start_s;
  if (reply.kind == CallKind::kReply && answer.status >= 300) {
    reply.kind = CallKind::kRedirect;
    reply.detail = answer.detail;
  } else if (reply.kind == CallKind::kReply) {
    read_reply(answer.body, reply);
  } else {
    const bool has_words = answer.failure == HttpFailure::kStatus || answer.failure == HttpFailure::kNoAnswer;
    const std::string sentence = has_words ? provider_sentence(answer.body) : "";
    reply.detail = sentence.empty() ? answer.detail : answer.detail + ": " + sentence;
  }
  for (std::string* text : {&reply.detail, &reply.content, &reply.finish_reason, &reply.refusal, &reply.model}) {
    *text = key_.redact(*text);
  }
  price(reply.usage);
  return reply;
}

void ChatClient::read_reply(const std::string& body, ChatReply& reply) const {
  const auto no_reply = [&](CallKind kind, const std::string& detail) {
    reply.kind = kind;
    reply.detail = detail;
    if (!is_transport_error(kind)) reply.content = body.substr(0, kKeptBody_bytes);
  };
  if (body.find_first_not_of(" \t\r\n") == body.npos) return no_reply(CallKind::kEmptyBody, "the answer is empty");
  const std::optional<Json> tree = json_of(body);
  if (!tree || !tree->is_object()) return no_reply(CallKind::kWrongJson, "the answer is no JSON object");
  if (const std::optional<int> status = status_in_error(*tree)) {
    return no_reply(*status > 0 ? kind_of_status(*status) : CallKind::kRefusedCall, provider_sentence(body));
  }
  const auto choices = tree->find("choices");
  if (choices == tree->end() || !choices->is_array() || choices->empty() || !choices->front().is_object()) {
    return no_reply(CallKind::kWrongJson, "the answer has no choices");
  }
  if (choices->size() > 1) {
    return no_reply(CallKind::kWrongJson,
                    fmt::format("the answer has {} choices, and one was asked for", choices->size()));
  }
  const Json& choice = choices->front();
  const auto message = choice.find("message");
  const std::optional<std::string> content =
      message != choice.end() && message->is_object() ? content_of(*message) : std::nullopt;
  if (!content) return no_reply(CallKind::kWrongJson, "the answer has no message");
  reply.content = *content;
  reply.finish_reason = finish_reason_of(text_of(choice, "finish_reason"));
  reply.refusal = text_of(*message, "refusal");
  reply.model = text_of(*tree, "model");
  reply.usage = usage_of(*tree);
  if (!reply.model.empty() && !is_same_model(spec_.model, reply.model, options_.answers_as)) {
    no_reply(CallKind::kChangedModel, fmt::format("'{}' was asked and '{}' answered", spec_.model, reply.model));
  }
}

void ChatClient::price(Usage& usage) const {
  if (usage.cost_usd || prices_.size() != 2 || !usage.prompt_tokens || !usage.completion_tokens) return;
  usage.cost_usd = (prices_[0] * static_cast<double>(*usage.prompt_tokens) +
                    prices_[1] * static_cast<double>(*usage.completion_tokens)) /
                   1e6;
}

}  // namespace plumbline
