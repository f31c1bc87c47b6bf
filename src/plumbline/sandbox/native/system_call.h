/// Raw system calls: the result, or -errno. A supervisor shares the server's memory, the variable `errno` included, so
/// nothing that it calls may write to memory of the C library's.
#pragma once

#include <sys/syscall.h>

namespace plumbline {

inline long raw_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "no raw system calls for this machine"
#endif
}

template <typename T>
long as_word(T value) {
  return (long)value;  // an integer or a pointer
}

template <typename A = long, typename B = long, typename C = long, typename D = long, typename E = long,
          typename F = long>
long system_call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  return raw_call(number, as_word(a), as_word(b), as_word(c), as_word(d), as_word(e), as_word(f));
}

}  // namespace plumbline
