#include "plumbline/sandbox/native_module.h"

// PLUMBLINE_NATIVE_MODULE is the path of the built shared object; the assembler copies its bytes.
asm(".section .rodata\n"
    ".global plumbline_native_begin\n"
    ".global plumbline_native_end\n"
    "plumbline_native_begin:\n"
    ".incbin \"" PLUMBLINE_NATIVE_MODULE
    "\"\n"
    "plumbline_native_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char plumbline_native_begin[];
extern "C" const char plumbline_native_end[];

namespace plumbline {

std::string_view native_module() {
  return {plumbline_native_begin, static_cast<size_t>(plumbline_native_end - plumbline_native_begin)};
}

}  // namespace plumbline
