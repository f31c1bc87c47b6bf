#include "plumbline/text/template_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// Private characters that no template trims or writes itself.
constexpr std::string_view kUser = "\xEE\x80\x81", kAnswer = "\xEE\x80\x82", kNextUser = "\xEE\x80\x83";

Json message(const char* role, std::string_view content) {
  return {{"role", role}, {"content", std::string(content)}};
}

class Prober {
 public:
  Prober(const ChatTemplate& chat_template, const std::map<std::string, std::string>& special_tokens,
         std::set<std::string>& variables_read)
      : template_(chat_template), special_tokens_(special_tokens), variables_read_(variables_read) {}

  /// Nothing where the template refuses these messages.
  std::optional<std::string> render(const Json& messages, bool add_generation_prompt) {
    Json variables = {{"messages", messages}, {"tools", nullptr}, {"documents", nullptr}};
    variables["add_generation_prompt"] = add_generation_prompt;
    for (const auto& [name, token] : special_tokens_) variables[name] = token;
    try {
      return template_.render(variables, "", &variables_read_);
    } catch (const DataError& error) {
      if (error.id() == "data.template_limit") throw;
      return std::nullopt;
    }
  }

 private:
  const ChatTemplate& template_;
  const std::map<std::string, std::string>& special_tokens_;
  std::set<std::string>& variables_read_;
};

std::string_view before(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == text.npos ? std::string_view() : text.substr(0, at);
}

std::string_view common_end(std::string_view a, std::string_view b) {
  const auto ends = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return a.substr(a.size() - static_cast<size_t>(ends.first - a.rbegin()));
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  return first == text.npos ? "" : std::string(text.substr(first, text.find_last_not_of(" \n") + 1 - first));
}

}  // namespace

TemplateFacts template_facts(const ChatTemplate& chat_template,
                             const std::map<std::string, std::string>& special_tokens) {
  TemplateFacts facts;
  facts.hash = chat_template.hash();
  Prober prober(chat_template, special_tokens, facts.variables_read);
  const Json question = Json::array({message("user", kUser)});
  const auto plain = prober.render(question, false), prompted = prober.render(question, true);
  if (!plain || !prompted) return facts;
  facts.accepts_chat = true;
  facts.honours_generation_prompt = *plain != *prompted;
  if (facts.honours_generation_prompt) {
    const auto shared = std::mismatch(plain->begin(), plain->end(), prompted->begin(), prompted->end()).second;
    facts.generation_prompt.assign(shared, prompted->end());
  }
  std::string_view opening = before(*plain, kUser);
  if (const auto bos = special_tokens.find("bos_token"); bos != special_tokens.end() && !bos->second.empty()) {
    facts.writes_bos = opening.starts_with(bos->second);
    if (facts.writes_bos) opening.remove_prefix(bos->second.size());
  }
  // The header of a user's turn is what also stands before a later one; anything before it was put in.
  const auto longer = prober.render(
      Json::array({message("user", kUser), message("assistant", kAnswer), message("user", kNextUser)}), false);
  if (longer) opening.remove_suffix(common_end(opening, before(*longer, kNextUser)).size());
  facts.default_prompt = trimmed(opening);
  return facts;
}

}  // namespace plumbline
