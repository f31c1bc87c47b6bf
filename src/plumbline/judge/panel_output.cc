#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/judge/panel.h"

namespace plumbline {
namespace {

template <typename Key>
Json counts_json(const std::map<Key, int64_t>& counts) {
  Json out = Json::object();
  for (const auto& [key, count] : counts) out[fmt::format("{}", key)] = count;
  return out;
}

Json count_json(const JudgeCount& count, bool is_pair) {
  Json out = {{"schema", "judge.v1"},
              {"judge", count.judge},
              {"family", count.family.empty() ? Json(nullptr) : Json(count.family)}};
  if (!is_pair) out["arm"] = count.arm;
  out["items"] = count.num_items;
  out["items_hash"] = count.items_hash;
  const std::vector<const char*> words = is_pair ? std::vector<const char*>{"base", "candidate", "tie"}
                                                 : std::vector<const char*>{"supported", "not_supported"};
  for (const char* word : words) out[word] = count.count(word);
  for (const char* word : {"abstained", "transport_error", "unparsable"}) out[word] = count.count(word);
  out["http_errors"] = counts_json(count.http_errors);
  out["kinds"] = counts_json(count.kinds);
  const auto interval = count.interval();
  out[is_pair ? "candidate_share" : "support_rate"] = or_null(count.rate());
  out["ci95"] = interval ? Json{interval->low, interval->high} : Json(nullptr);
  if (is_pair) {
    out["binomial_p"] = or_null(count.p_value());
    out["first_won"] = count.first_won;
  }
  out["valid"] = count.valid;
  out["why_invalid"] = count.valid ? Json(nullptr) : Json(count.why_invalid);
  out["last_error"] = count.last_error.empty() ? Json(nullptr) : Json(count.last_error);
  return out;
}

Json cost_json(const JudgeCost& cost) {
  return {{"judge", cost.judge},
          {"calls", cost.num_calls},
          {"cached", cost.num_cached},
          {"attempts", cost.num_attempts},
          {"prompt_tokens", cost.prompt_tokens},
          {"completion_tokens", cost.completion_tokens},
          {"replies_without_usage", cost.num_without_usage},
          {"cost_usd", or_null(cost.cost.usd())}};
}

std::string rate_text(const JudgeCount& count, bool is_pair) {
  const auto interval = count.interval();
  if (!interval) return "no rate";
  const int64_t won = count.count(is_pair ? "candidate" : "supported");
  const int64_t lost = count.count(is_pair ? "base" : "not_supported");
  std::string text = fmt::format("{} {} of {} = {:.3f} [{:.3f}, {:.3f}]", is_pair ? "candidate better in" : "supported",
                                 won, won + lost, *count.rate(), interval->low, interval->high);
  if (is_pair) {
    text += fmt::format(", exact p {:.3g}, {} ties, {} for the one that stood first", *count.p_value(),
                        count.count("tie"), count.first_won);
  }
  return text;
}

}  // namespace

Json to_json(const PanelSummary& summary) {
  const bool is_pair = summary.mode == "pair";
  Json out = {
      {"schema", "judges.v1"}, {"mode", summary.mode}, {"complete", summary.complete}, {"items", summary.num_items}};
  out["planned_calls"] = summary.num_planned_calls;
  out["missing_calls"] = summary.num_missing_calls();
  out["valid"] = summary.all_valid();
  out["judges"] = Json::array();
  for (const JudgeCost& cost : summary.costs) out["judges"].push_back(cost.judge);
  for (const char* name : {"results", "costs", "agreement"}) out[name] = Json::array();
  for (const JudgeCount& count : summary.counts) out["results"].push_back(count_json(count, is_pair));
  for (const JudgeCost& cost : summary.costs) out["costs"].push_back(cost_json(cost));
  for (const JudgePair& pair : summary.pairs) {
    out["agreement"].push_back({{"judges", {pair.first, pair.second}},
                                {"same_family", or_null(pair.same_family)},
                                {"items", pair.agreement.num_items},
                                {"observed", pair.agreement.observed},
                                {"kappa", or_null(pair.agreement.kappa)},
                                {"pabak", pair.agreement.pabak}});
  }
  out["majority"] = Json::object();
  for (const auto& [arm, words] : summary.majority) out["majority"][arm.empty() ? "pairs" : arm] = counts_json(words);
  out["disagreements"] = summary.disagreements.size();
  out["claim"] = {{"allowed", summary.may_claim}, {"reason", summary.claim_reason}};
  return out;
}

std::string to_text(const PanelSummary& summary) {
  const bool is_pair = summary.mode == "pair";
  std::string text;
  const auto line = [&text](const std::string& words) { text += escape_control(words) + "\n"; };
  if (!summary.complete && summary.num_missing_calls() > 0) {
    line(fmt::format("unfinished: {} of {} planned calls have no row; run it again to go on",
                     summary.num_missing_calls(), summary.num_planned_calls));
  }
  for (const JudgeCount& count : summary.counts) {
    const std::string who = is_pair ? count.judge : fmt::format("{} on {}", count.judge, count.arm);
    if (!count.valid) {
      line(fmt::format("INVALID  {}: {}", who, count.why_invalid));
      continue;
    }
    line(fmt::format("{}: {}; {} abstained, {} transport errors, {} unparsable", who, rate_text(count, is_pair),
                     count.count("abstained"), count.count("transport_error"), count.count("unparsable")));
  }
  for (const auto& [arm, words] : summary.majority) {
    std::string counts;
    for (const auto& [word, count] : words) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
    line(fmt::format("majority{}: {}", arm.empty() ? "" : " on " + arm, counts));
  }
  for (const JudgePair& pair : summary.pairs) {
    const std::string kappa = pair.agreement.kappa ? fmt::format("{:.3f}", *pair.agreement.kappa) : "undefined";
    line(fmt::format("agreement of {} and {}: kappa {}, PABAK {:.3f} over {} items{}", pair.first, pair.second, kappa,
                     pair.agreement.pabak, pair.agreement.num_items,
                     !pair.same_family   ? " (a maker is not known)"
                     : *pair.same_family ? " (one family)"
                                         : ""));
  }
  for (const JudgeCost& cost : summary.costs) {
    const auto usd = cost.cost.usd();
    const std::string money = usd ? fmt::format("{:.4f} USD", *usd) : "cost not known";
    line(fmt::format("{}: {} calls ({} from the cache), {} + {} tokens, {}", cost.judge, cost.num_calls,
                     cost.num_cached, cost.prompt_tokens, cost.completion_tokens, money));
  }
  line(fmt::format("claim: {} ({})", summary.may_claim ? "allowed" : "none", summary.claim_reason));
  return text;
}

}  // namespace plumbline
