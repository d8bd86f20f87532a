/* Loops of two operands, over arrays that broadcast. */
#ifndef PROA_BROADCAST_H
#define PROA_BROADCAST_H

#include "_vectors.h"

typedef void (*BinaryLoop)(const void *, const void *, void *, Py_ssize_t, int, int); /* steps: 0 for a single element */

enum { LEAST_WIDTH = 16 }; /* elements of a row, for fewer of which NumPy goes through many rows faster */

/* The loop over two arrays of this kind, or an array and, with `other` NULL, a number; NotImplemented for what lies in
   another way. */
HIDDEN PyObject *two_spread(BinaryLoop loop, int kind, int kind_out, PyObject *one, PyObject *other, const char *number);

#endif
