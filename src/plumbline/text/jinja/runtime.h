/// What one rendering may use, and the objects it makes. Templates and messages are hostile: every loop, every string
/// and every level of nesting is paid for here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/text/jinja/value.h"

namespace plumbline::jinja {

constexpr size_t kMaxSteps = 20'000'000;
constexpr size_t kMaxTextBytes = size_t{256} << 20;  ///< of all strings made in one rendering
constexpr size_t kMaxDepth = 1000;                   ///< of nested evaluations; a macro call takes several

/// One rendering, one thread.
class Runtime {
 public:
  /// `now_iso` as in ChatTemplate::render.
  explicit Runtime(std::string now_iso) : now_iso_(std::move(now_iso)) {}

  /// Each throws TemplateFailure(data.template_limit).
  void step(size_t count = 1) {
    if ((steps_ += count) > kMaxSteps) exhausted("steps");
  }
  void charge_text(size_t num_bytes) {
    if ((text_bytes_ += num_bytes) > kMaxTextBytes) exhausted("bytes of text");
  }

  /// One level of nesting, while it lives.
  class Level {
   public:
    explicit Level(Runtime& runtime) : runtime_(runtime) {
      if (++runtime_.depth_ > kMaxDepth) {
        --runtime_.depth_;
        runtime_.exhausted("levels of nesting");
      }
    }
    ~Level() { --runtime_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Runtime& runtime_;
  };

  Value text(std::string value, bool safe = false) {
    charge_text(value.size());
    return Value(std::move(value), safe);
  }
  Value list(std::vector<Value> items, ListKind kind = ListKind::kList);
  Value callable(std::string name, std::function<Value(const Arguments&)> call);
  template <typename T>
  T* make() {
    step(4);
    auto owned = std::make_unique<T>();
    T* borrowed = owned.get();
    arena_.push_back(std::move(owned));
    return borrowed;
  }
  Value from_json(const Json& json);
  const std::string& now_iso() const { return now_iso_; }

 private:
  [[noreturn]] void exhausted(const char* what);

  std::string now_iso_;
  std::vector<std::unique_ptr<Object>> arena_;
  size_t steps_ = 0, text_bytes_ = 0, depth_ = 0;
};

}  // namespace plumbline::jinja
