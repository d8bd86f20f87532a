/* NumPy's own products of matrices, as C's interface of BLAS has them with sizes of 64 bits. */
#ifndef PROA_BLAS_H
#define PROA_BLAS_H

#include <stdint.h>

/* `cblas_?gemm`: factors are numbers of the matrices' kind, complex ones by where they lie. */
#define GEMM(name, number)                                                                                             \
    typedef void (*name)(int order, int turns_x, int turns_y, int64_t m, int64_t n, int64_t k, number alpha,           \
                         const void *x, int64_t lda, const void *y, int64_t ldb, number beta, void *out, int64_t ldc)
GEMM(Gemm32, float);
GEMM(Gemm64, double);
GEMM(GemmComplex, const void *);
enum { BY_ROWS = 101, STRAIGHT = 111, TURNED = 112 };

#endif
