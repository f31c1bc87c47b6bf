/// Command-line arguments of one verb. Wraps CLI11 so that no verb compiles it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// Register, parse, run. Values stay untouched when an option is absent.
class Arguments {
 public:
  Arguments(const std::string& verb, const std::string& summary);
  ~Arguments();
  Arguments& positional(const std::string& name, std::string* value, const std::string& help, bool required = true);
  Arguments& positionals(const std::string& name, std::vector<std::string>* values, const std::string& help,
                         bool required = true);
  Arguments& option(const std::string& name, std::string* value, const std::string& help);
  Arguments& option(const std::string& name, int64_t* value, const std::string& help);
  Arguments& option(const std::string& name, double* value, const std::string& help);
  Arguments& option(const std::string& name, std::vector<std::string>* values, const std::string& help);
  Arguments& flag(const std::string& name, bool* value, const std::string& help);
  /// Parses everything after the verb. False when --help was asked for and printed (the verb returns 0 then).
  /// Throws ConfigError(config.usage).
  bool parse(const std::vector<std::string>& words);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The options every preset verb has.
struct PresetArguments {
  std::string preset, out;
  std::vector<std::string> overrides;  ///< --set key=value, in order
  bool dry_run = false;
  std::string out_help = "folder for the run (default: a fresh one under out/)";

  void add_to(Arguments& arguments, bool preset_required = true);
};

}  // namespace plumbline
