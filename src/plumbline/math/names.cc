#include "plumbline/math/names.h"

namespace plumbline {

const std::map<std::string, std::string>& function_names() {
  static const std::map<std::string, std::string> names = {
      {"sin", "sin"},     {"cos", "cos"},       {"tan", "tan"},       {"cot", "cot"},       {"sec", "sec"},
      {"csc", "csc"},     {"arcsin", "arcsin"}, {"arccos", "arccos"}, {"arctan", "arctan"}, {"asin", "arcsin"},
      {"acos", "arccos"}, {"atan", "arctan"},   {"sinh", "sinh"},     {"cosh", "cosh"},     {"tanh", "tanh"},
      {"exp", "exp"},     {"ln", "ln"},         {"log", "log"},       {"abs", "abs"},       {"floor", "floor"},
      {"ceil", "ceil"},   {"cbrt", "cbrt"}};
  return names;
}

const std::set<std::string>& greek_names() {
  static const std::set<std::string> names = {"alpha", "beta",  "gamma", "delta", "epsilon", "theta", "lambda",
                                              "mu",    "nu",    "rho",   "sigma", "tau",     "phi",   "varphi",
                                              "omega", "Delta", "Omega", "xi",    "psi",     "eta"};
  return names;
}

}  // namespace plumbline
