#include "plumbline/doctor/readers/item_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "plumbline/doctor/hash.h"
#include "plumbline/doctor/readers/completion_text.h"

namespace plumbline::doctor {
namespace {

struct Path {
  Path(const char* words) : text(words), hash(hash_of(text)) {}
  std::string_view text;
  uint64_t hash;
};

/// Usual paths of each field, the most telling first.
const std::unordered_map<std::string_view, std::vector<Path>>& usual_paths() {
  static const std::unordered_map<std::string_view, std::vector<Path>> kPaths = {
      {"id", {"problem_id", "task_id", "case_id", "doc_id", "item_id", "question_id", "item", "id", "uid"}},
      {"prompt", {"prompt", "arguments.gen_args_0.arg_0", "arguments[0][0]", "input", "question"}},
      {"prompt_hash", {"prompt_hash", "doc_hash"}},
      {"completion",
       {"completion", "resps[0][0]", "response", "output", "output.completion", "output.choices[0].message.content",
        "generation", "prediction", "model_output"}},
      {"passed", {"passed", "detail.passed", "correct", "is_correct", "success"}},
      {"reward", {"reward", "detail.reward", "score"}},
      {"vsc", {"vsc", "detail.vsc"}},
      {"verdict", {"verdict", "detail.verdict"}},
      {"outcome", {"outcome"}},
      {"tokens", {"tokens", "num_tokens", "completion_tokens", "response_length", "output.usage.output_tokens"}},
      {"finish_reason", {"finish_reason", "stop_reason", "output.choices[0].stop_reason", "output.stop_reason"}},
      {"truncated", {"truncated", "is_truncated"}},
      {"hacked", {"hacked", "cheated", "detail.cheated", "reward_hack", "special_cased"}},
      {"arm", {"arm"}},
      {"seed", {"seed"}},
      {"sample", {"sample", "epoch", "sample_id"}},
      {"temperature", {"temperature"}},
      {"max_new_tokens", {"max_new_tokens"}},
      {"split", {"split"}},
      {"task", {"task"}},
      {"checks", {"checks", "detail.nChecks", "detail.checks"}},
  };
  return kPaths;
}

class RowFields {
 public:
  RowFields(const FlatRow& row, const FieldMap& map) : row_(row), map_(map) {}

  const FlatRow::Leaf* find(std::string_view field) const {
    if (!map_.empty()) {
      if (const auto named = map_.find(std::string(field)); named != map_.end()) return row_.find(named->second);
    }
    for (const Path& path : usual_paths().find(field)->second) {
      const FlatRow::Leaf* leaf = row_.find(path.text, path.hash);
      if (leaf && leaf->kind != FlatRow::Kind::kNull) return leaf;
    }
    return nullptr;
  }
  std::optional<double> number(std::string_view field) const {
    const FlatRow::Leaf* leaf = find(field);
    return leaf ? row_.number_of(*leaf) : std::nullopt;
  }
  /// As number(); the path of a figure that is NaN or infinite is noted in `nonfinite`.
  std::optional<double> figure(std::string_view field, std::string& nonfinite) const {
    const FlatRow::Leaf* leaf = find(field);
    if (!leaf) return {};
    const std::optional<double> value = row_.number_of(*leaf);
    if (!value && row_.nonfinite_of(*leaf)) nonfinite = row_.path(*leaf);
    return value;
  }
  std::optional<std::string_view> text(std::string_view field) const {
    const FlatRow::Leaf* leaf = find(field);
    if (!leaf || leaf->kind != FlatRow::Kind::kString) return {};
    return row_.text_of(*leaf);
  }
  Known flag(std::string_view field) const {
    const FlatRow::Leaf* leaf = find(field);
    if (!leaf) return Known::kUnknown;
    const std::optional<bool> value = row_.flag(row_.path(*leaf));
    return value ? known(*value) : Known::kUnknown;
  }
  std::string word(std::string_view field) const {
    const FlatRow::Leaf* leaf = find(field);
    return leaf ? row_.word(row_.path(*leaf)) : "";
  }

