/// `inspect MODEL tokens` and `inspect MODEL render`: exact outputs for comparison with other tools.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/files/model_path.h"
#include "plumbline/text/chat_template.h"
#include "plumbline/text/checkpoint_text.h"
#include "plumbline/text/template_facts.h"
#include "plumbline/text/tokenizer.h"

namespace plumbline {
namespace {

/// Calls `use` with every line of stdin that is not blank, and where it stands. Nothing at all is an error that says
/// what a line `holds`.
template <typename Use>
void for_each_input(const std::string& holds, Use use) {
  int number = 0;
  bool any = false;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string where = "stdin, line " + std::to_string(++number);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    any = true;
    use(parse_json(line, where), where);
  }
  if (!any)
    throw DataError("data.no_rows", "nothing came on standard input", "stdin", "write to it, a line each, " + holds);
}

void put_line(const Json& value) {
  const std::string line = to_json_line(value) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

struct TokensOptions {
  bool decode = false, special = false, skip_special = false;
};

std::vector<int64_t> ids_of(const Json& input, const Tokenizer& tokenizer, const std::string& where) {
  std::vector<int64_t> ids;
  if (!input.is_array()) throw DataError("data.json_type", "expected an array of token ids", where);
  for (const Json& id : input) {
    if (!id.is_number_integer()) throw DataError("data.json_type", "expected an array of token ids", where);
    ids.push_back(id.get<int64_t>());
    if (!tokenizer.has(ids.back())) {
      throw DataError("data.unknown_token_id", "no token has the id " + id.dump(), where,
                      "the ids are another tokenizer's, or of a vocabulary that was padded");
    }
  }
  return ids;
}

std::vector<int64_t> with_special_tokens(const std::vector<int64_t>& ids, const Tokenizer& tokenizer) {
  std::vector<int64_t> whole = tokenizer.ids_before();
  whole.insert(whole.end(), ids.begin(), ids.end());
  whole.insert(whole.end(), tokenizer.ids_after().begin(), tokenizer.ids_after().end());
  return whole;
}

void print_tokens(const std::string& model, const TokensOptions& options) {
  const Tokenizer tokenizer = Tokenizer::load(model);
  const std::string holds = options.decode ? "an array of token ids, [1, 2]" : "a JSON string, \"text\"";
  for_each_input(holds, [&](const Json& input, const std::string& where) {
    if (options.decode) {
      const std::vector<int64_t> ids = ids_of(input, tokenizer, where);
      put_line(options.skip_special ? tokenizer.decode_text(ids) : tokenizer.decode(ids));
    } else {
      if (!input.is_string()) throw DataError("data.json_type", "expected a JSON string", where);
      const std::vector<int64_t> ids = tokenizer.encode(input.get_ref<const std::string&>());
      put_line(options.special ? with_special_tokens(ids, tokenizer) : ids);
    }
  });
}

/// Messages of a model without a template, joined by one blank line.
std::string join_messages(const Json& messages, const std::string& where) {
  std::string text;
  for (const Json& message : messages) {
    const Json& content = require_member(message, "content", where);
    if (!content.is_string())
      throw DataError("data.json_type", "without a template \"content\" must be a string", where);
    text += (text.empty() ? "" : "\n\n") + content.get<std::string>();
  }
  return text;
}

/// What transformers hands to a template, for one line of input.
Json variables_of(const Json& input, const CheckpointText& files, const std::string& where) {
  const Json& messages = input.is_array() ? input : require_member(input, "messages", where);
  if (!messages.is_array()) throw DataError("data.json_type", "\"messages\" must be an array", where);
  Json variables = {
      {"messages", messages}, {"tools", nullptr}, {"documents", nullptr}, {"add_generation_prompt", true}};
  for (const auto& [name, token] : files.special_tokens) variables[name] = token;
  if (!input.is_object()) return variables;
  for (const auto& [key, value] : input.items()) {
    if (key == "add_generation_prompt") {
      variables[key] = value;
    } else if (key == "extra") {
      if (!value.is_object()) throw DataError("data.json_type", "\"extra\" must be an object", where);
      for (const auto& [name, given] : value.items()) variables[name] = given;
    } else if (key != "messages") {
      throw DataError("data.json_unknown_key", "the key \"" + key + "\" is not known", where,
                      "known are messages, add_generation_prompt and extra");
    }
  }
  return variables;
}

void require_iso_time(const std::string& now) {
  std::tm time = {};
  const char* rest = strptime(now.c_str(), "%Y-%m-%d", &time);
  if (rest && (*rest == 'T' || *rest == ' ')) rest = strptime(rest + 1, "%H:%M:%S", &time);
  if (!rest) throw ConfigError("config.usage", "--now is not a time", now, "write it as 2026-01-31T12:00:00");
}

struct RenderOptions {
  std::string template_file, now;
  bool explain = false;
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = part.empty() ? text.npos : text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

/// The tokenizer beside the template; none for a folder that has only a template.
std::optional<Tokenizer> tokenizer_of(const std::string& model) {
  try {
    return Tokenizer::load(model);
  } catch (const DataError& error) {
    if (error.id() != "data.missing_file") throw;
    return std::nullopt;
  }
}

/// What the template does to every prompt, and what it did to this one.
class Explainer {
 public:
  Explainer(const std::string& model, const CheckpointText& files, const ChatTemplate& chat_template)
      : facts_(template_facts(chat_template, files.special_tokens)), template_(chat_template) {
    const auto tokenizer = tokenizer_of(model);
    const auto bos = files.special_tokens.find("bos_token");
    if (bos != files.special_tokens.end()) bos_token_ = bos->second;
    if (tokenizer) tokenizer_adds_bos_ = adds_bos(files, *tokenizer);
  }

  Json explain(const Json& variables, const std::string& now) const {
    std::set<std::string> read;
    const std::string text = template_.render(variables, now, &read);
    Json given = Json::array(), absent = Json::array();
    for (const std::string& name : read) (variables.contains(name) ? given : absent).push_back(name);
    const bool begins_with_bos = !bos_token_.empty() && text.starts_with(bos_token_);
    return {{"text", text},
            {"variables_read", given},
            {"variables_missing", absent},
            {"template_hash", facts_.hash},
            {"default_system_prompt", facts_.default_prompt.empty() ? Json() : Json(facts_.default_prompt)},
            {"generation_prompt", facts_.honours_generation_prompt ? Json(facts_.generation_prompt) : Json()},
            {"bos_in_text", count(text, bos_token_)},
            {"tokenizer_adds_bos", tokenizer_adds_bos_},
            {"double_bos_risk", begins_with_bos && tokenizer_adds_bos_}};
  }

 private:
  TemplateFacts facts_;
  const ChatTemplate& template_;
  std::string bos_token_;
  bool tokenizer_adds_bos_ = false;
};

void print_rendered(const std::string& model, const RenderOptions& options) {
  const auto& [template_file, now, explain] = options;
  if (!now.empty()) require_iso_time(now);
  const CheckpointText files = read_checkpoint_text(model);
  std::optional<ChatTemplate> chat_template;
  if (!template_file.empty()) {
    chat_template.emplace(read_file(template_file), template_file);
  } else if (files.chat_template) {
    chat_template.emplace(*files.chat_template, files.chat_template_name);
  }
  std::optional<Explainer> explainer;
  if (explain && !chat_template) throw DataError("data.no_chat_template", "there is no template to explain", model);
  if (explain) explainer.emplace(model, files, *chat_template);
  const std::string holds = "an array of messages, [{\"role\": \"user\", \"content\": \"text\"}]";
  for_each_input(holds, [&](const Json& input, const std::string& where) {
    const Json variables = variables_of(input, files, where);
    if (!chat_template) return put_line(join_messages(variables["messages"], where));
    try {
      if (explainer) return put_line(explainer->explain(variables, now));
      put_line(chat_template->render(variables, now));
    } catch (const DataError& error) {
      // As the reference writes what went wrong in a template: its name of the exception, then the text.
      put_line(
          {{"error", error.id() == "data.template_raised" ? "TemplateError: " + error.message() : error.message()}});
    }
  });
}

}  // namespace

int run_inspect_text(const std::vector<std::string>& words) {
  std::string model, what;
  RenderOptions render;
  TokensOptions tokens;
  Arguments arguments("inspect", "what a checkpoint is, and exact outputs for comparison with other tools");
  arguments
      .positional("MODEL", &model,
                  "a folder, a tokenizer.json (.gz too), a GGUF file, or org/name[@revision] of the hub")
      .positional("WHAT", &what,
                  "tokens or render: a JSON value a line of stdin, a line of stdout each; logits (--out FILE, --dtype, "
                  "--device): "
                  "ids on stdin; modules (--target); without: a summary (--preset)",
                  false)
      .flag("--decode", &tokens.decode, "tokens: from ids to text")
      .flag("--special", &tokens.special, "tokens: with the tokens that the tokenizer puts around a text")
      .flag("--skip-special", &tokens.skip_special, "tokens --decode: without special tokens")
      .option("--template", &render.template_file, "render: a chat template in place of the model's own")
      .option("--now", &render.now, "render: the clock that templates see, as 2026-01-31T12:00:00")
      .flag("--explain", &render.explain, "render: what the template read and put in, as an object a line");
  if (!arguments.parse(words)) return 0;
  if (what == "tokens") {
    print_tokens(resolve_model_path(model, ModelNeed::kText), tokens);
  } else if (what == "render") {
    // With a template of its own, MODEL only adds special tokens and may be missing.
    const std::optional<std::string> found = find_model(model, ModelNeed::kText);
    const bool optional = !render.template_file.empty() && !parse_hub_name(model);
    print_rendered(found || optional ? found.value_or(model) : resolve_model_path(model, ModelNeed::kText), render);
  } else {
    throw ConfigError("config.usage", "inspect MODEL " + what + " is not of the text half", "",
                      "use tokens or render, or plumbline-engine inspect");
  }
  return 0;
}

}  // namespace plumbline
