/// The download that other processes of this program ask for (files/model_path.h). Not a verb: its words and its output
/// are internal.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `words` are NEED ("text" or "weights") and NAME. One JSON line on stdout, progress on stderr; the exit code of the
/// error, if any.
int fetch_model_main(const std::vector<std::string>& words);

}  // namespace plumbline
