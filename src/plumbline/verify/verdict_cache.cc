#include "plumbline/verify/verdict_cache.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

bool is_repeatable(Outcome outcome) {
  return outcome == Outcome::kPass || outcome == Outcome::kWrong || outcome == Outcome::kError ||
         outcome == Outcome::kSyntaxError || outcome == Outcome::kNoCode;
}

}  // namespace

VerdictCache::VerdictCache(const std::string& path) {
  writer_ = std::make_unique<JsonlWriter>(path);  // first: it removes a line that a killed run left half-written
  JsonlReader lines(path);
  while (lines.next()) {
    const Json row = lines.parse();
    const std::string where = lines.where();
    verdicts_[require_member(row, "key", where).get<std::string>()] =
        parse_verdict(require_member(row, "verdict", where), where);
  }
}

std::optional<Verdict> VerdictCache::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto at = verdicts_.find(key);
  return at == verdicts_.end() ? std::nullopt : std::optional(at->second);
}

void VerdictCache::put(const std::string& key, const Verdict& verdict) {
  if (!is_repeatable(verdict.outcome)) return;
  const std::lock_guard lock(mutex_);
  if (!verdicts_.emplace(key, verdict).second) return;
  writer_->write(to_json_line(Json{{"key", key}, {"verdict", to_json(verdict)}}));
}

}  // namespace plumbline
