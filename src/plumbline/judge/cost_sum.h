/// What calls cost together, where that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plumbline/judge/chat_client.h"

namespace plumbline {

class CostSum {
 public:
  /// A call that brought a reply. One out of the cache was paid for before.
  void add_reply(const Usage& usage, bool cached) {
    if (usage.cost_usd) usd_ += cached ? 0 : *usage.cost_usd;
    ++(usage.cost_usd ? num_known_ : num_unknown_);
  }
  /// A call that failed, as `kind` (to_string(CallKind)). Nobody asks money for a refusal or for a connection that
  /// never was; what stopped in the middle may be on the bill.
  void add_failure(const Usage& usage, std::string_view kind, int http_status) {
    if (usage.cost_usd) return add_reply(usage, /*cached=*/false);
    num_unknown_ += http_status < 300 && kind != "connect" && kind != "tls";
  }
  /// USD; unset where a call's cost is not known, and where no call's is.
  std::optional<double> usd() const { return num_unknown_ == 0 && num_known_ > 0 ? std::optional(usd_) : std::nullopt; }

 private:
  double usd_ = 0;
  int64_t num_known_ = 0, num_unknown_ = 0;
};

}  // namespace plumbline
