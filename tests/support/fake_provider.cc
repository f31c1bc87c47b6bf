#include "tests/support/fake_provider.h"

#include <algorithm>
#include <chrono>

namespace plumbline::test {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// The string value that begins behind `at`, which stands on its opening quote.
std::string string_at(const std::string& body, size_t at) {
  std::string out;
  for (++at; at < body.size() && body[at] != '"'; ++at) {
    if (body[at] == '\\' && at + 1 < body.size()) {
      ++at;
      out += body[at] == 'n' ? '\n' : body[at];
    } else {
      out += body[at];
    }
  }
  return out;
}

std::string last_string_of(const std::string& body, const std::string& name) {
  const size_t at = body.rfind("\"" + name + "\":\"");
  return at == body.npos ? "" : string_at(body, at + name.size() + 3);
}

AskedQuestion taken_apart(const ServedRequest& request) {
  AskedQuestion question;
  question.body = request.body;
  question.model = last_string_of(request.body, "model");
  // Messages come before everything that follows them, and the user's is the last one.
  question.user = last_string_of(request.body, "content");
  const size_t system = request.body.find("\"content\":\"");
  if (system != request.body.npos) question.system = string_at(request.body, system + 10);
  const auto authorization = request.headers.find("authorization");
  if (authorization != request.headers.end() && authorization->second.rfind("Bearer ", 0) == 0) {
    question.key = authorization->second.substr(7);
  }
  return question;
}

ServedAnswer error(int status, const std::string& message, const std::map<std::string, std::string>& headers = {}) {
  return answer(status, "{\"error\":{\"message\":" + quoted(message) + ",\"type\":\"error\"}}", headers);
}

ServedAnswer cut(ServedAnswer whole) {
  whole.bytes.resize(whole.bytes.size() - 20);
  return whole;
}

}  // namespace

FakeProvider::FakeProvider(Script script)
    : script_(std::move(script)), server_([this](const ServedRequest& request) { return answer_to(request); }) {}

std::vector<AskedQuestion> FakeProvider::questions() const {
  const std::lock_guard lock(mutex_);
  return questions_;
}

ServedAnswer FakeProvider::answer_to(const ServedRequest& request) {
  ++num_requests_;
  const int now = ++at_once_;
  for (int most = most_at_once_; now > most && !most_at_once_.compare_exchange_weak(most, now);) {
  }
  const AskedQuestion question = taken_apart(request);
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back(question);
  }
  std::optional<ServedAnswer> scripted;
  if (request.method != "POST" || request.target != "/v1/chat/completions") {
    scripted = error(404, "no such address");
  } else if (script_) {
    scripted = script_(question);
  }
  --at_once_;
  return scripted ? *scripted : says(question, "{\"supported\": true, \"reason\": \"it agrees\"}");
}

ServedAnswer FakeProvider::says(const AskedQuestion& question, const std::string& content,
                                const std::string& finish_reason, const std::string& model) {
  return answer(
      200, "{\"id\":\"x\",\"object\":\"chat.completion\",\"model\":" + quoted(model.empty() ? question.model : model) +
               ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":" + quoted(content) +
               "},\"finish_reason\":" + quoted(finish_reason) +
               "}],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10,\"total_tokens\":110}}");
}

ServedAnswer FakeProvider::misbehaves(const AskedQuestion& question, Misbehaviour how) {
  switch (how) {
    case Misbehaviour::kUnauthorized:
      return error(401, "Incorrect API key provided: " + question.key + ". You can find your key in the console.");
    case Misbehaviour::kTermsOfService:
      return error(403, "This model is not available in your region under the provider's Terms of Service.");
    case Misbehaviour::kNoSuchModel:
      return error(404, "The model `" + question.model + "` does not exist or you do not have access to it.");
    case Misbehaviour::kRateLimit:
      return error(429, "Rate limit reached for requests", {{"Retry-After", "0"}});
    case Misbehaviour::kServerError:
      return error(500, "The server had an error while processing your request");
    case Misbehaviour::kSlow: {
      ServedAnswer slow = says(question, "{\"supported\": true}");
      slow.bytes.resize(slow.bytes.find("\r\n\r\n") + 4);
      slow.stall_s = 30;
      return slow;
    }
    case Misbehaviour::kCutBody:
      return cut(says(question, "{\"supported\": true}"));
    case Misbehaviour::kStreamCut:
      return {.bytes =
                  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "27\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"\r\n"};
    case Misbehaviour::kEmptyBody:
      return answer(200, "");
    case Misbehaviour::kHtml:
      return answer(200,
                    "<!DOCTYPE html><html><head><title>Sign in to the network</title></head><body>x</body></html>");
    case Misbehaviour::kWrongJson:
      return answer(200, "{\"result\": {\"supported\": true}}");
    case Misbehaviour::kErrorUnder200:
      return answer(200, "{\"error\":{\"message\":\"Upstream is overloaded\",\"code\":502}}");
    case Misbehaviour::kRefusalText:
      return says(question, "I'm sorry, but I can't help with that.");
    case Misbehaviour::kRefusalField:
      return answer(200, "{\"model\":" + quoted(question.model) +
                             ",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I "
                             "cannot judge this.\"},\"finish_reason\":\"stop\"}]}");
    case Misbehaviour::kFalseAsText:
      return says(question, "{\"supported\": \"false\"}");
    case Misbehaviour::kEmptyContent:
      return says(question, "");
    case Misbehaviour::kCutContent:
      return says(question, "{\"supported\": tr", "length");
    case Misbehaviour::kCutAtTheEnd:
      return says(question, "{\"supported\": true}", "length");
    case Misbehaviour::kProseAround:
      return says(question, "Here is my verdict: {\"supported\": true}");
    case Misbehaviour::kTwoVerdicts:
      return says(question, "{\"supported\": false, \"supported\": true}");
    case Misbehaviour::kOtherModel:
      return says(question, "{\"supported\": true}", "stop", "cheaper-model-7b");
    case Misbehaviour::kOtherHost:
      return answer(307, "", {{"Location", "http://localhost:9/v1/chat/completions"}});
    case Misbehaviour::kKeyInTheReply:
      return says(question, "{\"supported\": true, \"reason\": \"your key is " + question.key + "\"}");
  }
  return error(500, "no such misbehaviour");
}

bool is_trial(const AskedQuestion& question) {
  return question.user.find("What is 2 + 2?") != std::string::npos ||
         question.user.find("Reply with the word ready.") != std::string::npos;
}

}  // namespace plumbline::test
