/// Defence switches inside the native launcher: constant in every build but the test build, where the plan carries
/// them.
#pragma once

#include "plumbline/sandbox/defences.h"

#ifdef PLUMBLINE_TEST_DEFENCES
namespace plumbline {
/// Sets what defences_off() answers in this process.
void set_defences_off(uint64_t mask);
}  // namespace plumbline
#endif
