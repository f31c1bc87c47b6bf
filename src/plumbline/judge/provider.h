/// Who is asked: "provider:model[@base_url][#reasoning]", the address and the environment's key that go with it.
#pragma once

#include <string>
#include <vector>

#include "plumbline/judge/secret.h"

namespace plumbline {

/// One judge or teacher. Holds no secret, so it may be printed and stored.
struct ProviderSpec {
  std::string text;      ///< as it was given; names the judge in every row and report
  std::string provider;  ///< "openai", "openrouter", "local", ...
  std::string model;
  std::string base_url;      ///< without a slash at the end; requests go to base_url + "/chat/completions"
  std::string key_variable;  ///< of the environment
  bool needs_key = false;    ///< false: a server without keys will do
  /// The model refuses max_tokens and temperature (OpenAI's o-series and gpt-5): its limit goes as
  /// max_completion_tokens, and no temperature is sent.
  bool is_reasoning = false;
};

/// Takes a spec apart. A provider's own key goes to that provider's own address and nowhere else: with `@base_url` the
/// key is PLUMBLINE_PROVIDER_KEY, which may be unset.
/// Throws ConfigError: config.provider (no such form, an unknown provider), config.url.
ProviderSpec parse_provider_spec(const std::string& text, const std::string& where);

/// Names of the known providers.
std::vector<std::string> known_providers();

/// The key out of the environment; empty when there is none and none is needed.
/// Throws ConfigError: config.no_key (the variable is named), config.key_over_http (it would travel unencrypted to
/// another machine).
Secret key_of(const ProviderSpec& spec);

/// Who made the model, as far as its name says ("meta", "mistral", "openai", ...); empty when it does not. Two judges
/// of one family count as one witness, and one of no known family as none that is independent: it may be anybody's.
std::string model_family(const std::string& model);

/// Whether a reply that calls itself `answered` comes from the model that was `asked` for: the same name but for letter
/// case, folders in front, a date or ":tag" behind, and "latest"; or one of `also`.
bool is_same_model(const std::string& asked, const std::string& answered, const std::vector<std::string>& also);

}  // namespace plumbline
