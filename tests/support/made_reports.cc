#include "tests/support/made_reports.h"

namespace plumbline::test {

using Json = nlohmann::ordered_json;

namespace {

Json made_row(const MadeReport& recipe, int i, bool passes, const std::string& arm) {
  const std::string number = std::to_string(i), text = arm + " of " + number + (passes ? ", right" : ", wrong");
  Json row = {{"problem_id", "item-" + number},
              {"family", "family-" + std::to_string(i % 8)},
              {"prompt_hash", "prompt-" + recipe.task + "-" + number},
              {"completion", text + ", seed " + std::to_string(arm == "base" ? 0 : recipe.seed)},
              {"tokens", 20 + i % 7},
              {"finish_reason", "stop"},
              {"outcome", passes ? "pass" : "wrong"},
              {"passed", passes},
              {"reward", passes ? 1.0 : -1.0},
              {"hacked", false}};
  if (recipe.task == "step") {
    row["verdict"] = passes ? "accepted" : "rejected";
    row["vsc"] = 1.0;
    row["steps"] = {"a + " + number, "b + " + number, "c"};
  }
  return row;
}

}  // namespace

void restate(Json& report) {
  for (const char* arm : {"base", "candidate"}) {
    double passed = 0, reward = 0;
    for (const Json& row : report["rows"][arm]) {
      passed += row["passed"].get<bool>();
      reward += row["reward"].get<double>();
    }
    const double n = static_cast<double>(report["rows"][arm].size());
    report[arm] = {{"n", report["rows"][arm].size()}, {"pass_at_1", passed / n}, {"mean_reward", reward / n}};
  }
}

void set_split(Json& report, const std::string& hash) {
  report["pin"]["split_hash"] = report["split"]["hash"] = hash;
}

Json made_report(const MadeReport& recipe) {
  Json report = {{"schema", "eval.v1"},
                 {"task", recipe.task},
                 {"metric", "pass_at_1"},
                 {"model", "made/model"},
                 {"adapter", "runs/made-s" + std::to_string(recipe.seed)}};
  report["pin"] = {{"commit", "0285285240b5e3e0a7d9114fbf5337604e363d40"},
                   {"dirty", false},
                   {"model_hash", "sha256:aa"},
                   {"adapter_kind", "svd"},
                   {"model_has_chat_template", true},
                   {"template_hash", "sha256:bb"},
                   {"template_wrap", true},
                   {"max_prompt_tokens", 512},
                   {"max_new_tokens", 128},
                   {"decode", "greedy"},
                   {"temperature", 0.0},
                   {"metric", "pass_at_1"},
                   {"split_hash", "split-" + recipe.task},
                   {"generator_version", 1},
                   {"rollout_mode", "in_process"},
                   {"num_generations", 8},
                   {"precision", "bf16"},
                   {"quantization", "none"},
                   {"grader", "3"},
                   {"libraries", {{"plumbline", "0.1.0"}, {"libtorch", "2.11.0"}}}};
  report["split"] = {{"n", recipe.num_items},
                     {"seed", recipe.seed},
                     {"hash", "split-" + recipe.task},
                     {"family_overlap", Json::array()}};
  report["rows"] = {{"base", Json::array()}, {"candidate", Json::array()}};
  for (int i = 0; i < recipe.num_items; ++i) {
    const bool base = recipe.base_passes(i);
    const int turn = static_cast<int>((i + recipe.seed) % 4);
    const bool candidate = recipe.candidate_passes ? recipe.candidate_passes(i) : base || turn == 1 || turn == 2;
    report["rows"]["base"].push_back(made_row(recipe, i, base, "base"));
    report["rows"]["candidate"].push_back(made_row(recipe, i, candidate, "candidate"));
  }
  restate(report);
  return report;
}

}  // namespace plumbline::test
