/// Which names belong to which block, decided before anything runs, as Jinja's compiler does (its idtracking module).
#pragma once

#include <string>

#include "plumbline/text/jinja/ast.h"

namespace plumbline::jinja {

/// Fills `unset`, `else_unset` and what macros use. A name belongs to the innermost block that assigns it anywhere:
/// where such a block has not assigned it yet, it is the outer block's, and where no outer block knows it, it is
/// undefined, even if a variable of that name was given. A name that the block read first is the variable until then.
/// Throws DataError(data.template_syntax) for what Jinja's compiler refuses. `name` goes into errors.
void resolve_names(Template& source, const std::string& name);

}  // namespace plumbline::jinja
