/// Descriptor 3 of a reward's program (verify/custom/program_source.h): whole JSON lines in both directions.
#pragma once

#include "plumbline/base/json.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {

/// Dies with whoever wants the rewards, and watches for Ctrl-C. To be called before anything else.
void enter_reward_program();

/// False when nobody listens any more.
bool say_to_reward_pool(const Json& message);

/// Requests, from standard input: descriptor 3 is put there, since a socket has no path to be opened by.
class RewardRequests {
 public:
  RewardRequests();
  bool next() { return lines_.next(); }
  Json parse() const;

 private:
  JsonlReader lines_;
};

}  // namespace plumbline