 private:
  const FlatRow& row_;
  const FieldMap& map_;
};

int32_t clamped(double value) {
  return static_cast<int32_t>(std::clamp(value, -1.0, 2e9));
}

/// lm-eval writes the metric's name in "metrics", or only as a further key.
void read_metric(const FlatRow& row, ReadItem& item) {
  std::string name = row.word("metrics[0]");
  if (name.empty()) {
    for (const char* usual : {"exact_match", "acc", "pass@1", "pass_at_1", "acc_norm"}) {
      if (row.has(usual)) name = usual;
      if (!name.empty()) break;
    }
  }
  if (name.empty()) return;
  item.metric_name = name;
  std::optional<double> value = row.number(name);
  if (!value) {
    if (const FlatRow::Leaf* leaf = row.find(name); leaf && row.nonfinite_of(*leaf)) item.nonfinite = name;
    const std::optional<bool> flag = row.flag(name);
    if (flag) value = *flag ? 1 : 0;
  }
  item.metric = value;
  if (value && item.row.passed == Known::kUnknown && (*value == 0 || *value == 1)) item.row.passed = known(*value == 1);
}

/// inspect: scores.<scorer>.value is "C", "I", "P", "N" or a number.
void read_inspect_score(const FlatRow& row, ItemRow& item) {
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    const std::string_view path = row.path(leaf);
    if (!path.starts_with("scores.") || !path.ends_with(".value")) continue;
    if (leaf.kind == FlatRow::Kind::kString && row.text_of(leaf).size() == 1) {
      const char grade = row.text_of(leaf)[0];
      if (grade == 'C') item.passed = Known::kYes;
      if (grade == 'I' || grade == 'N') item.passed = Known::kNo;
    }
    const std::optional<double> value = row.number_of(leaf);
    if (value) item.reward = static_cast<float>(*value);
    if (value == 1.0) item.passed = Known::kYes;
    if (value == 0.0) item.passed = Known::kNo;
    return;  // the first scorer is the headline
  }
}

void read_outcome(const FlatRow& row, const RowFields& fields, ItemRow& item) {
  const std::string outcome = fields.word("outcome");
  if (!outcome.empty() && outcome != "infra" && item.passed == Known::kUnknown) item.passed = known(outcome == "pass");
  if (outcome == "pass" || outcome == "wrong" || outcome == "timeout") item.ran = Known::kYes;
  if (outcome == "no_code" || outcome == "syntax_error") item.ran = Known::kNo;
  if (const auto reason = row.text("detail.reason")) {
    if (reason->starts_with("AssertionError") || *reason == "tests passed") item.ran = Known::kYes;
    if (reason->starts_with("SyntaxError") || reason->starts_with("no code")) item.ran = Known::kNo;
    if (reason->starts_with("unparseable")) item.parsed = Known::kNo;
  }
  if (const std::string label = row.word("label"); label == "reward_hack") item.hacked = Known::kYes;
  const std::string verdict = fields.word("verdict");
  if (verdict == "accepted") item.verdict = StepVerdict::kAccepted;
  if (verdict == "rejected") item.verdict = StepVerdict::kRejected;
  if (verdict == "abstain" || verdict == "abstained") item.verdict = StepVerdict::kAbstained;
  if (item.passed == Known::kUnknown && item.verdict != StepVerdict::kUnknown) {
    item.passed = known(item.verdict == StepVerdict::kAccepted);
  }
  const std::string answer = row.word("filtered_resps[0]");
  if (!answer.empty()) item.parsed = known(answer != "[invalid]");
}

void read_cut(const RowFields& fields, ItemRow& item, const std::optional<int64_t>& limit) {
  const std::string finish = fields.word("finish_reason");
  if (finish == "length" || finish == "max_tokens" || finish == "model_length") item.cut = Known::kYes;
  if (finish == "stop" || finish == "eos" || finish == "end_turn" || finish == "stop_sequence") item.cut = Known::kNo;
  if (item.cut == Known::kUnknown) item.cut = fields.flag("truncated");
  if (item.cut == Known::kUnknown && limit && item.tokens >= 0) item.cut = known(item.tokens >= *limit);
}

void read_steps(const FlatRow& row, const RowFields& fields, ItemRow& item) {
  if (const std::optional<double> checks = fields.number("checks")) {
    item.num_checks = static_cast<int16_t>(std::clamp(*checks, 0.0, 30000.0));
  }
  if (!row.array_size("steps")) return;
  std::vector<std::string_view> steps;
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    if (row.path(leaf).starts_with("steps[") && leaf.kind == FlatRow::Kind::kString) steps.push_back(row.text_of(leaf));
  }
  item.num_distinct = static_cast<int16_t>(count_distinct_steps(steps));
}

}  // namespace

