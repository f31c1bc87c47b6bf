#include "plumbline/cli/core/fetch_model.h"

#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"
#include "plumbline/files/hub/fetch.h"
#include "plumbline/files/model_path.h"

namespace plumbline {
namespace {

Json to_json(const Error& error) {
  return {{"exit_code", static_cast<int>(error.exit_code())},
          {"id", error.id()},
          {"message", error.message()},
          {"where", error.where()},
          {"next_step", error.next_step()}};
}

}  // namespace

int fetch_model_main(const std::vector<std::string>& words) {
  ::prctl(PR_SET_PDEATHSIG, SIGINT);  // whoever wants the model is gone
  watch_interrupts();
  Json answer;
  int exit_code = 0;
  try {
    const std::optional<HubName> name = words.size() == 2 ? parse_hub_name(words[1]) : std::nullopt;
    if (!name) throw ConfigError("config.usage", "NEED and the name of a hub model are wanted", kFetchModelWord);
    const ModelNeed need = words[0] == to_string(ModelNeed::kText) ? ModelNeed::kText : ModelNeed::kWeights;
    answer = {{"path", fetch_model(*name, need)}};
  } catch (const Error& error) {
    answer = to_json(error);
    exit_code = static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    answer = to_json(InternalError("internal.exception", error.what(), "", "report it"));
    exit_code = static_cast<int>(ExitCode::kInternal);
  }
  std::puts(to_json_line(answer).c_str());
  return exit_code;
}

}  // namespace plumbline
