/// Ctrl-C as a value: long work asks between units and stops where its state is whole.
#pragma once

namespace plumbline {

/// Installs handlers for SIGINT and SIGTERM that only set a flag; a second signal ends the process at once (exit 130).
void watch_interrupts();
/// For work whose last unit can still be finished: from now on the first signal asks to finish (finish_requested), and
/// only the next one interrupts. Call after watch_interrupts.
void finish_before_interrupt();
/// True once the first signal has arrived, where finish_before_interrupt was called. Async-signal-safe, thread-safe.
bool finish_requested();
/// True once a signal has arrived. Async-signal-safe and thread-safe.
bool interrupt_requested();

}  // namespace plumbline
