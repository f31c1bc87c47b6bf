/// Words that mean something in mathematics.
#pragma once

#include <map>
#include <set>
#include <string>

namespace plumbline {

/// Functions of one argument as people write them, to their names in trees.
const std::map<std::string, std::string>& function_names();

/// Greek letters that are symbols; pi is a constant.
const std::set<std::string>& greek_names();

}  // namespace plumbline
