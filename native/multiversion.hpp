// One loop, compiled for several processors, chosen at run time.
//
// The loop is an always-inlined body; thin wrappers carry the target attribute. Unlike target_clones this works
// for templates and needs no ifunc, so also with musl and under the sanitizers.
#pragma once

#if defined(__x86_64__)
#define CONFMAT_X86 1
#define CONFMAT_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define CONFMAT_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2")))
#endif

#define CONFMAT_INLINE __attribute__((always_inline)) inline

namespace confmat {

enum class Processor { any, avx2, avx512 };

inline Processor processor() {
#if defined(CONFMAT_PROCESSOR)  // the tests choose
  return Processor::CONFMAT_PROCESSOR;
#elif defined(CONFMAT_X86)
  static const Processor found = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")) {
      return Processor::avx512;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? Processor::avx2 : Processor::any;
  }();
  return found;
#else
  return Processor::any;
#endif
}

// The version of Loop for this machine: Loop is a type with static any(), and on x86 avx2() and avx512().
template <class Loop>
auto best_of() {
#if defined(CONFMAT_X86)
  if (processor() == Processor::avx512) return &Loop::avx512;
  if (processor() == Processor::avx2) return &Loop::avx2;
#endif
  return &Loop::any;
}

}  // namespace confmat

// Defines any(), avx2() and avx512() inside a struct, all running `body` with the same arguments.
#if defined(CONFMAT_X86)
#define CONFMAT_VERSIONS(result, parameters, arguments)                 \
  static result any parameters { return body arguments; }               \
  CONFMAT_AVX2 static result avx2 parameters { return body arguments; } \
  CONFMAT_AVX512 static result avx512 parameters { return body arguments; }
#else
#define CONFMAT_VERSIONS(result, parameters, arguments) \
  static result any parameters { return body arguments; }
#endif
