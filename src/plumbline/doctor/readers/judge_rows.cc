#include "plumbline/doctor/readers/judge_rows.h"

#include <cmath>
#include <iterator>
#include <tuple>

#include "plumbline/base/error.h"
#include "plumbline/doctor/hash.h"
#include "plumbline/stats/agreement.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastShared = 20;  ///< verdicts on the same items; kappa of fewer says little

bool is_failure_text(std::string_view reason) {
  for (const char* words : {"call failed", "HTTP 4", "HTTP 5", "timed out", "connection", "api error"}) {
    if (reason.find(words) != reason.npos) return true;
  }
  return false;
}

int class_of(const std::string& vote) {
  return vote == "base" ? 0 : vote == "tie" ? 2 : 1;
}

}  // namespace

bool is_verdict_reply(std::string_view reply) {
  const size_t begin = reply.find('{'), end = reply.rfind('}');
  if (begin == reply.npos || end == reply.npos || end < begin) return false;
  try {
    JsonStream stream(std::string(reply.substr(begin, end - begin + 1)), nullptr, "reply");
    FlatRow row;
    row.read(stream);
    const FlatRow::Leaf* leaf = row.find("supported");
    return leaf && leaf->kind == FlatRow::Kind::kBoolean;
  } catch (const DataError&) {
    return false;
  }
}

bool JudgeRows::take(const FlatRow& row) {
  if (row.has("teacher") && row.has("ok")) return take_teacher(row), true;
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    if (row.path(leaf).starts_with("verdicts.")) return take_votes(row), true;
  }
  const bool is_judged = row.has("judge") && (row.has("outcome") || row.has("supported"));
  const bool is_bare = row.has("supported") && (row.has("abstained") || row.has("reason") || row.has("reply"));
  if (!is_judged && !is_bare) return false;
  take_verdict(row);
  return true;
}

void JudgeRows::take_verdict(const FlatRow& row) {
  const std::string judge = row.has("judge") ? row.word("judge") : "judge", arm = row.word("arm");
  JudgeCounts& counts = counts_[{judge, arm}];
  ++counts.num_items;
  std::string outcome = row.word("outcome");
  if (outcome.empty()) {
    const bool failed = is_failure_text(row.word("reason")) || is_failure_text(row.word("error"));
    outcome = failed                                  ? "transport_error"
              : row.flag("abstained").value_or(false) ? "abstained"
              : row.flag("supported").value_or(false) ? "supported"
              : row.flag("supported") == false        ? "not_supported"
                                                      : "unparsable";
  }
  if (row.number("http_status").value_or(200) >= 400) outcome = "transport_error";
  const auto reply = row.text("reply");
  if (reply && (outcome == "supported" || outcome == "not_supported") && !is_verdict_reply(*reply)) {
    outcome = "unparsable";
    ++counts.reclassified;
  }
  const uint64_t item = hash_of(row.word("problem_id") + row.word("item") + row.word("case_id") + "|" + arm);
  if (outcome == "supported") {
    ++counts.supported;
    verdicts_[judge][item] = 1;
  } else if (outcome == "not_supported") {
    ++counts.not_supported;
    verdicts_[judge][item] = 0;
  } else if (outcome == "base" || outcome == "candidate" || outcome == "tie") {
    ++counts.supported;  // two answers were compared: whichever won, it is a verdict
    verdicts_[judge][item] = class_of(outcome);
  } else if (outcome == "abstained") {
    ++counts.abstained;
  } else if (outcome == "transport_error") {
    ++counts.transport_error;
  } else {
    ++counts.unparsable;
  }
}

void JudgeRows::take_votes(const FlatRow& row) {
  const uint64_t item = hash_of(row.word("item") + row.word("problem_id"));
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    const std::string_view path = row.path(leaf);
    if (!path.starts_with("verdicts.") || leaf.kind != FlatRow::Kind::kString) continue;
    verdicts_[std::string(path.substr(9))][item] = class_of(std::string(row.text_of(leaf)));
  }
}

void JudgeRows::take_teacher(const FlatRow& row) {
  TeacherCounts& teacher = teachers_[row.word("teacher")];
  ++teacher.attempted;
  const bool failed = row.number("http_status").value_or(200) >= 400 || row.flag("ok") == false;
  if (!failed) ++teacher.succeeded;
  if (row.flag("kept").value_or(false)) ++teacher.kept;
}

void JudgeRows::finish(Collector& out) {
  for (auto& [key, counts] : counts_) {
    counts.where = where_;
    std::tie(counts.judge, counts.arm) = key;
    counts.from_rows = true;
    counts.items_hash = where_;  // one file, the same items
    out.evidence.judges.push_back(std::move(counts));
  }
  for (auto first = verdicts_.begin(); first != verdicts_.end(); ++first) {
    for (auto second = std::next(first); second != verdicts_.end(); ++second) {
      std::vector<std::string> ours, theirs;
      for (const auto& [item, vote] : first->second) {
        const auto other = second->second.find(item);
        if (other == second->second.end()) continue;
        ours.push_back(std::to_string(vote));
        theirs.push_back(std::to_string(other->second));
      }
      const auto shared = static_cast<int64_t>(ours.size());
      const double kappa = shared >= kLeastShared ? agreement_of(ours, theirs).kappa.value_or(NAN) : NAN;
      const std::string pair = first->first + " and " + second->first;
      if (!std::isnan(kappa)) {
        out.evidence.agreements.push_back({where_, pair, kappa, shared});
      } else {
        out.not_checked(where_, "agreement of " + pair,
                        shared < kLeastShared ? "fewer than 20 verdicts on the same items"
                                              : "both judges always say the same one thing");
      }
    }
  }
  for (auto& [name, teacher] : teachers_) {
    teacher.where = where_;
    teacher.teacher = name;
    out.evidence.teachers.push_back(std::move(teacher));
  }
}

}  // namespace plumbline::doctor
