#include "plumbline/cli/core/served_candidate.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/cli/core/reward_channel.h"
#include "plumbline/judge/in_flight.h"
#include "plumbline/judge/preflight.h"

namespace plumbline {
namespace {

Json answer_of(const ChatClient& client, const Json& request) {
  ChatRequest asked;
  for (const Json& message : request.at("messages")) {
    asked.messages.push_back({message.at("role").get<std::string>(), message.at("content").get<std::string>()});
  }
  asked.draw = request.at("draw").get<int64_t>();
  const ChatReply reply = client.ask(asked);
  Json answer = {{"id", request.at("id")}};
  if (reply.kind != CallKind::kReply) {
    answer["error"] = fmt::format("{} ({})", to_string(reply.kind), reply.detail);
    return answer;
  }
  answer["content"] = reply.content;
  answer["finish_reason"] = reply.finish_reason;
  answer["num_tokens"] = reply.usage.completion_tokens.value_or(0);
  return answer;
}

void serve(const ChatClient& client) {
  RewardRequests requests;
  std::mutex mutex;
  run_in_flight<Json>(
      RemoteOptions().in_flight,
      [&]() -> std::optional<Json> { return requests.next() ? std::optional(requests.parse()) : std::nullopt; },
      [&](const Json& request) {
        const Json answer = answer_of(client, request);
        const std::lock_guard lock(mutex);
        say_to_reward_pool(answer);
      });
}

}  // namespace

int served_candidate_main(const std::vector<std::string>& words) {
  enter_reward_program();
  if (words.size() != 3) return static_cast<int>(ExitCode::kConfig);
  try {
    RemoteOptions options;
    options.max_tokens = std::strtoll(words[1].c_str(), nullptr, 10);
    options.temperature = std::strtod(words[2].c_str(), nullptr);
    const ChatClients clients = make_clients({words[0]}, options, nullptr, "eval.served");
    preflight_teachers(clients);
    if (say_to_reward_pool({{"ready", true}})) serve(*clients[0]);
  } catch (const Error& error) {
    say_to_reward_pool({{"error", error.message()}, {"remote", error.exit_code() == ExitCode::kRemote}});
  }
  return 0;
}

}  // namespace plumbline
