/// What a judge's reply says, read strictly: anything but the form that was asked for is no verdict.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/judge/chat_client.h"
#include "plumbline/judge/question.h"

namespace plumbline {

/// One judge on one item. The first three of each mode are the judge's; the last two are not, and never count as one.
enum class JudgeOutcome {
  kSupported,
  kNotSupported,
  kFirst,   ///< pair: the answer that stood first is better
  kSecond,  ///< pair
  kTie,     ///< pair: the judge said so
  kAbstained,
  kTransportError,  ///< the call failed
  kUnparsable,      ///< the reply is not the JSON that was asked for
};

/// Whether it is an opinion that rates and agreement are made of.
bool is_verdict(JudgeOutcome outcome);

struct JudgeAnswer {
  JudgeOutcome outcome = JudgeOutcome::kUnparsable;
  /// "verdict" and "abstained"; for kTransportError the CallKind; for kUnparsable the CallKind or what is wrong with
  /// the text: "empty", "refusal", "cut", "no_json", "not_boolean", "wrong_value", "contradiction".
  std::string kind;
  std::string reason;  ///< the judge's own, or why there is no verdict
};

/// A verdict is one whole JSON object (alone, in one code fence, or behind one closed <think> block) with exactly one
/// of "supported" (true or false, not in quotes) and "abstained": true; in pair mode "better" ("A", "B", "tie") in the
/// place of "supported". A reply that was cut off at its limit is none, even when it parses. `reply` is not
/// kInterrupted.
JudgeAnswer read_verdict(const ChatReply& reply, JudgeMode mode);

}  // namespace plumbline
