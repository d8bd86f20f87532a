/* Products of matrices that a core's cache holds, by panels made where they are needed. */
#ifndef PROA_TURNED_PRODUCT_H
#define PROA_TURNED_PRODUCT_H

#include "_panels.h"

enum { DEPTH_OF_PRODUCT = 256, ROOM_OF_PRODUCT = (64 + 6) * DEPTH_OF_PRODUCT + 6 * 64 };

/* A matrix whose rows stand so far apart, or its transpose. */
typedef struct {
    const float *x;
    Py_ssize_t apart;
    int turns;
} Lying;

/* x @ y [m, n], summed over k, into rows `step` apart, or added to them; by this thread, in `room` for so many numbers as
   ROOM_OF_PRODUCT, which begins where a vector may. Where `have_fast_panels`. */
HIDDEN void multiply_matrices(float *out, Py_ssize_t step, const Lying *x, const Lying *y, Py_ssize_t m, Py_ssize_t n,
                              Py_ssize_t k, int is_added, float *room);
#endif
