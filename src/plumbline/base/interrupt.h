/// Ctrl-C as a value: long work asks between units and stops where its state is whole.
#pragma once

namespace plumbline {

/// Installs handlers for SIGINT and SIGTERM that only set a flag; a second signal ends the process at once (exit 130).
void watch_interrupts();
/// True once a signal has arrived. Async-signal-safe and thread-safe.
bool interrupt_requested();

}  // namespace plumbline
