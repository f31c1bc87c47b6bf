#include "plumbline/judge/preflight.h"

#include <fmt/format.h>

#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/judge/verdict_reply.h"

namespace plumbline {
namespace {

/// All at once: a provider that times out must not make the others wait.
void preflight(const ChatClients& clients, const ChatRequest& request, const Objection& objection) {
  std::vector<std::string> problems(clients.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < clients.size(); ++i) {
      threads.emplace_back([&, i] { problems[i] = preflight_problem(*clients[i], request, objection); });
    }
  }
  if (interrupt_requested()) throw Interrupted("stopped in the pre-flight; nothing was asked yet");
  std::string all;
  for (size_t i = 0; i < clients.size(); ++i) {
    if (problems[i].empty()) continue;
    all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", clients[i]->spec().text, problems[i]);
  }
  if (all.empty()) return;
  throw RemoteError("remote.preflight", all, "pre-flight",
                    "repair the access (key, model name, address, limits); nothing was judged or generated");
}

}  // namespace

ChatClients make_clients(const std::vector<std::string>& specs, const RemoteOptions& options, ReplyCache* cache,
                         const std::string& where) {
  if (specs.empty()) {
    throw ConfigError("config.missing_key", where + " names no model", where, "write [\"provider:model\"]");
  }
  ChatClients clients;
  for (size_t i = 0; i < specs.size(); ++i) {
    std::vector<double> prices;
    if (options.prices.size() == 2 * specs.size()) prices = {options.prices[2 * i], options.prices[2 * i + 1]};
    clients.push_back(
        std::make_unique<ChatClient>(parse_provider_spec(specs[i], where), options, std::move(prices), cache));
  }
  return clients;
}

std::string preflight_problem(const ChatClient& client, const ChatRequest& request, const Objection& objection) {
  const ChatReply reply = client.ask_anew(request);
  if (reply.kind != CallKind::kReply) return fmt::format("{} ({})", to_string(reply.kind), reply.detail);
  return objection(reply);
}

void preflight_judges(const ChatClients& judges, const Question& question) {
  preflight(judges, question.trial(), [&](const ChatReply& reply) -> std::string {
    const JudgeAnswer answer = read_verdict(reply, question.mode());
    if (answer.outcome != JudgeOutcome::kUnparsable) return "";
    return fmt::format("its reply is no verdict ({}: {}); it said: {}", answer.kind, answer.reason,
                       reply.content.substr(0, 300));
  });
}

void preflight_teachers(const ChatClients& teachers) {
  ChatRequest request;
  request.messages = {{"user", "Reply with the word ready."}};
  preflight(teachers, request, [](const ChatReply& reply) -> std::string {
    const bool is_empty = reply.content.find_first_not_of(" \t\r\n") == reply.content.npos;
    return is_empty ? fmt::format("its reply is empty (finish_reason {})", reply.finish_reason) : "";
  });
}

}  // namespace plumbline
