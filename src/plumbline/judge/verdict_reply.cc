#include "plumbline/judge/verdict_reply.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

JudgeAnswer unparsable(std::string kind, std::string reason) {
  return {JudgeOutcome::kUnparsable, std::move(kind), std::move(reason)};
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Without one leading <think> block and without one code fence around the whole.
std::string_view bare(std::string_view text) {
  text = trimmed(text);
  constexpr std::string_view kThink = "<think>", kThought = "</think>";
  if (text.starts_with(kThink)) {
    const size_t end = text.find(kThought);
    if (end == text.npos) return text;
    text = trimmed(text.substr(end + kThought.size()));
  }
  for (const std::string_view fence : {"```json\n", "```JSON\n", "```\n"}) {
    if (text.starts_with(fence) && text.ends_with("```") && text.size() >= fence.size() + 3) {
      return trimmed(text.substr(fence.size(), text.size() - fence.size() - 3));
    }
  }
  return text;
}

bool sounds_like_refusal(std::string_view text) {
  std::string start(text.substr(0, std::min<size_t>(text.size(), 200)));
  std::transform(start.begin(), start.end(), start.begin(), [](unsigned char byte) { return std::tolower(byte); });
  constexpr std::array kWords = {"can't help", "cannot help", "can't assist",     "cannot assist",
                                 "unable to",  "i'm sorry",   "i am sorry",       "i can't",
                                 "i cannot",   "i won't",     "can\xE2\x80\x99t", "i\xE2\x80\x99m sorry"};
  return std::any_of(kWords.begin(), kWords.end(), [&](const char* words) { return start.find(words) != start.npos; });
}

/// Unset when "abstained" is there and no boolean.
std::optional<bool> abstention(const Json& object) {
  const auto found = object.find("abstained");
  if (found == object.end()) return false;
  return found->is_boolean() ? std::optional<bool>(found->get<bool>()) : std::nullopt;
}

JudgeAnswer of_value(const Json& value, JudgeMode mode) {
  if (mode == JudgeMode::kSupport) {
    if (!value.is_boolean()) return unparsable("not_boolean", "\"supported\" is " + to_json_line(value));
    return {value.get<bool>() ? JudgeOutcome::kSupported : JudgeOutcome::kNotSupported, "verdict", ""};
  }
  const std::string word = value.is_string() ? value.get<std::string>() : "";
  if (word == "A") return {JudgeOutcome::kFirst, "verdict", ""};
  if (word == "B") return {JudgeOutcome::kSecond, "verdict", ""};
  if (word == "tie") return {JudgeOutcome::kTie, "verdict", ""};
  return unparsable("wrong_value", "\"better\" is " + to_json_line(value));
}

JudgeAnswer of_object(const Json& object, JudgeMode mode) {
  const char* name = mode == JudgeMode::kSupport ? "supported" : "better";
  const auto value = object.find(name);
  const std::optional<bool> abstained = abstention(object);
  if (!abstained) return unparsable("not_boolean", "\"abstained\" is " + to_json_line(object.at("abstained")));
  if (*abstained && value != object.end() && !value->is_null()) {
    return unparsable("contradiction", std::string("an abstention beside \"") + name + "\"");
  }
  JudgeAnswer answer;
  if (*abstained) {
    answer = {JudgeOutcome::kAbstained, "abstained", ""};
  } else if (value == object.end()) {
    return unparsable("no_json", std::string("the object has no \"") + name + "\"");
  } else {
    answer = of_value(*value, mode);
  }
  if (const auto reason = object.find("reason");
      answer.reason.empty() && reason != object.end() && reason->is_string()) {
    answer.reason = reason->get<std::string>();
  }
  return answer;
}

}  // namespace

bool is_verdict(JudgeOutcome outcome) {
  return outcome != JudgeOutcome::kAbstained && outcome != JudgeOutcome::kTransportError &&
         outcome != JudgeOutcome::kUnparsable;
}

JudgeAnswer read_verdict(const ChatReply& reply, JudgeMode mode) {
  if (is_transport_error(reply.kind)) {
    return {JudgeOutcome::kTransportError, std::string(to_string(reply.kind)), reply.detail};
  }
  if (reply.kind != CallKind::kReply) return unparsable(std::string(to_string(reply.kind)), reply.detail);
  if (!reply.refusal.empty()) return unparsable("refusal", reply.refusal);
  if (reply.finish_reason == "content_filter") return unparsable("refusal", "stopped by the provider's content filter");
  if (reply.finish_reason == "length") return unparsable("cut", "the reply reached its token limit");
  const std::string_view text = bare(reply.content);
  if (text.empty()) return unparsable("empty", "the reply is empty");
  std::optional<Json> object;
  try {
    object = parse_json(text, "the judge's reply");
  } catch (const DataError&) {
    if (sounds_like_refusal(text)) return unparsable("refusal", "the reply declines");
    return unparsable("no_json", "the reply is not one JSON object");
  }
  if (!object->is_object()) return unparsable("no_json", "the reply is no JSON object");
  return of_object(*object, mode);
}

}  // namespace plumbline
