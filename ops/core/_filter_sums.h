/* Sums over places of some channels for vectors of filters, of which gradients of filters are made. */
#ifndef PROA_FILTER_SUMS_H
#define PROA_FILTER_SUMS_H

#include "_panel_blocks.h"

#if HAS_VECTORS

/* Where a tap's element lies in an image, and the result's gradient that it is multiplied by. */
typedef struct {
    Py_ssize_t x, g;
} Pair;

typedef struct {
    const Pair *pairs;
    Py_ssize_t count, images, image_step, gradient_step;
    const float *x, *g;
    float *to;
    Py_ssize_t step; /* from channel to channel of the sums */
    int is_added;    /* to what is there */
} Tap;

typedef void (*Sum)(const Tap *of);

/* How a processor does it: the numbers of a vector, the vectors at a time, at most and where there are more filters, and
   the channels at a time for so many of them: taps of eight are turned best. */
typedef struct {
    Py_ssize_t lanes, parts, usual, rows[MOST_PARTS + 1];
    Sum sum[MOST_PARTS + 1][MOST_ROWS + 1];
} SumWay;

HIDDEN const SumWay *way_of_sums(void);

#endif
#endif
