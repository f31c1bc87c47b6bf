#include "plumbline/text/model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/text/checkpoint_text.h"
#include "plumbline/text/task_prompt.h"

namespace plumbline {
namespace {

/// Stands for an answer where we look at what a template puts around one: a private character that no template trims.
constexpr const char* kAnswerMark = "\xEE\x80\x80";
constexpr const char* kThinkTag = "<think>";

using Turns = std::vector<ChatTurn>;

std::string render_turns(const ChatTemplate& chat_template, const std::map<std::string, std::string>& special_tokens,
                         const Turns& turns, bool add_generation_prompt) {
  Json messages = Json::array();
  for (const ChatTurn& turn : turns) messages.push_back({{"role", turn.role}, {"content", turn.content}});
  Json variables = {{"messages", std::move(messages)}, {"tools", nullptr}, {"documents", nullptr}};
  variables["add_generation_prompt"] = add_generation_prompt;
  for (const auto& [name, token] : special_tokens) variables[name] = token;
  return chat_template.render(variables);
}

/// What `render` gives, or nothing where the template refuses these turns.
template <typename Render>
std::optional<std::string> if_accepted(Render render) {
  try {
    return render();
  } catch (const DataError& error) {
    if (error.id() == "data.template_raised" || error.id() == "data.template_error") return std::nullopt;
    throw;
  }
}

/// The start of `prompt` with which the template opens any answer: the longest one that also stands directly before an
/// earlier answer of the assistant.
size_t header_size(const std::string& prompt, const std::string& before_answer) {
  size_t size = prompt.size();
  while (size > 0 && !before_answer.ends_with(std::string_view(prompt).substr(0, size))) --size;
  return size;
}

std::string join_raw(const Turns& turns) {
  std::string text;
  for (const ChatTurn& turn : turns) text += (text.empty() ? "" : "\n\n") + turn.content;
  return text;
}

void add_stop(std::vector<StopToken>& stops, const Tokenizer& tokenizer, int64_t id, const std::string& source) {
  const auto present = std::find_if(stops.begin(), stops.end(), [id](const StopToken& stop) { return stop.id == id; });
  if (present == stops.end()) {
    stops.push_back({id, tokenizer.decode({id}), {source}});
  } else if (std::find(present->sources.begin(), present->sources.end(), source) == present->sources.end()) {
    present->sources.push_back(source);
  }
}

/// The special token that the template puts directly behind an answer, or -1.
int64_t turn_end(const ChatTemplate& chat_template, const std::map<std::string, std::string>& special_tokens,
                 const Tokenizer& tokenizer) {
  const auto text = if_accepted([&] {
    return render_turns(chat_template, special_tokens, {{"user", "x"}, {"assistant", kAnswerMark}}, false);
  });
  const size_t mark = text ? text->find(kAnswerMark) : std::string::npos;
  if (mark == std::string::npos) return -1;
  const size_t behind = text->find_first_not_of(" \n", mark + std::string_view(kAnswerMark).size());
  if (behind == std::string::npos) return -1;
  const std::vector<int64_t> ids = tokenizer.encode(std::string_view(*text).substr(behind));
  return !ids.empty() && tokenizer.is_special(ids[0]) ? ids[0] : -1;
}

}  // namespace

std::string RenderedPrompt::hash() const {
  return sha256_hex(text);
}

std::string prompt_line(const RenderedPrompt& prompt) {
  return fmt::format("first prompt, SHA-256 {}, {} tokens: {}", prompt.hash(), prompt.token_ids.size(),
                     escape_control(prompt.text));
}

ModelText ModelText::load(const std::string& model_path, const std::string& chat_template,
                          const std::string& template_file) {
  const CheckpointText files = read_checkpoint_text(model_path);
  ModelText text;
  text.tokenizer_ = std::make_shared<const Tokenizer>(Tokenizer::load(model_path));
  text.special_tokens_ = files.special_tokens;
  text.wraps_all_ = chat_template == "always";
  if (chat_template != "never") {
    if (!template_file.empty()) {
      text.template_.emplace(read_file(template_file), template_file);
    } else if (files.chat_template) {
      text.template_.emplace(*files.chat_template, files.chat_template_name);
    } else if (chat_template == "always") {
      throw ConfigError("config.no_chat_template", "the model has no chat template", model_path,
                        "name one with model.template_file, or set model.chat_template = \"never\"");
    }
  }
  for (const auto& [id, source] : files.stop_ids) add_stop(text.stop_tokens_, *text.tokenizer_, id, source);
  for (const auto& [token, source] : files.stop_texts) {
    const int64_t id = text.tokenizer_->id_of(token);
    if (id >= 0) add_stop(text.stop_tokens_, *text.tokenizer_, id, source);
  }
  if (text.template_) {
    const int64_t id = turn_end(*text.template_, text.special_tokens_, *text.tokenizer_);
    if (id >= 0) add_stop(text.stop_tokens_, *text.tokenizer_, id, "chat template");
  }
  std::sort(text.stop_tokens_.begin(), text.stop_tokens_.end(),
            [](const StopToken& a, const StopToken& b) { return a.id < b.id; });
  if (adds_bos(files, *text.tokenizer_)) {
    const auto bos = files.special_tokens.find("bos_token");
    const bool said_outright = files.add_bos && bos != files.special_tokens.end();
    text.bos_id_ = said_outright ? text.tokenizer_->id_of(bos->second) : text.tokenizer_->ids_before()[0];
  }
  return text;
}

std::optional<TemplateFacts> ModelText::template_facts() const {
  if (!template_) return std::nullopt;
  return plumbline::template_facts(*template_, special_tokens_);
}

std::vector<int64_t> ModelText::stop_ids() const {
  std::vector<int64_t> ids;
  for (const StopToken& stop : stop_tokens_) ids.push_back(stop.id);
  return ids;
}

std::string ModelText::graded_text(const RenderedPrompt& prompt, std::span<const int64_t> completion_ids) const {
  std::vector<int64_t> ids(completion_ids.begin(), completion_ids.end());
  // A stop token need not be a special one of the tokenizer, and then it would be decoded as text.
  const bool is_stopped = !ids.empty() && std::any_of(stop_tokens_.begin(), stop_tokens_.end(),
                                                      [&](const StopToken& stop) { return stop.id == ids.back(); });
  if (is_stopped) ids.pop_back();
  return prompt.prefill + tokenizer_->decode_text(ids);
}

RenderedPrompt ModelText::render(const Turns& turns, bool add_generation_prompt) const {
  if (!template_) return raw_prompt(turns);
  RenderedPrompt prompt;
  prompt.text = render_turns(*template_, special_tokens_, turns, add_generation_prompt);
  if (add_generation_prompt) prompt.prefill = prefill_of(turns, prompt.text);
  encode(prompt);
  return prompt;
}

bool ModelText::wraps(std::string_view task) const {
  return template_ && (wraps_all_ || needs_structured_output(task));
}

RenderedPrompt ModelText::render(const Problem& problem) const {
  return wraps(problem.task) ? render(task_messages(problem)) : raw_prompt(task_messages(problem));
}

RenderedPrompt ModelText::raw_prompt(const Turns& turns) const {
  RenderedPrompt prompt;
  prompt.text = join_raw(turns);
  encode(prompt);
  return prompt;
}

void ModelText::encode(RenderedPrompt& prompt) const {
  prompt.token_ids = tokenizer_->encode(prompt.text);
  const bool begins_with_bos = !prompt.token_ids.empty() && prompt.token_ids[0] == bos_id_;
  if (bos_id_ >= 0 && !begins_with_bos) prompt.token_ids.insert(prompt.token_ids.begin(), bos_id_);
}

std::string ModelText::prefill_of(const Turns& turns, const std::string& text) const {
  const auto without = if_accepted([&] { return render_turns(*template_, special_tokens_, turns, false); });
  if (!without) return "";
  const size_t shared = std::mismatch(text.begin(), text.end(), without->begin(), without->end()).first - text.begin();
  const std::string generation_prompt = text.substr(shared);
  // An earlier answer: templates that show the thinking of the last one only leave it out there.
  Turns longer = turns;
  longer.push_back({"assistant", kAnswerMark});
  longer.push_back({"user", "x"});
  const auto with_answer = if_accepted([&] { return render_turns(*template_, special_tokens_, longer, false); });
  const size_t mark = with_answer ? with_answer->find(kAnswerMark) : std::string::npos;
  size_t header = mark == std::string::npos ? generation_prompt.size()
                                            : header_size(generation_prompt, with_answer->substr(0, mark));
  header = std::min(header, generation_prompt.find(kThinkTag));
  return generation_prompt.substr(header);
}

}  // namespace plumbline
