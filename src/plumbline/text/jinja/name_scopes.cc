#include "plumbline/text/jinja/name_scopes.h"

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <set>

#include "plumbline/text/jinja/token_stream.h"

namespace plumbline::jinja {
namespace {

enum class Use { kLoad, kStore, kParameter, kNamespace };
using Visit = std::function<void(const std::string&, Use)>;

void visit_expression(const Expr* expr, const Visit& visit) {
  if (!expr) return;
  if (expr->kind == ExprKind::kName) visit(expr->name, Use::kLoad);
  for (const ExprPtr& part : expr->parts) visit_expression(part.get(), visit);
  for (const ExprPtr& argument : expr->call.positional) visit_expression(argument.get(), visit);
  for (const auto& [name, argument] : expr->call.named) visit_expression(argument.get(), visit);
  visit_expression(expr->call.star.get(), visit);
  visit_expression(expr->call.star_star.get(), visit);
}

void visit_target(const Expr& target, Use use, const Visit& visit) {
  if (target.kind == ExprKind::kName) {
    visit(target.name, use);
  } else if (target.kind == ExprKind::kAttribute) {
    visit(target.parts[0]->name, Use::kNamespace);
  } else {
    for (const ExprPtr& part : target.parts) visit_target(*part, use, visit);
  }
}

void visit_parameters(const Statement& statement, const Visit& visit) {
  for (const Parameter& parameter : statement.parameters) visit(parameter.name, Use::kParameter);
  for (const Parameter& parameter : statement.parameters) visit_expression(parameter.otherwise.get(), visit);
}

void visit_body(const Body& body, const Visit& visit);

/// All names in a statement with what is nested in it, in the order of the fields of Jinja's nodes.
void visit_statement(const Statement& statement, const Visit& visit) {
  const bool is_for = statement.kind == StatementKind::kFor;
  const bool is_filter_block = statement.kind == StatementKind::kFilterBlock;
  for (const Branch& branch : statement.branches) {
    visit_expression(branch.test.get(), visit);
    visit_body(branch.body, visit);
  }
  if (statement.target) visit_target(*statement.target, Use::kStore, visit);
  for (const auto& [target, value] : statement.assignments) visit_target(*target, Use::kParameter, visit);
  for (const auto& [target, value] : statement.assignments) visit_expression(value.get(), visit);
  if (!is_filter_block) visit_expression(statement.value.get(), visit);
  visit_parameters(statement, visit);
  visit_body(statement.body, visit);
  if (is_filter_block) visit_expression(statement.value.get(), visit);
  visit_body(statement.else_body, visit);
  if (is_for) visit_expression(statement.test.get(), visit);
}

void visit_body(const Body& body, const Visit& visit) {
  for (const auto& statement : body) visit_statement(*statement, visit);
}

/// Which of `names` a body reads before it assigns them.
std::set<std::string> read_undeclared(const Body& body, std::initializer_list<const char*> names) {
  std::set<std::string> wanted(names.begin(), names.end()), read;
  visit_body(body, [&](const std::string& name, Use use) {
    if (use == Use::kLoad && wanted.contains(name)) {
      read.insert(name);
    } else if (use != Use::kNamespace) {
      wanted.erase(name);
    }
  });
  return read;
}

/// Where the value of a name comes from when its block begins.
enum class Origin { kParameter, kVariable, kOuter, kNowhere };

/// The names of one block. A branch of an `if` is a layer over its block, merged into it at the end.
class Symbols {
 public:
  explicit Symbols(const Symbols* parent, const Symbols* below = nullptr) : parent_(parent), below_(below) {}

  void declare(const std::string& name) {
    stores_.insert(name);
    origins_[name] = Origin::kParameter;
  }
  void load(const std::string& name) {
    if (!knows(name)) origins_[name] = Origin::kVariable;
  }
  void store(const std::string& name) {
    stores_.insert(name);
    if (!has(name)) origins_[name] = outer_knows(name) ? Origin::kOuter : Origin::kNowhere;
  }
  void use(const std::string& name, Use use) {
    if (use == Use::kParameter) {
      declare(name);
    } else if (use == Use::kStore) {
      store(name);
    } else {
      load(name);
    }
  }
  /// In this block or one around it.
  bool knows(const std::string& name) const { return has(name) || outer_knows(name); }
  Symbols branch() const { return Symbols(parent_, this); }
  void merge(const std::vector<Symbols>& branches) {
    std::set<std::string> stored;
    for (const Symbols& branch : branches) {
      for (const std::string& name : branch.stores_) {
        if (!stores(name)) stored.insert(name);
      }
    }
    for (const Symbols& branch : branches) {
      for (const auto& [name, origin] : branch.origins_) origins_[name] = origin;
      stores_.insert(branch.stores_.begin(), branch.stores_.end());
    }
    for (const std::string& name : stored) origins_[name] = outer_knows(name) ? Origin::kOuter : Origin::kVariable;
  }
  std::vector<std::string> unset() const {
    std::vector<std::string> names;
    for (const auto& [name, origin] : origins_) {
      if (origin == Origin::kNowhere) names.push_back(name);
    }
    return names;
  }

 private:
  bool has(const std::string& name) const { return origins_.contains(name) || (below_ && below_->has(name)); }
  bool stores(const std::string& name) const { return stores_.contains(name) || (below_ && below_->stores(name)); }
  bool outer_knows(const std::string& name) const { return parent_ && parent_->knows(name); }

  const Symbols *parent_, *below_;
  std::map<std::string, Origin> origins_;
  std::set<std::string> stores_;
};

class Resolver {
 public:
  explicit Resolver(const std::string& name) : name_(name) {}

