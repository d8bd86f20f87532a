/* What is brought over for products of tiles: sums and differences of what 2×2 windows of 3×3 elements share. */
#ifndef PROA_TILE_TURNS_H
#define PROA_TILE_TURNS_H

#include "_panels.h"

#if HAS_VECTORS

enum { SPOTS = 16, TAPS = 9 }; /* products, and elements of a filter */

/* How a processor does it, for `count` numbers of each spot, which lie one behind the other and `apart` from spot to spot.
   `check` has a vector to which what is no number is added where a result is not finite. */
typedef struct {
    void (*filters)(const float *from, Py_ssize_t step, Py_ssize_t count, float *to, Py_ssize_t apart);
    void (*images)(const float *const *places, Py_ssize_t count, float *to, Py_ssize_t apart);
    /* `bias` and `residuals` are added where there are any, and what follows is done. */
    void (*results)(const float *from, Py_ssize_t apart, Py_ssize_t count, const float *bias,
                    const float *const *residuals, int activation, float *const *to, float *check);
    /* Gradients of 2×2 results, and of the products of their spots those of filters, `count` of an element after the other. */
    void (*slopes)(const float *const *places, Py_ssize_t count, float *to, Py_ssize_t apart);
    void (*taps)(const float *from, Py_ssize_t apart, Py_ssize_t count, float *to, float *check);
} Turns;

HIDDEN const Turns *turns_of_tiles(void);

/* The elements of a tile whose first one stands at a line and an element of an image. */
INLINE void find_elements(const Convolution *of, Py_ssize_t image, Py_ssize_t line, Py_ssize_t element,
                          const float **places) {
    for (Py_ssize_t r = line; r < line + 4; r++)
        for (Py_ssize_t c = element; c < element + 4; c++)
            *places++ = r < 0 || r >= of->height || c < 0 || c >= of->width ? of->zeros
                        : of->x + image * of->image_step + r * of->line_step + c * of->element_step;
}

#endif
#endif
