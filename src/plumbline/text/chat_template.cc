#include "plumbline/text/chat_template.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/sha256.h"
#include "plumbline/text/jinja/interpreter.h"
#include "plumbline/text/jinja/parser.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

constexpr size_t kMaxSourceBytes = size_t{4} << 20;

std::string checked_source(const std::string& source, const std::string& name) {
  if (source.size() > kMaxSourceBytes) throw DataError("data.too_large", "a template of more than 4 MiB", name);
  if (!is_valid_utf8(source)) throw DataError("data.template_syntax", "the template is not UTF-8", name);
  return source;
}

}  // namespace

struct ChatTemplate::Impl {
  std::string name, hash;
  jinja::Template parsed;
};

ChatTemplate::ChatTemplate(const std::string& source, const std::string& name)
    : impl_(std::make_unique<Impl>(
          Impl{name, sha256_hex(source), jinja::parse_template(checked_source(source, name), name)})) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

std::string ChatTemplate::render(const Json& variables, const std::string& now_iso,
                                 std::set<std::string>* variables_read) const {
  if (!variables.is_object()) throw DataError("data.json_type", "the variables must be a JSON object", impl_->name);
  int line = 1;
  try {
    jinja::Runtime runtime(now_iso);
    jinja::Interpreter interpreter(runtime, variables, variables_read);
    try {
      return interpreter.render(impl_->parsed);
    } catch (const jinja::TemplateFailure&) {
      line = interpreter.line();
      throw;
    }
  } catch (const jinja::TemplateFailure& failure) {
    throw DataError(failure.id, failure.message, fmt::format("{}, line {}", impl_->name, line));
  }
}

const std::string& ChatTemplate::hash() const {
  return impl_->hash;
}

}  // namespace plumbline
