#include "plumbline/base/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string_view>

namespace plumbline {
namespace {

constexpr int64_t kRepeat_ns = 1'000'000'000;
constexpr std::string_view kStopsAtOnce =
    "interrupted: a second signal stops at once; what was not saved by then is lost\n";

volatile sig_atomic_t g_interrupted = 0, g_finishes_first = 0, g_finish = 0;
std::atomic<int64_t> g_signalled_ns = INT64_MIN;  // when the last signal that counted came; INT64_MIN = none has
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler reads it");

int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Only calls that are safe in a signal handler. The three signals are blocked meanwhile.
void on_signal(int number) {
  const int64_t now_ns = monotonic_ns(), before_ns = g_signalled_ns;
  const bool is_first = before_ns == INT64_MIN;
  // A key that bounces, and a signal that reaches us from the terminal and from a parent, are one wish.
  if (!is_first && now_ns - before_ns < kRepeat_ns) return;
  // A terminal that goes away asks for the state, never for haste.
  if (number == SIGHUP && !is_first) return;
  g_signalled_ns = now_ns;
  if (g_finishes_first && !g_finish) {
    g_finish = 1;
    return;
  }
  if (g_interrupted) {
    static_cast<void>(!::write(STDERR_FILENO, kStopsAtOnce.data(), kStopsAtOnce.size()));
    ::_exit(130);
  }
  g_interrupted = 1;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&action.sa_mask, number);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  ::sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // under nohup it stays ignored
  ::signal(SIGPIPE, SIG_IGN);
}

void finish_before_interrupt() {
  g_finishes_first = 1;
}

bool finish_requested() {
  return g_finish != 0;
}

bool interrupt_requested() {
  return g_interrupted != 0;
}

}  // namespace plumbline
