/// Ctrl-C as a value: long work asks between units and stops where its state is whole.
#pragma once

namespace plumbline {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP (unless it is ignored) that only set a flag. Repeats within a
/// second are ignored; a later SIGINT or SIGTERM says so on stderr and ends the process at once (exit 130).
void watch_interrupts();
/// For work whose last unit can still be finished: from now on the first signal asks to finish (finish_requested), and
/// only the next one interrupts. Call after watch_interrupts.
void finish_before_interrupt();
/// True once the first signal has arrived, where finish_before_interrupt was called. Async-signal-safe, thread-safe.
bool finish_requested();
/// True once a signal has arrived. Async-signal-safe and thread-safe.
bool interrupt_requested();

}  // namespace plumbline