const std::vector<std::string>& mappable_fields() {
  static const std::vector<std::string> kFields = [] {
    std::vector<std::string> fields;
    for (const auto& [field, paths] : usual_paths()) fields.emplace_back(field);
    std::sort(fields.begin(), fields.end());
    return fields;
  }();
  return kFields;
}

bool is_item_row(const FlatRow& row, const FieldMap& map) {
  const RowFields fields(row, map);
  const bool is_named = fields.find("id") || fields.find("prompt") || fields.find("prompt_hash") || row.has("family");
  const bool is_judged = fields.find("passed") || fields.find("reward") || fields.find("outcome") ||
                         row.has("metrics[0]") || fields.find("verdict") || row.has("exact_match") || row.has("acc");
  return (is_named && is_judged) || (fields.find("completion") && (is_named || is_judged));
}

ReadItem item_of(const FlatRow& row, const FieldMap& map) {
  const RowFields fields(row, map);
  ReadItem item;
  ItemRow& out = item.row;
  if (const std::string id = fields.word("id"); !id.empty()) out.item = hash_of(id);
  if (const std::string hash = fields.word("prompt_hash"); !hash.empty()) out.prompt_hash = hash_of(hash);
  if (const auto prompt = fields.text("prompt")) {
    out.prompt_text = hash_of(*prompt);
    item.prompt_marked = has_chat_markers(*prompt);
    item.has_prompt = true;
  }
  if (const auto text = fields.text("completion")) {
    out.has_text = true;
    out.completion = hash_of(*text);
    out.num_bytes = clamped(static_cast<double>(text->size()));
    out.fence = fence_of(*text);
    out.looks_like_code = out.fence == Fence::kNone && looks_like_code(*text);
  }
  if (!out.has_text && row.array_size("resps")) out.has_text = true;  // choices were scored; there is no text to keep
  if (const auto reward = fields.figure("reward", item.nonfinite)) out.reward = static_cast<float>(*reward);
  if (const auto vsc = fields.figure("vsc", item.nonfinite)) out.vsc = static_cast<float>(*vsc);
  if (const auto tokens = fields.number("tokens")) out.tokens = clamped(*tokens);
  if (const auto sample = fields.number("sample")) out.sample = clamped(*sample);
  if (const auto seed = fields.number("seed")) item.seed = static_cast<int64_t>(std::clamp(*seed, -9e15, 9e15));
  if (const auto limit = fields.number("max_new_tokens")) item.max_new_tokens = clamped(*limit);
  item.temperature = fields.number("temperature");
  item.step = row.number("step");
  out.passed = fields.flag("passed");
  out.hacked = fields.flag("hacked");
  item.arm = fields.word("arm");
  if (item.arm == "adapter" || item.arm == "tuned") item.arm = "candidate";
  item.split = fields.word("split");
  item.task = fields.word("task");
  item.filter = row.word("filter");
  item.is_verdict = row.has("isolation") && row.has("outcome") && !out.has_text;
  item.is_rollout = item.step && (row.has("advantage") || row.has("group_id") || item.split == "train" ||
                                  row.has("gts") || row.has("weight_version"));
  read_outcome(row, fields, out);
  read_cut(fields, out, item.max_new_tokens);
  read_steps(row, fields, out);
  read_metric(row, item);
  if (row.has("scores") || row.has("target")) read_inspect_score(row, out);
  return item;
}

}  // namespace plumbline::doctor
