/* Products of rows with rows, x·wᵀ, as a layer's gradient of what it took is: few rows of x, both read where they lie.

   A vector holds parts of a sum; those of some rows of x with some of w stay in the registers. At the end the parts of as
   many sums as a vector has are added up together, each in the same order wherever it stands: the bits of a result depend
   neither on the other rows nor on the number of threads. */
#include "_panels.h"

#if HAS_TWO_WAYS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { BLOCK = 16, MOST = 4, WORTH = 1 << 21, LONG = 1 << 15, FEW = 4, ENDED = 16, MANY = 64 };
/* Rows of w that a thread takes together; rows of x that are multiplied at once, at most; multiplications that are worth a
   second thread; numbers of a row that are too many for as few sums; rows of x that are always few, and for how many numbers
   of a row one more is, since each sum has an end; rows that never are. */
typedef float Sixteen __attribute__((vector_size(64)));
typedef int32_t Sixteens __attribute__((vector_size(64)));

/* Of behind 16 are those lanes left that a vector has not had which ends where a row does. */
static const int32_t behind[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                   -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

/* What multiplies some rows of x by some of w, as many together as a vector has numbers: of k numbers, to rows of the result,
   of which `valid` numbers each are there. */
typedef void (*Product)(const float *const *x, const float *const *w, Py_ssize_t k, float *const *to, Py_ssize_t valid);

#define EACH _Pragma("GCC unroll 16")
#define HALVED(COUNT, EVEN, ODD) \
    EACH for (int n = 0; n < COUNT; n++) \
        sums[n] = __builtin_shuffle(sums[2 * n], sums[2 * n + 1], EVEN) + __builtin_shuffle(sums[2 * n], sums[2 * n + 1], ODD);
#define ADD_UP_SIXTEEN(EVEN, ODD) HALVED(8, EVEN, ODD) HALVED(4, EVEN, ODD) HALVED(2, EVEN, ODD) HALVED(1, EVEN, ODD)
#define ADD_UP_EIGHT(EVEN, ODD) HALVED(4, EVEN, ODD) HALVED(2, EVEN, ODD) HALVED(1, EVEN, ODD)
#define OF_SIXTEEN(FIRST) \
    {FIRST, FIRST + 2, FIRST + 4, FIRST + 6, FIRST + 8, FIRST + 10, FIRST + 12, FIRST + 14, FIRST + 16, FIRST + 18, \
     FIRST + 20, FIRST + 22, FIRST + 24, FIRST + 26, FIRST + 28, FIRST + 30}
#define OF_EIGHT(FIRST) {FIRST, FIRST + 2, FIRST + 4, FIRST + 6, FIRST + 8, FIRST + 10, FIRST + 12, FIRST + 14}

#define PRODUCT(TARGET, NAME, VECTOR, WHICH, KIND, LANES, ROWS) \
    __attribute__((target(TARGET))) static void NAME(const float *const *x, const float *const *w, Py_ssize_t k, \
                                                     float *const *to, Py_ssize_t valid) { \
        enum { COLUMNS = LANES / ROWS }; \
        const WHICH even = OF_##KIND(0), odd = OF_##KIND(1); \
        VECTOR sums[LANES], other[COLUMNS], one; \
        Py_ssize_t done = 0; \
        EACH for (int n = 0; n < LANES; n++) sums[n] = (VECTOR){0}; \
        for (; done + LANES <= k; done += LANES) { \
            EACH for (int c = 0; c < COLUMNS; c++) memcpy(&other[c], w[c] + done, sizeof one); \
            EACH for (int r = 0; r < ROWS; r++) { \
                memcpy(&one, x[r] + done, sizeof one); \
                EACH for (int c = 0; c < COLUMNS; c++) sums[r * COLUMNS + c] += one * other[c]; \
            } \
        } \
        if (done < k) { \
            WHICH left; \
            memcpy(&left, behind + BLOCK - LANES + k - done, sizeof left); \
            EACH for (int c = 0; c < COLUMNS; c++) { \
                memcpy(&other[c], w[c] + k - LANES, sizeof one); \
                other[c] = (VECTOR)((WHICH)other[c] & left); \
            } \
            EACH for (int r = 0; r < ROWS; r++) { \
                memcpy(&one, x[r] + k - LANES, sizeof one); \
                one = (VECTOR)((WHICH)one & left); \
                EACH for (int c = 0; c < COLUMNS; c++) sums[r * COLUMNS + c] += one * other[c]; \
            } \
        } \
        ADD_UP_##KIND(even, odd) \
        const float *found = (const float *)&sums[0]; \
        for (int r = 0; r < ROWS; r++) \
            if (valid == COLUMNS) memcpy(to[r], found + r * COLUMNS, COLUMNS * sizeof *found); \
            else for (Py_ssize_t c = 0; c < valid; c++) to[r][c] = found[r * COLUMNS + c]; \
    }
PRODUCT("avx2,fma", eight_1, Floats, Ints, EIGHT, 8, 1)
PRODUCT("avx2,fma", eight_2, Floats, Ints, EIGHT, 8, 2)
PRODUCT("avx2,fma", eight_4, Floats, Ints, EIGHT, 8, 4)
PRODUCT("avx512f", sixteen_1, Sixteen, Sixteens, SIXTEEN, 16, 1)
PRODUCT("avx512f", sixteen_2, Sixteen, Sixteens, SIXTEEN, 16, 2)
PRODUCT("avx512f", sixteen_4, Sixteen, Sixteens, SIXTEEN, 16, 4)

/* By the rows of x that are left, up to four: how many numbers a vector has, and what multiplies how many rows. */
typedef struct {
    Py_ssize_t lanes, rows[MOST + 1];
    Product products[MOST + 1];
} Way;

static const Way *way(void) {
    static const Way eights = {8, {0, 1, 2, 4, 4}, {NULL, eight_1, eight_2, eight_4, eight_4}};
    static const Way sixteens = {16, {0, 1, 2, 4, 4}, {NULL, sixteen_1, sixteen_2, sixteen_4, sixteen_4}};
    return width_of_panels() == 64 ? &sixteens : &eights;
}

typedef struct {
    const float *x, *w;
    Py_ssize_t rows, columns, k; /* rows of x and of w, and the numbers of each */
    float *out;
} Rows;

/* `count` rows of x from `first` on by those of w from `begin` to `end`. */
static void multiply_some(const Rows *all, Py_ssize_t first, Py_ssize_t count, Py_ssize_t begin, Py_ssize_t end) {
    const Way *how = way();
    Py_ssize_t columns = how->lanes / how->rows[count];
    const float *x[MOST], *w[BLOCK];
    float *to[MOST];
    for (Py_ssize_t c = begin; c < end; c += columns) {
        for (Py_ssize_t n = 0; n < columns; n++) w[n] = all->w + least(c + n, end - 1) * all->k;
        for (Py_ssize_t r = 0; r < how->rows[count]; r++) { /* one that is missing is another once more */
            Py_ssize_t row = first + least(r, count - 1);
            x[r] = all->x + row * all->k, to[r] = all->out + row * all->columns + c;
        }
        how->products[count](x, w, all->k, to, least(columns, end - c));
    }
}

static void some_blocks(void *data, Py_ssize_t first, Py_ssize_t last) {
    const Rows *all = data;
    Py_ssize_t whole = all->rows / MOST * MOST, end = least(last * BLOCK, all->columns);
    for (Py_ssize_t c = first * BLOCK; c < end; c += MOST) /* these rows of w stay near while x is gone through */
        for (Py_ssize_t r = 0; r < whole; r += MOST) multiply_some(all, r, MOST, c, least(c + MOST, end));
    if (whole < all->rows) multiply_some(all, whole, all->rows - whole, first * BLOCK, end);
}

PyObject *row_products_of(PyObject *x, PyObject *w) {
    if (!have_fast_panels() || !is_plain_array(x) || !is_plain_array(w) || ((Array *)x)->dimensions_count != 2 ||
        ((Array *)w)->dimensions_count != 2 || ((Array *)x)->dimensions[1] != ((Array *)w)->dimensions[1] || !size_of(x))
        return declined_form();
    Rows all = {(const float *)((Array *)x)->data, (const float *)((Array *)w)->data, 0, 0, 0, NULL};
    all.rows = ((Array *)x)->dimensions[0], all.columns = ((Array *)w)->dimensions[0], all.k = ((Array *)w)->dimensions[1];
    if (((Array *)x)->dtype != dtypes_by_kind[FLOAT32] || ((Array *)w)->dtype != dtypes_by_kind[FLOAT32] ||
        all.k < BLOCK || all.k >= LONG || all.columns < BLOCK || all.rows > least(FEW + all.k / ENDED, MANY))
        return declined_form();
    PyObject *result = new_array(FLOAT32, 2, (Py_ssize_t[]){all.rows, all.columns});
    if (!result) return NULL;
    all.out = (float *)((Array *)result)->data;
    double work = (double)all.rows * (double)all.k * (double)all.columns;
    if (run_parts(some_blocks, &all, (all.columns + BLOCK - 1) / BLOCK, work < WORTH ? 0 : WORTH_SHARING) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

#else
PyObject *row_products_of(PyObject *x, PyObject *w) { return declined_form(); }
#endif

const char row_products_doc[] =
    "row_products($module, x, w, /)\n--\n\n"
    "x·wᵀ of matrices of float32 that lie by rows, few in x; NotImplemented for what it does not take.";

PyObject *row_products(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count == 2) return row_products_of(arguments[0], arguments[1]);
    PyErr_SetString(PyExc_TypeError, "row_products: takes two matrices");
    return NULL;
}
