/* Products of windows of images, or of rows of a matrix, with weights that lie in panels. */
#ifndef PROA_PANELS_H
#define PROA_PANELS_H

#include "_team.h"
#include "_vectors.h"

enum { NOTHING, RELU, HARD_SWISH, AFTERWARDS }; /* what follows, as packed_panels.py counts it */

INLINE Py_ssize_t least(Py_ssize_t x, Py_ssize_t y) { return x < y ? x : y; }

typedef struct {
    Py_ssize_t images, height, width, channels;     /* of what is read */
    Py_ssize_t image_step, line_step, element_step; /* in elements */
    Py_ssize_t filters, high, wide, rows, columns;  /* of the filters' windows, and of the result */
    Py_ssize_t down, across, top, left, apart_down, apart_across; /* strides, padding, dilations */
    Py_ssize_t zeros_down, zeros_across; /* what is read has so many between its elements, which lie nowhere */
    const float *x, *residual, *bias;
    int activation;
    const float *zeros;
    Py_ssize_t together; /* channels of a part of a panel */
} Convolution;

/* Where windows stand, one after the other. */
typedef struct {
    Py_ssize_t image, row, column;
} Place;

/* How far the elements of a window lie from its first; NULL where there is no memory. */
INLINE Py_ssize_t *offsets_of(const Convolution *of) {
    Py_ssize_t *offsets = PyMem_RawMalloc((size_t)(of->high * of->wide) * sizeof *offsets);
    for (Py_ssize_t r = 0; r < of->high && offsets; r++)
        for (Py_ssize_t c = 0; c < of->wide; c++)
            offsets[r * of->wide + c] = r * of->apart_down * of->line_step + c * of->apart_across * of->element_step;
    return offsets;
}

INLINE Place place_of(const Convolution *of, Py_ssize_t window) {
    return (Place){window / (of->rows * of->columns), window / of->columns % of->rows, window % of->columns};
}

INLINE void go_on(const Convolution *of, Place *at) {
    if (++at->column < of->columns) return;
    at->column = 0;
    if (++at->row < of->rows) return;
    at->row = 0;
    at->image++;
}

/* The element that stands at a place; -1 for padding and for zeros between elements. */
INLINE Py_ssize_t element_at(Py_ssize_t place, Py_ssize_t zeros, Py_ssize_t size) {
    if (place < 0 || (zeros && place % (zeros + 1))) return -1;
    Py_ssize_t element = zeros ? place / (zeros + 1) : place;
    return element < size ? element : -1;
}

/* Where the channels begin of the elements of a window; `offsets` are theirs from the first one. */
INLINE void find_places(const Convolution *of, const Place *at, const Py_ssize_t *offsets, const float **places,
                        Py_ssize_t step) {
    Py_ssize_t line = at->row * of->down - of->top, element = at->column * of->across - of->left;
    Py_ssize_t last_line = line + (of->high - 1) * of->apart_down, last = element + (of->wide - 1) * of->apart_across;
    const float *image = of->x + at->image * of->image_step;
    if (line >= 0 && last_line < of->height && element >= 0 && last < of->width && !of->zeros_down && !of->zeros_across) {
        image += line * of->line_step + element * of->element_step;
        for (Py_ssize_t spot = 0; spot < of->high * of->wide; spot++) places[spot * step] = image + offsets[spot];
        return;
    }
    for (Py_ssize_t r = 0; r < of->high; r++) {
        Py_ssize_t n = element_at(line + r * of->apart_down, of->zeros_down, of->height);
        for (Py_ssize_t c = 0; c < of->wide; c++, places += step) {
            Py_ssize_t m = n < 0 ? -1 : element_at(element + c * of->apart_across, of->zeros_across, of->width);
            *places = m < 0 ? of->zeros : image + n * of->line_step + m * of->element_step;
        }
    }
}

enum { MATRIX, FILTERS, TURNED, OWN, ROWS, WAYS_OF_LYING }; /* how a weight lies, as panels.py counts it */
/* A matrix [k, n]; filters [o, c, h, w]; filters as a gradient of images wants them: by their inputs, with their windows
   turned round, and zeros between what strides have set apart; filters of a channel each [c, 1, h, w]; a matrix
   [n, k] that is read by its rows. */

/* A weight, and the panels it is brought into, or NULL: then it is brought over part by part when it is multiplied. */
typedef struct {
    int kind;
    Py_ssize_t filters, channels, spots, together; /* of what is multiplied: filters that are TURNED are c of o channels */
    float *weight, *panels;
    const float *factors; /* of the filters, or NULL */
    Py_ssize_t apart;     /* from row to row of a matrix, or filter to filter, where these do not follow one another; or 0 */
} Weight;

/* A panel is a part for `together` channels after the other, and of these one element of the windows after the other. */
HIDDEN Py_ssize_t channels_together(Py_ssize_t channels, Py_ssize_t spots);
HIDDEN Py_ssize_t whole_filters(Py_ssize_t filters); /* with what fills the last vector up */
HIDDEN Py_ssize_t width_of_panels(void);             /* filters of one, at most; 0 where there are none */
HIDDEN int have_fast_panels(void); /* whether the processor has what makes them faster than a library's code */

/* Whether it is an array of float32 images [n, c, h, w]; `steps` from image, channel, line and element to the next. */
HIDDEN int are_images(PyObject *given, Py_ssize_t *steps);

/* All windows by all filters, into `out`, on so many threads; 0 where there is no memory. `bias` and `zeros` are as long
   as the filters are whole, and as the channels. */
HIDDEN int multiply_panels(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads);
/* The same in fewer multiplications (`_tiles.c`), where `take_tiles` says that it is worth it: 1, 0 where a result is not
   finite, before what follows the product, -1 where there is no memory. `know_team` comes before. */
HIDDEN int multiply_tiles(const Convolution *of, const Weight *weight, float *out);
HIDDEN int take_tiles(const Convolution *of, const Weight *weight);
/* The same of a weight that is in no panels yet, and is not needed in them again. */
HIDDEN int multiply_once(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads);
#endif
