/* Weights brought into the panels that `_panels.c` reads, and out of them. */
#ifndef PROA_PACKING_H
#define PROA_PACKING_H

#include "_panels.h"
#include "_turning.h"

/* Into the panels, on so many threads; 0 where there is no memory. */
HIDDEN int pack_panels(const Weight *of, const Team *team, int threads);
HIDDEN void unpack_panels(const Weight *of); /* as they are, with the factors in them; not of what is TURNED */

/* A part of a panel: what `filters` from `first` on have for `channels` from `begin` on, to rows `apart` from each other.
   `places` is room for so many as `length_of_places` gives. */
HIDDEN void fill_part(const Weight *of, Py_ssize_t first, Py_ssize_t begin, Py_ssize_t channels, Py_ssize_t apart, float *to,
                      Py_ssize_t *places);
HIDDEN Py_ssize_t length_of_places(const Weight *of);

#endif
