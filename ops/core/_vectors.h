/* Loops compiled twice: for every processor of the kind, and for those whose vectors have 32 bytes. Which of both runs
   is asked once a process. They give the same bits: each operation is rounded for itself (-ffp-contract=off). */
#ifndef PROA_VECTORS_H
#define PROA_VECTORS_H

#include "_native.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
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
#else
#define TWO_WAYS(NAME, PARAMETERS, ARGUMENTS) \
    static void NAME PARAMETERS { NAME##_body ARGUMENTS; }
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

/* softmax of rows of so many elements at least, and log(sum(exp(x))) of each: 1, or 0 where that is left to a kernel. */
enum { LEAST_OF_SOFTMAX = 8 };
HIDDEN int softmax_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count);

#endif