  void resolve(Template& source) {
    Symbols symbols(nullptr);
    analyze(source.body, symbols);
    source.unset = symbols.unset();
    resolve_inner(source.body, symbols);
  }

 private:
  static Visit into(Symbols& symbols) {
    return [&symbols](const std::string& name, Use use) { symbols.use(name, use); };
  }

  /// What the statements of a block do to its names; not what blocks inside it do to theirs.
  void analyze(const Body& body, Symbols& symbols) {
    for (const auto& statement : body) analyze(*statement, symbols);
  }

  void analyze(const Statement& statement, Symbols& symbols) {
    switch (statement.kind) {
      case StatementKind::kIf:
        analyze_if(statement, symbols);
        break;
      case StatementKind::kMacro:
        symbols.store(statement.text);
        break;
      case StatementKind::kSetBlock:
        visit_target(*statement.target, Use::kStore, into(symbols));
        break;
      case StatementKind::kSet:
        visit_expression(statement.value.get(), into(symbols));
        visit_target(*statement.target, Use::kStore, into(symbols));
        break;
      case StatementKind::kWith:
        for (const auto& [target, value] : statement.assignments) visit_expression(value.get(), into(symbols));
        break;
      default:
        visit_expression(statement.value.get(), into(symbols));
    }
  }

  void analyze_if(const Statement& statement, Symbols& symbols) {
    visit_expression(statement.branches[0].test.get(), into(symbols));
    Symbols first = symbols.branch(), others = symbols.branch(), last = symbols.branch();
    analyze(statement.branches[0].body, first);
    for (size_t i = 1; i < statement.branches.size(); ++i) {
      visit_expression(statement.branches[i].test.get(), into(others));
      Symbols inner = others.branch();
      analyze(statement.branches[i].body, inner);
      others.merge({std::move(inner)});
    }
    analyze(statement.else_body, last);
    symbols.merge({std::move(first), std::move(others), std::move(last)});
  }

  /// The blocks inside a block, whose own names are complete.
  void resolve_inner(Body& body, const Symbols& symbols) {
    for (const auto& statement : body) resolve_statement(*statement, symbols);
  }

  void resolve_statement(Statement& statement, const Symbols& outer) {
    Symbols symbols(&outer);
    switch (statement.kind) {
      case StatementKind::kIf:
        for (Branch& branch : statement.branches) resolve_inner(branch.body, outer);
        resolve_inner(statement.else_body, outer);
        return;
      case StatementKind::kFor:
        resolve_for(statement, outer, symbols);
        return;
      case StatementKind::kMacro:
      case StatementKind::kCallBlock:
      case StatementKind::kGeneration:
        resolve_macro(statement, symbols);
        return;
      case StatementKind::kWith:
        for (const auto& [target, value] : statement.assignments) {
          visit_target(*target, Use::kParameter, into(symbols));
        }
        break;
      default:
        break;
    }
    analyze(statement.body, symbols);
    if (statement.kind == StatementKind::kFilterBlock) visit_expression(statement.value.get(), into(symbols));
    if (statement.kind == StatementKind::kSetBlock) require_known(statement, symbols);
    statement.unset = symbols.unset();
    resolve_inner(statement.body, symbols);
  }

  void resolve_for(Statement& statement, const Symbols& outer, Symbols& symbols) {
    visit_statement(statement, [&](const std::string& name, Use use) {
      if (use == Use::kStore && name == "loop") {
        syntax_error("Can't assign to special loop variable in for-loop target", name_, statement.place);
      }
    });
    statement.uses_loop = statement.recursive || !read_undeclared(statement.body, {"loop"}).empty();
    if (statement.uses_loop) symbols.declare("loop");
    visit_target(*statement.target, Use::kParameter, into(symbols));
    analyze(statement.body, symbols);
    statement.unset = symbols.unset();
    resolve_inner(statement.body, symbols);
    Symbols otherwise(&outer);
    analyze(statement.else_body, otherwise);
    statement.else_unset = otherwise.unset();
    resolve_inner(statement.else_body, otherwise);
  }

  void resolve_macro(Statement& statement, Symbols& symbols) {
    visit_parameters(statement, into(symbols));
    analyze(statement.body, symbols);
    std::set<std::string> special = read_undeclared(statement.body, {"caller", "kwargs", "varargs"});
    std::set<std::string> seen;
    for (const Parameter& parameter : statement.parameters) {
      if (!seen.insert(parameter.name).second) {
        syntax_error(fmt::format("two parameters '{}'", parameter.name), name_, statement.place);
      }
      if (parameter.name == "caller" && special.contains("caller") && !parameter.otherwise) {
        syntax_error("the special argument \"caller\" must be omitted or be given a default", name_, statement.place);
      }
      special.erase(parameter.name);
    }
    for (const std::string& name : special) symbols.declare(name);
    statement.uses_caller = special.contains("caller");
    statement.uses_kwargs = special.contains("kwargs");
    statement.uses_varargs = special.contains("varargs");
    statement.unset = symbols.unset();
    resolve_inner(statement.body, symbols);
  }

  /// Jinja does not look for names in the filters of a set block, and its compiler stops at one that it never saw.
  void require_known(const Statement& statement, const Symbols& symbols) {
    visit_expression(statement.value.get(), [&](const std::string& name, Use) {
      if (!symbols.knows(name)) {
        syntax_error(fmt::format("the name '{}' in the filter of a set block stands nowhere before it", name), name_,
                     statement.place);
      }
    });
  }

  const std::string& name_;
};

}  // namespace

void resolve_names(Template& source, const std::string& name) {
  Resolver(name).resolve(source);
}

}  // namespace plumbline::jinja
