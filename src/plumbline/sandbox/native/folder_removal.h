/// Removes what a submission may have left in its folder, however deep it nested it.
#pragma once

namespace plumbline {

/// Best effort; nothing is followed out of `path`.
void remove_folder(const char* path);

}  // namespace plumbline
