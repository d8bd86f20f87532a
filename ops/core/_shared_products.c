/* NumPy's own products of large matrices, in parts that OpenMP's threads compute: its BLAS has threads of its own, which
   wait for more for a millisecond, and so long keep a processor from those that everything else is shared among. */
#include "_team.h"

#include "_blas.h"

enum { STRIP = 16 }; /* rows, or columns, that threads share */

typedef struct {
    char *data;
    Py_ssize_t apart, down, across; /* how far rows, or columns of a turned one, lie apart; strides in bytes */
    int turns;
    Py_ssize_t steps[MOST_DIMENSIONS]; /* from one matrix to the next along each dimension of the batch: bytes */
} Matrices;

typedef struct {
    Matrices x, y, out;
    const Py_ssize_t *batch; /* sizes */
    int batch_count, kind, by_columns;
    Py_ssize_t m, n, k, strips; /* strips of rows, or of columns, of a matrix */
    uintptr_t gemm;
} Product;

static const float one_32[2] = {1.0f, 0.0f}, zero_32[2];
static const double one_64[2] = {1.0, 0.0}, zero_64[2];

/* Some rows, or columns, of one matrix of the batch. */
static void multiply(const Product *of, Py_ssize_t number, Py_ssize_t begin, Py_ssize_t end) {
    const char *x = of->x.data, *y = of->y.data;
    char *out = of->out.data;
    for (int n = of->batch_count; n--; number /= of->batch[n]) {
        Py_ssize_t at = number % of->batch[n];
        x += at * of->x.steps[n], y += at * of->y.steps[n], out += at * of->out.steps[n];
    }
    Py_ssize_t m = of->m, n = of->n;
    if (of->by_columns) n = (end < n ? end : n) - begin, y += begin * of->y.across, out += begin * of->out.across;
    else m = (end < m ? end : m) - begin, x += begin * of->x.down, out += begin * of->out.down;
    int turns_x = of->x.turns ? TURNED : STRAIGHT, turns_y = of->y.turns ? TURNED : STRAIGHT;
    Py_ssize_t lda = of->x.apart, ldb = of->y.apart, ldc = of->out.apart, k = of->k;
    if (of->kind == FLOAT32)
        ((Gemm32)of->gemm)(BY_ROWS, turns_x, turns_y, m, n, k, 1.0f, x, lda, y, ldb, 0.0f, out, ldc);
    else if (of->kind == FLOAT64)
        ((Gemm64)of->gemm)(BY_ROWS, turns_x, turns_y, m, n, k, 1.0, x, lda, y, ldb, 0.0, out, ldc);
    else {
        int is_wide = of->kind == COMPLEX128;
        ((GemmComplex)of->gemm)(BY_ROWS, turns_x, turns_y, m, n, k, is_wide ? (const void *)one_64 : one_32, x, lda, y, ldb,
                                is_wide ? (const void *)zero_64 : zero_32, out, ldc);
    }
}

/* A thread's strips: those of one matrix together. */
static void multiply_strips(void *data, Py_ssize_t begin, Py_ssize_t end) {
    const Product *of = data;
    while (begin < end) {
        Py_ssize_t number = begin / of->strips, first = begin % of->strips, next = (number + 1) * of->strips;
        Py_ssize_t last = (end < next ? end : next) - number * of->strips;
        multiply(of, number, first * STRIP, last * STRIP);
        begin = number * of->strips + last;
    }
}

/* How the matrices of an array lie, whose batch is repeated to `batch`: 0 where BLAS cannot read them where they are. */
static int find_matrices(Matrices *of, const Array *array, Py_ssize_t item, const Py_ssize_t *batch, int batch_count) {
    int own = array->dimensions_count - 2;
    if (own < 0 || own > batch_count || !(array->flags & ALIGNED)) return 0;
    for (int n = 0; n < batch_count; n++) {
        int at = n - (batch_count - own);
        Py_ssize_t size = at < 0 ? 1 : array->dimensions[at];
        if (size != batch[n] && size != 1) return 0;
        of->steps[n] = size == 1 ? 0 : array->strides[at];
    }
    Py_ssize_t rows = array->dimensions[own], columns = array->dimensions[own + 1];
    of->data = array->data;
    of->down = array->strides[own], of->across = array->strides[own + 1];
    for (int turns = 0; turns < 2; turns++) {
        Py_ssize_t lines = turns ? columns : rows, length = turns ? rows : columns;
        Py_ssize_t apart = turns ? of->across : of->down, step = turns ? of->down : of->across;
        if ((length > 1 && step != item) || (lines > 1 && (apart < length * item || apart % item))) continue;
        of->turns = turns, of->apart = lines > 1 ? apart / item : length;
        return 1;
    }
    return 0;
}

const char shared_product_doc[] =
    "shared_product($module, x, y, out, gemm, /)\n--\n\n"
    "Fills `out` with x @ y of matrices, or of batches that are repeated to its own, by the function of BLAS for their\n"
    "dtype, whose address `gemm` is and which computes on one thread. False, and nothing done, where it cannot.";

PyObject *shared_product(PyObject *module, PyObject *arguments) {
    PyObject *given[3];
    unsigned long long gemm;
    if (!PyArg_ParseTuple(arguments, "OOOK", &given[0], &given[1], &given[2], &gemm)) return NULL;
    Array *x = (Array *)given[0], *y = (Array *)given[1], *out = (Array *)given[2];
    for (int n = 0; n < 3; n++)
        if (Py_TYPE(given[n]) != array_type || ((Array *)given[n])->dtype != x->dtype) Py_RETURN_FALSE;
    Product of = {.kind = kind_of(x->dtype), .gemm = (uintptr_t)gemm, .batch = out->dimensions};
    of.batch_count = out->dimensions_count - 2;
    if (!gemm || of.batch_count < 0 || out->dimensions_count > MOST_DIMENSIONS || !(out->flags & WRITEABLE)
        || !(of.kind == FLOAT32 || of.kind == FLOAT64 || of.kind == COMPLEX64 || of.kind == COMPLEX128)
        || x->dimensions_count < 2 || y->dimensions_count < 2)
        Py_RETURN_FALSE;
    Py_ssize_t item = sizes_by_kind[of.kind], count = 1;
    of.m = out->dimensions[of.batch_count], of.n = out->dimensions[of.batch_count + 1];
    of.k = x->dimensions[x->dimensions_count - 1];
    for (int n = 0; n < of.batch_count; n++) count *= of.batch[n];
    if (x->dimensions[x->dimensions_count - 2] != of.m || y->dimensions[y->dimensions_count - 2] != of.k
        || y->dimensions[y->dimensions_count - 1] != of.n || !count || !of.m || !of.n || !of.k
        || !find_matrices(&of.x, x, item, of.batch, of.batch_count) || !find_matrices(&of.y, y, item, of.batch, of.batch_count)
        || !find_matrices(&of.out, out, item, of.batch, of.batch_count) || of.out.turns)
        Py_RETURN_FALSE;
    of.by_columns = of.n > of.m;
    of.strips = ((of.by_columns ? of.n : of.m) + STRIP - 1) / STRIP;
    if (run_parts(multiply_strips, &of, count * of.strips, WORTH_SHARING) < 0) return NULL;
    Py_RETURN_TRUE;
}
