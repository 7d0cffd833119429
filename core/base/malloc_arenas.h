#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dailies {

/// Lets all threads share two heaps. The C library would give each thread of a pool one of its own and keep
/// what was freed in each, so that a program that runs for days holds many times what it uses. To be called
/// before threads begin.
inline void limitMallocArenas() {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace dailies
