#include "plumbline/base/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace plumbline {
namespace {

volatile sig_atomic_t g_interrupted = 0, g_finishes_first = 0, g_finish = 0;

void on_signal(int) {
  if (g_finishes_first && !g_finish) {
    g_finish = 1;
    return;
  }
  if (g_interrupted) ::_exit(130);
  g_interrupted = 1;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
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
