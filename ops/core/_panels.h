/* Products of windows of images, or of rows of a matrix, with weights that lie in panels. */
#ifndef PROA_PANELS_H
#define PROA_PANELS_H

#include "_windows.h"

/* OpenMP's functions (libgomp's), NULL where there are none. */
typedef struct {
    void (*parallel)(void (*part)(void *), void *data, unsigned threads, unsigned flags);
    int (*number)(void), (*count)(void);
} Team;

/* How many floats the panels of a weight fill, and so many filters with what fills the last vector up. */
HIDDEN Py_ssize_t size_of_panels(Py_ssize_t filters, Py_ssize_t steps);
HIDDEN Py_ssize_t whole_filters(Py_ssize_t filters);
HIDDEN Py_ssize_t width_of_panels(void); /* filters of one, at most */
/* Where a filter's number for a step stands in them; `steps` are the channels of a window's elements, one after the other. */
HIDDEN Py_ssize_t place_in_panels(Py_ssize_t filters, Py_ssize_t steps, Py_ssize_t filter, Py_ssize_t step, Py_ssize_t *apart);
HIDDEN int have_fast_panels(void); /* whether the processor has what makes them faster than a library's code */
/* All windows by all filters, into `out`, on so many threads; 0 where there is no memory. `bias` and `zeros` are as long
   as the filters are whole, and as the channels. Where each channel has a filter of its own, `panels` are rows of them,
   one for each element of a window. */
HIDDEN int multiply_panels(const Convolution *of, int is_by_channel, const float *panels, float *out, const Team *team,
                           int threads);

#endif
