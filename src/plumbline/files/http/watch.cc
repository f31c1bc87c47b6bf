#include "plumbline/files/http/watch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "plumbline/base/clock.h"

namespace plumbline {

SocketWatch::SocketWatch(const std::function<bool()>& stop, double deadline_s)
    : stop_(stop), deadline_s_(deadline_s), thread_([this] { run(); }) {}

SocketWatch::~SocketWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
  for (const int duplicate : duplicates_) ::close(duplicate);
}

void SocketWatch::add(int socket) {
  const int duplicate = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return;
  const std::lock_guard lock(mutex_);
  duplicates_.push_back(duplicate);
  if (stopped_ || late_) shut_down();
}

void SocketWatch::shut_down() {
  for (const int duplicate : duplicates_) ::shutdown(duplicate, SHUT_RDWR);
}

void SocketWatch::run() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (stop_ && stop_()) stopped_ = true;
    if (deadline_s_ > 0 && now_s() >= deadline_s_) late_ = true;
    if (stopped_ || late_) shut_down();
    wake_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

}  // namespace plumbline
