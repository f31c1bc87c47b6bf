/// What a chat template does to every prompt, found out by rendering small chats: what people overlook in one.
#pragma once

#include <map>
#include <set>
#include <string>

#include "plumbline/text/chat_template.h"

namespace plumbline {

struct TemplateFacts {
  /// Whether it renders a lone user message; everything below but `hash` is empty otherwise.
  bool accepts_chat = false;
  std::string hash;  ///< SHA-256 of the source
  /// Text before the first user turn of a chat without a system message, the BOS left out: a system prompt that the
  /// template puts in by itself. Empty: it puts none.
  std::string default_prompt;
  /// What add_generation_prompt appends.
  std::string generation_prompt;
  bool honours_generation_prompt = false;
  bool writes_bos = false;               ///< the text begins with bos_token
  std::set<std::string> variables_read;  ///< top-level variables that it looked at, given or not
};

/// `special_tokens` as the template sees them (bos_token, ...). Throws DataError(data.template_limit) only.
TemplateFacts template_facts(const ChatTemplate& chat_template,
                             const std::map<std::string, std::string>& special_tokens);

}  // namespace plumbline
