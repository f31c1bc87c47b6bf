#include "plumbline/cli/shared/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "plumbline/base/error.h"

namespace plumbline {

struct Arguments::Impl {
  CLI::App app;
  explicit Impl(const std::string& summary) : app(summary) {}
};

Arguments::Arguments(const std::string& verb, const std::string& summary) : impl_(std::make_unique<Impl>(summary)) {
  impl_->app.name("plumbline " + verb);
}
Arguments::~Arguments() = default;

Arguments& Arguments::positional(const std::string& name, std::string* value, const std::string& help, bool required) {
  impl_->app.add_option(name, *value, help)->required(required);
  return *this;
}
Arguments& Arguments::positionals(const std::string& name, std::vector<std::string>* values, const std::string& help,
                                  bool required) {
  impl_->app.add_option(name, *values, help)->required(required);
  return *this;
}
Arguments& Arguments::option(const std::string& name, std::string* value, const std::string& help) {
  // An empty value is an unset shell variable, and must not mean "not given".
  impl_->app.add_option(name, *value, help)->check([](const std::string& given) {
    return given.empty() ? std::string("the value is empty") : std::string();
  });
  return *this;
}
Arguments& Arguments::option(const std::string& name, int64_t* value, const std::string& help) {
  impl_->app.add_option(name, *value, help);
  return *this;
}
Arguments& Arguments::option(const std::string& name, double* value, const std::string& help) {
  impl_->app.add_option(name, *value, help);
  return *this;
}
Arguments& Arguments::option(const std::string& name, std::vector<std::string>* values, const std::string& help) {
  impl_->app.add_option(name, *values, help)->expected(1)->take_all();
  return *this;
}
Arguments& Arguments::flag(const std::string& name, bool* value, const std::string& help) {
  impl_->app.add_flag(name, *value, help);
  return *this;
}

bool Arguments::parse(const std::vector<std::string>& words) {
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    impl_->app.parse(reversed);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::fputs(impl_->app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw ConfigError("config.usage", error.what(), impl_->app.get_name(), "see " + impl_->app.get_name() + " --help");
  }
}

void PresetArguments::add_to(Arguments& arguments, bool preset_required) {
  arguments.positional("PRESET", &preset, "a TOML file or the name of a shipped preset", preset_required)
      .option("--set", &overrides, "override one key of the preset, as key=value; may be repeated")
      .option("--out", &out, out_help)
      .flag("--dry-run", &dry_run,
            "check the settings, print the resolved preset, do nothing (plumbline check PRESET looks at the files)");
}

}  // namespace plumbline
