#include "plumbline/cli/core/reward_endpoint.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/cli/core/reward_channel.h"
#include "plumbline/files/http/client.h"

namespace plumbline {
namespace {

/// The answers of one batch, or {"error"}.
Json post(const HttpClient& client, const std::string& url, const Json& request) {
  HttpHeaders headers;
  if (const char* token = std::getenv("PLUMBLINE_REWARD_TOKEN")) {
    headers.emplace_back("Authorization", std::string("Bearer ") + token);
  }
  const HttpReply reply = client.post(url, to_json_line(Json{{"rows", request.at("rows")}}), headers);
  if (!reply.ok()) return {{"error", reply.detail}, {"final", true}};  // the client has tried again already
  const Json body = parse_json(reply.body, "the endpoint's reply");
  if (!body.is_object() || !body.contains("answers")) return {{"error", "the endpoint's reply has no \"answers\""}};
  return {{"answers", body.at("answers")}};
}

}  // namespace

int reward_endpoint_main(const std::vector<std::string>& words) {
  enter_reward_program();
  if (words.size() != 2) return static_cast<int>(ExitCode::kConfig);
  HttpOptions options;
  options.read_timeout_s = options.total_timeout_s = std::strtod(words[1].c_str(), nullptr);
  const HttpClient client(options);
  if (!say_to_reward_pool({{"ready", true}})) return 0;
  RewardRequests requests;
  while (requests.next()) {
    Json answer;
    const Json request = requests.parse();
    try {
      answer = post(client, words[0], request);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    answer["id"] = request.at("id");
    if (!say_to_reward_pool(answer)) break;
  }
  return 0;
}

}  // namespace plumbline
