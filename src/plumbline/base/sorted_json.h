/// JSON whose objects may have very many members: headers and indexes of checkpoints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// Members are sorted by name and found in logarithmic time. `Json` keeps their order and looks at all of them, which
/// makes an object of a million members a matter of hours.
using SortedJson = nlohmann::json;

/// As parse_json: the same strictness, the same errors.
SortedJson parse_sorted_json(std::string_view text, const std::string& where);

}  // namespace plumbline
