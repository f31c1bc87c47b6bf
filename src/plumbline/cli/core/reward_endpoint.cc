#include "plumbline/cli/core/reward_endpoint.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"
#include "plumbline/files/http/client.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {
namespace {

constexpr int kChannel = 3;

bool say(const Json& message) {
  const std::string line = to_json_line(message) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(kChannel, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

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
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever wants the rewards is gone
  watch_interrupts();
  if (words.size() != 2) return static_cast<int>(ExitCode::kConfig);
  HttpOptions options;
  options.read_timeout_s = options.total_timeout_s = std::strtod(words[1].c_str(), nullptr);
  const HttpClient client(options);
  if (!say({{"ready", true}})) return 0;
  ::dup2(kChannel, STDIN_FILENO);  // a socket has no path to be opened by
  JsonlReader requests("-");
  while (requests.next()) {
    Json answer;
    const Json request = requests.parse();
    try {
      answer = post(client, words[0], request);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    answer["id"] = request.at("id");
    if (!say(answer)) break;
  }
  return 0;
}

}  // namespace plumbline
