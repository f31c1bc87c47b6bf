/// What a judge is asked. The texts that are judged stand between marks made from their own hash, so that no text can
/// close its own frame and speak to the judge from outside.
#pragma once

#include <string>

#include "plumbline/judge/chat_client.h"

namespace plumbline {

enum class JudgeMode { kSupport, kPair };

/// One item as a judge sees it. `second` is used in pair mode only; `first` stands first.
struct JudgedTexts {
  std::string prompt, reference, first, second;
};

class Question {
 public:
  /// `path`: a file of the user's with {{prompt}}, {{reference}} and {{answer}} (support) or {{answer_a}} and
  /// {{answer_b}} (pair); empty = the built-in question. The form of the reply is always ours.
  /// Throws ConfigError(config.judge_prompt), DataError as read_file.
  Question(JudgeMode mode, const std::string& path);

  ChatRequest request(const JudgedTexts& texts) const;
  /// A small item with a plain answer, for the pre-flight.
  ChatRequest trial() const;
  JudgeMode mode() const { return mode_; }
  /// SHA-256 over everything that is the same for every item.
  const std::string& hash() const { return hash_; }

 private:
  JudgeMode mode_;
  std::string instruction_, body_, hash_;
};

/// The prompt's messages as one text: the content alone when there is one message, else each under its role.
std::string text_of_messages(const std::vector<Message>& messages);

}  // namespace plumbline
