/// Values of the template language, with Python's meaning: what templates compute with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumbline::jinja {

/// Ends the rendering. `id` is data.template_raised, data.template_error or data.template_limit; the message of a
/// template_error begins with Python's name of the exception. ChatTemplate adds the place.
struct TemplateFailure {
  std::string id, message;
};

/// Throws a TemplateFailure(data.template_error) "python_class: message".
[[noreturn]] void fail(const char* python_class, const std::string& message);
/// For what the reference could do and we do not: never a silent difference.
[[noreturn]] void fail_unsupported(const std::string& what);

/// Lives in the Runtime's arena until the rendering ends, so that cycles and deep nesting need no care when freed.
struct Object {
  virtual ~Object() = default;
};
struct ListObject;
struct DictObject;
struct NamespaceObject;
struct CallableObject;
struct LoopObject;

enum class Kind { kUndefined, kNone, kBool, kInt, kFloat, kString, kList, kDict, kNamespace, kCallable, kLoop };

/// Cheap to copy; strings are shared, objects are borrowed from the arena.
class Value {
 public:
  Value() : kind_(Kind::kNone), int_(0) {}
  explicit Value(bool value) : kind_(Kind::kBool), int_(value) {}
  explicit Value(int64_t value) : kind_(Kind::kInt), int_(value) {}
  explicit Value(double value) : kind_(Kind::kFloat), float_(value) {}
  explicit Value(std::string text, bool safe = false)
      : kind_(Kind::kString), safe_(safe), int_(0), text_(std::make_shared<const std::string>(std::move(text))) {}
  explicit Value(ListObject* list) : kind_(Kind::kList), list_(list) {}
  explicit Value(DictObject* dict) : kind_(Kind::kDict), dict_(dict) {}
  explicit Value(NamespaceObject* space) : kind_(Kind::kNamespace), namespace_(space) {}
  explicit Value(CallableObject* callable) : kind_(Kind::kCallable), callable_(callable) {}
  explicit Value(LoopObject* loop) : kind_(Kind::kLoop), loop_(loop) {}
  explicit Value(const char*) = delete;  // would become a bool

  /// `message` is what the error says when the value is used.
  static Value undefined(std::string message, const char* python_class = "UndefinedError");

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_number() const { return kind_ == Kind::kBool || kind_ == Kind::kInt || kind_ == Kind::kFloat; }
  /// bool and int, as in Python.
  bool is_integer() const { return kind_ == Kind::kBool || kind_ == Kind::kInt; }
  bool is_safe() const { return safe_; }
  int64_t integer() const { return int_; }
  double real() const { return kind_ == Kind::kFloat ? float_ : static_cast<double>(int_); }
  const std::string& text() const { return *text_; }
  ListObject& list() const { return *list_; }
  DictObject& dict() const { return *dict_; }
  NamespaceObject& space() const { return *namespace_; }
  CallableObject& callable() const { return *callable_; }
  LoopObject& loop() const { return *loop_; }
  /// Same object (Python's `is`); small values compare by value.
  bool same_as(const Value& other) const;

 private:
  Kind kind_;
  bool safe_ = false;
  union {
    int64_t int_;
    double float_;
    ListObject* list_;
    DictObject* dict_;
    NamespaceObject* namespace_;
    CallableObject* callable_;
    LoopObject* loop_;
  };
  std::shared_ptr<const std::string> text_;  ///< of a string; of an undefined value "Class: message"
};

/// What Python type a sequence is; a generator can be walked through once.
enum class ListKind { kList, kTuple, kRange, kItems, kKeys, kValues, kGenerator };

struct ListObject : Object {
  ListKind kind = ListKind::kList;
  std::vector<Value> items;
  bool consumed = false;
};

/// Keeps insertion order. Keys are strings, numbers, None or bool.
struct DictObject : Object {
  std::vector<std::pair<Value, Value>> entries;

  const Value* find(const Value& key) const;
  const Value* find(const std::string& key) const;
  void set(const Value& key, const Value& value);

 private:
  std::unordered_map<std::string, size_t> index_of_text_;
};

struct NamespaceObject : Object {
  std::vector<std::pair<std::string, Value>> members;
  const Value* find(const std::string& name) const;
  void set(const std::string& name, const Value& value);
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

/// The arguments under the names of the parameters; absent ones are empty. TypeError for too many or unknown ones.
std::vector<std::optional<Value>> bind(const Arguments& arguments, const std::string& function,
                                       const std::vector<const char*>& parameters);

struct CallableObject : Object {
  std::string name;
  std::function<Value(const Arguments&)> call;
};

/// The variable `loop`.
struct LoopObject : Object {
  std::vector<Value> items;         ///< as far as they are known
  std::function<bool()> next_item;  ///< adds one to `items`, or returns false; empty when all are known
  bool is_asking = false;           ///< next_item runs
  size_t index0 = 0;
  /// Looks for more items until there are `count`; false when there are fewer. As in Jinja, the test of a loop runs
  /// for an item when somebody asks for it.
  bool has(size_t count);
  int64_t depth0 = 0;
  std::optional<std::vector<Value>> last_changed;
  std::function<Value(const Value&)> recurse;  ///< empty unless the loop is recursive
};

/// "str", "list", "NoneType", ...
std::string type_name(const Value& value);
/// Throws Python's TypeError for a list and a dict.
void require_hashable(const Value& value);
/// Throws the UndefinedError that the value carries.
void require_defined(const Value& value);

}  // namespace plumbline::jinja
