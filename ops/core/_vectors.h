/* Loops compiled twice, or three times: for every processor of the kind, and for those whose vectors have 32 or 64 bytes.
   Which of them runs is asked once a process. They give the same bits: each operation is rounded for itself
   (-ffp-contract=off). */
#ifndef PROA_VECTORS_H
#define PROA_VECTORS_H

#include "_native.h"

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* Before a loop of a few steps over vectors that are to stay in the registers. */
#if defined(__clang__)
#define ALL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define ALL _Pragma("GCC unroll 8")
#endif

/* Defines NAME of a function NAME##_body, an INLINE one that gives nothing. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define HAS_TWO_WAYS 1
#define TWO_WAYS(NAME, PARAMETERS, ARGUMENTS) \
    __attribute__((target("avx2"))) static void NAME##_wide PARAMETERS { NAME##_body ARGUMENTS; } \
    static void NAME PARAMETERS { \
        if (has_wide_vectors) NAME##_wide ARGUMENTS; \
        else NAME##_body ARGUMENTS; \
    }
/* The same, and for vectors of 64 bytes: for loops that compute much of each element. */
#define THREE_WAYS(NAME, PARAMETERS, ARGUMENTS) \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512"))) static void NAME##_widest PARAMETERS { \
        NAME##_body ARGUMENTS; \
    } \
    __attribute__((target("avx2"))) static void NAME##_wide PARAMETERS { NAME##_body ARGUMENTS; } \
    static void NAME PARAMETERS { \
        if (has_widest_vectors) NAME##_widest ARGUMENTS; \
        else if (has_wide_vectors) NAME##_wide ARGUMENTS; \
        else NAME##_body ARGUMENTS; \
    }
#else
#define HAS_TWO_WAYS 0
#define TWO_WAYS(NAME, PARAMETERS, ARGUMENTS) \
    static void NAME PARAMETERS { NAME##_body ARGUMENTS; }
#define THREE_WAYS TWO_WAYS
#endif

/* Arithmetic and comparisons of vectors element by element, as the compilers write them; other compilers have none. */
#if defined(__GNUC__)
#define HAS_VECTORS 1
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* no function that is called takes or gives vectors: all are INLINE */
#endif
typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef int64_t Longs __attribute__((vector_size(32)));
typedef uint32_t Bits __attribute__((vector_size(32)));
#else
#define HAS_VECTORS 0
#endif

/* exp of a float32 to within some 1e-7 of it, by a polynomial of what is left of a power of 2 (Cephes), so that several
   are computed at once; 0 below the least normal number, where x is at most 88. A NaN stays. */
INLINE float exp_of_float(float x) {
    float bounded = x < -87.0f ? -87.0f : x, shifted = bounded * 1.44269504f + 12582912.0f, power = shifted - 12582912.0f;
    float rest = bounded - power * 0.693359375f - power * -2.12194440e-4f, found = 1.9875691500e-4f;
    found = found * rest + 1.3981999507e-3f;
    found = found * rest + 8.3334519073e-3f;
    found = found * rest + 4.1665795894e-2f;
    found = found * rest + 1.6666665459e-1f;
    found = found * rest + 5.0000001201e-1f;
    found = found * (rest * rest) + rest + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits); /* the lowest bits are those of the power of 2 */
    bits = (bits << 23) + 0x3F800000u;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return x < -87.0f ? 0.0f : found * scale;
}

/* softmax of rows of so many elements at least, and log(sum(exp(x))) of each: 1, or 0 where that is left to a kernel. */
enum { LEAST_OF_SOFTMAX = 8 };
HIDDEN int softmax_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count);

#endif
