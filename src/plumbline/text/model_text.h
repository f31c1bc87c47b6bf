/// Everything textual about a checkpoint in one place: tokenizer, template, special tokens, stop set.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/record/problem.h"
#include "plumbline/text/chat_template.h"
#include "plumbline/text/template_facts.h"
#include "plumbline/text/tokenizer.h"

namespace plumbline {

/// A stop token and where it was found ("generation_config.json", "tokenizer eos_token", "chat template").
struct StopToken {
  int64_t id;
  std::string token;
  std::vector<std::string> sources;
};

/// One message of a chat, as a template sees it; a problem's prompt is rendered as it is.
using ChatTurn = Message;

/// A rendered prompt: ids for the model, text for people, and the part of the template that the model's answer
/// continues (a prefilled "<think>\n", say), which belongs to what the grader sees.
struct RenderedPrompt {
  std::string text;
  std::vector<int64_t> token_ids;  ///< exactly one BOS where the model wants one, none elsewhere
  /// Text after the last assistant header; usually empty. The header is the longest start of the generation prompt
  /// that the template also puts before an earlier answer, and never reaches into a "<think>".
  std::string prefill;

  /// SHA-256 of the text: `prompt_hash` of every row.
  std::string hash() const;
};

/// For logs: the hash that rows carry, then the text.
std::string prompt_line(const RenderedPrompt& prompt);

/// Immutable, thread-safe. Loads from an HF folder or a GGUF file; weights are not touched.
class ModelText {
 public:
  /// `chat_template`: "auto" | "always" | "never" (ModelOptions); `template_file` replaces the model's own.
  /// Throws DataError as its parts do; ConfigError(config.no_chat_template) for "always" without one.
  static ModelText load(const std::string& model_path, const std::string& chat_template = "auto",
                        const std::string& template_file = "");

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  /// Null when there is none, or none is to be used: all prompts are raw then (messages joined by one blank line).
  const ChatTemplate* chat_template() const { return template_ ? &*template_ : nullptr; }
  /// Union of generation config, tokenizer and template, each with its sources, sorted by id.
  const std::vector<StopToken>& stop_tokens() const { return stop_tokens_; }
  std::vector<int64_t> stop_ids() const;
  /// bos_token, eos_token, ... as the template sees them.
  const std::map<std::string, std::string>& special_tokens() const { return special_tokens_; }
  /// What the template does to every prompt; nothing without one.
  std::optional<TemplateFacts> template_facts() const;
  /// Whether the model wants its prompts to begin with a BOS; `render` puts exactly one there, whoever else writes it.
  bool wants_bos() const { return bos_id_ >= 0; }
  RenderedPrompt render(const std::vector<ChatTurn>& turns, bool add_generation_prompt = true) const;
  /// Whether prompts of the task are wrapped in the template: under "auto" where the task needs it
  /// (needs_structured_output), under "always" all; never without a template.
  bool wraps(std::string_view task) const;
  /// A problem's prompt as the model sees it, wrapped or raw: the one call for training and evaluation alike.
  RenderedPrompt render(const Problem& problem) const;
  /// What a grader sees of a sampled completion: the prompt's prefill and the decoded tokens, special ones and a stop
  /// token at the end left out. The one place that makes it, for training and evaluation alike.
  std::string graded_text(const RenderedPrompt& prompt, std::span<const int64_t> completion_ids) const;

 private:
  std::string prefill_of(const std::vector<ChatTurn>& turns, const std::string& text) const;
  RenderedPrompt raw_prompt(const std::vector<ChatTurn>& turns) const;
  void encode(RenderedPrompt& prompt) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<ChatTemplate> template_;
  bool wraps_all_ = false;  ///< "always"
  std::vector<StopToken> stop_tokens_;
  std::map<std::string, std::string> special_tokens_;
  int64_t bos_id_ = -1;  ///< every prompt begins with exactly one of it; -1: the model wants none
};

}  // namespace plumbline
