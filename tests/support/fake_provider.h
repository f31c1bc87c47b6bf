/// A provider of chat models on this machine: answers as an OpenAI-compatible endpoint does, or misbehaves in every way
/// that real ones have shown. No code of the client in it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/scripted_server.h"

namespace plumbline::test {

enum class Misbehaviour {
  kUnauthorized,    ///< 401; the message repeats the key that was sent
  kTermsOfService,  ///< 403 with a terms-of-service text
  kNoSuchModel,     ///< 404
  kRateLimit,       ///< 429 with Retry-After: 0
  kServerError,     ///< 500
  kSlow,            ///< headers, then nothing
  kCutBody,         ///< the connection closes in the middle of the answer
  kStreamCut,       ///< a chunked answer without its end
  kEmptyBody,       ///< 200 and no body
  kHtml,            ///< 200 and a web page
  kWrongJson,       ///< 200 and JSON of another form
  kErrorUnder200,   ///< 200 and an error object
  kRefusalText,     ///< the model declines
  kRefusalField,    ///< message.refusal
  kFalseAsText,     ///< {"supported": "false"}
  kEmptyContent,    ///< a message without text
  kCutContent,      ///< finish_reason length, half a JSON object
  kCutAtTheEnd,     ///< finish_reason length, a whole JSON object
  kProseAround,     ///< a verdict inside sentences
  kTwoVerdicts,     ///< supported twice in one object
  kOtherModel,      ///< a verdict, signed by another model
  kOtherHost,       ///< 307 to another address
  kKeyInTheReply,   ///< the model's text repeats the key that was sent
};

/// One request, taken apart without the code under test.
struct AskedQuestion {
  std::string model, system, user;  ///< the last user message; escapes of JSON undone for \n, \" and \\ alone
  std::string key;                  ///< what stood behind "Bearer "
  std::string body;
};

class FakeProvider {
 public:
  /// The reply's text for a question: an unset one is answered with a verdict or, after `misbehave`, wrongly.
  using Script = std::function<std::optional<ServedAnswer>(const AskedQuestion&)>;

  /// Without a script every question is answered by {"supported": true}.
  explicit FakeProvider(Script script = {});

  /// "http://127.0.0.1:port/v1"
  std::string base_url() const { return server_.url("/v1"); }
  /// "local:MODEL@base_url"
  std::string spec(const std::string& model = "fake-judge-1") const { return "local:" + model + "@" + base_url(); }
  std::vector<AskedQuestion> questions() const;
  int num_requests() const { return num_requests_; }
  int most_at_once() const { return most_at_once_; }

  /// A reply with this text.
  static ServedAnswer says(const AskedQuestion& question, const std::string& content,
                           const std::string& finish_reason = "stop", const std::string& model = "");
  static ServedAnswer misbehaves(const AskedQuestion& question, Misbehaviour how);

 private:
  ServedAnswer answer_to(const ServedRequest& request);

  Script script_;
  std::atomic<int> num_requests_ = 0, at_once_ = 0, most_at_once_ = 0;
  mutable std::mutex mutex_;
  std::vector<AskedQuestion> questions_;
  ScriptedServer server_;  // last: its threads use the rest
};

/// Whether this is the question that a pre-flight asks.
bool is_trial(const AskedQuestion& question);

}  // namespace plumbline::test
