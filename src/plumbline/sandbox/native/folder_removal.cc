#include "plumbline/sandbox/native/folder_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace plumbline {
namespace {

int open_folder(int at, const char* name) {
  ::fchmodat(at, name, 0700, 0);  // a link that was put here since cannot be ours to change: folders only, below
  return ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_entry(const char* name) {
  return std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0;
}

/// Empties one folder: files go, folders move up to `top` under a new name, so that nothing here recurses.
void empty_into(int folder, int top, unsigned* counter) {
  DIR* entries = ::fdopendir(folder);
  if (!entries) {
    ::close(folder);
    return;
  }
  while (const dirent* entry = ::readdir(entries)) {
    if (!is_entry(entry->d_name) || ::unlinkat(folder, entry->d_name, 0) == 0) continue;
    char name[32];
    std::snprintf(name, sizeof name, ".moved-%u", (*counter)++);
    ::renameat(folder, entry->d_name, top, name);
  }
  ::closedir(entries);
}

}  // namespace

void remove_folder(const char* path) {
  unsigned counter = 0;
  for (bool again = true; again;) {
    again = false;
    const int top = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* entries = top < 0 ? nullptr : ::fdopendir(top);
    if (!entries) break;
    while (const dirent* entry = ::readdir(entries)) {
      if (!is_entry(entry->d_name) || ::unlinkat(top, entry->d_name, 0) == 0) continue;
      struct stat info;
      if (::fstatat(top, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode)) continue;
      const int folder = open_folder(top, entry->d_name);
      if (folder >= 0) empty_into(folder, top, &counter);
      if (::unlinkat(top, entry->d_name, AT_REMOVEDIR) == 0) again = true;
    }
    ::closedir(entries);
  }
  ::rmdir(path);
}

}  // namespace plumbline
