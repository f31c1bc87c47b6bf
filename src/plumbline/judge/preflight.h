/// One real call to every judge and teacher before anything else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plumbline/judge/chat_client.h"
#include "plumbline/judge/question.h"

namespace plumbline {

using ChatClients = std::vector<std::unique_ptr<ChatClient>>;

/// A client for each spec, in order. Throws ConfigError for a spec or a key that is wrong or missing.
ChatClients make_clients(const std::vector<std::string>& specs, const RemoteOptions& options, ReplyCache* cache,
                         const std::string& where);

/// Why the client cannot be used, in the provider's own words; empty when it can: its reply to `request` came and
/// `objection` (given the reply) has none.
using Objection = std::function<std::string(const ChatReply& reply)>;
std::string preflight_problem(const ChatClient& client, const ChatRequest& request, const Objection& objection);

/// Every judge must answer a small question with a verdict or an abstention. Throws RemoteError(remote.preflight) that
/// names all that fail, Interrupted.
void preflight_judges(const ChatClients& judges, const Question& question);
/// Every teacher must say something to a small prompt.
void preflight_teachers(const ChatClients& teachers);

}  // namespace plumbline
