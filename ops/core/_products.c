/* Products of two matrices and their gradients, by the functions of NumPy and of oneDNN that their kernels call. The
   first operand may have more dimensions: its rows are those of a matrix. */
#include "_native.h"

#include "_blas.h"

static struct {
    PyObject *matmul, *deferred, *of_weight;
    Py_ssize_t one_thread, large, rows; /* multiplications up to which `dot` is called, and `matmul`; rows that wait */
} served;
static PyObject *str_dot;
enum { LEAST_OF_ROW = 32, LEAST_OF_OUTER = 1 << 12 }; /* elements of a column times a row that are multiplied one by one */

const char serve_products_doc[] =
    "serve_products($module, matmul, deferred, of_weight, one_thread, large, rows, /)\n--\n\n"
    "Takes NumPy's function of products, the class of sums that wait and what computes them, the multiplications up to\n"
    "which `dot` may be called, those up to which no other library is asked, and the rows up to which products wait.";

PyObject *serve_products(PyObject *module, PyObject *arguments) {
    PyObject *matmul, *deferred, *of_weight, *name = str_dot ? str_dot : PyUnicode_InternFromString("dot");
    Py_ssize_t one_thread, large, rows;
    if (!(str_dot = name)
        || !PyArg_ParseTuple(arguments, "OOOnnn", &matmul, &deferred, &of_weight, &one_thread, &large, &rows))
        return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    served.matmul = matmul, served.deferred = deferred, served.of_weight = of_weight;
    served.one_thread = one_thread, served.large = large, served.rows = rows;
    Py_RETURN_NONE;
}

/* Whether it is a matrix of floats of NumPy's own, of this dtype where one is given, that has elements. */
static int is_matrix(PyObject *given, PyObject *dtype) {
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 2 || !(x->flags & ALIGNED) || (dtype && x->dtype != dtype))
        return 0;
    int kind = kind_of(x->dtype);
    return (kind == FLOAT32 || kind == FLOAT64) && x->dimensions[0] > 0 && x->dimensions[1] > 0;
}

/* oneDNN's product of float32 matrices, as `multiply` in backend/onednn/products.py calls it; NULL where it is not to be
   had, or not wanted. */
typedef int (*Gemm)(char trans_x, char trans_y, int64_t m, int64_t n, int64_t k, float alpha, const float *x, int64_t lda,
                    const float *y, int64_t ldb, float beta, float *out, int64_t ldc);
static struct {
    Gemm gemm;
    int (*threads_now)(void);
    void (*set_threads)(int);
    PyObject *count; /* tells how many threads may compute */
    Py_ssize_t most; /* multiplications below which one does */
    Py_ssize_t deep, stride, gap, reused, turned; /* where operands are copied before: as there */
    Py_ssize_t least_rows, most_rows, least_elements; /* where the turned product is computed: as there */
    double in_place;
} engine;

const char serve_gemm_doc[] =
    "serve_gemm($module, sgemm, threads_now, set_threads, count, most, deep, stride, gap, reused, turned, in_place, thin,\n"
    "           /)\n"
    "--\n\n"
    "Takes the addresses of oneDNN's product and of what tells and sets its threads, 0 where it is not to be called;\n"
    "what tells how many may compute, and the multiplications below which one does; and when an operand is copied before.";

PyObject *serve_gemm(PyObject *module, PyObject *arguments) {
    unsigned long long gemm, now, set;
    Py_ssize_t most, deep, stride, gap, reused, turned, least_rows, most_rows, least_elements;
    double in_place;
    PyObject *count;
    if (!PyArg_ParseTuple(arguments, "KKKOnnnnnnd(nnn)", &gemm, &now, &set, &count, &most, &deep, &stride, &gap, &reused,
                          &turned, &in_place, &least_rows, &most_rows, &least_elements))
        return NULL;
    engine.gemm = now && set && stride > 0 && gap >= 0 ? (Gemm)(uintptr_t)gemm : NULL;
    Py_XSETREF(engine.count, Py_NewRef(count));
    engine.threads_now = (int (*)(void))(uintptr_t)now;
    engine.set_threads = (void (*)(int))(uintptr_t)set;
    engine.most = most, engine.deep = deep, engine.stride = stride, engine.gap = gap, engine.reused = reused;
    engine.turned = turned, engine.in_place = in_place;
    engine.least_rows = least_rows, engine.most_rows = most_rows, engine.least_elements = least_elements;
    Py_RETURN_NONE;
}

static Gemm32 blas; /* NumPy's own; NULL where it is not known */

const char serve_blas_doc[] =
    "serve_blas($module, sgemm, /)\n--\n\n"
    "Takes the address of `cblas_sgemm` with sizes of 64 bits, 0 where there is none.";

PyObject *serve_blas(PyObject *module, PyObject *arguments) {
    unsigned long long address;
    if (!PyArg_ParseTuple(arguments, "K", &address)) return NULL;
    blas = (Gemm32)(uintptr_t)address;
    Py_RETURN_NONE;
}

int is_product_at_hand(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) {
    return (double)m * (double)n * (double)k > (double)served.large ? engine.gemm != NULL : blas != NULL;
}

int is_for_one_thread(double multiplications) {
    return multiplications < (double)(engine.gemm ? engine.most : 8 * served.large);
}

int product_into(float *out, Py_ssize_t apart, const float *x, Py_ssize_t apart_x, int turns_x, const float *y,
                 Py_ssize_t apart_y, int turns_y, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, float factor) {
    if (m * n * k > served.large) {
        if (!engine.gemm) return 0;
        if (engine.threads_now() != 1) engine.set_threads(1);
        return engine.gemm(turns_x ? 'T' : 'N', turns_y ? 'T' : 'N', m, n, k, factor, x, apart_x, y, apart_y, 0.0f, out,
                           apart) == 0;
    }
    if (!blas) return 0;
    blas(BY_ROWS, turns_x ? TURNED : STRAIGHT, turns_y ? TURNED : STRAIGHT, m, n, k, factor, x, apart_x, y, apart_y, 0.0f,
         out, apart);
    return 1;
}

/* How far apart rows, 'N', or columns, 'T', of a matrix of float32 lie, in elements; 0 where neither holds. */
static char order_of(const Py_ssize_t *sizes, const Py_ssize_t *strides, Py_ssize_t *apart) {
    for (int turns = 0; turns < 2; turns++) {
        Py_ssize_t rows = sizes[turns], columns = sizes[!turns], down = strides[turns], across = strides[!turns];
        if ((across != 4 && columns != 1) || (rows != 1 && (down < 4 * columns || down % 4))) continue;
        *apart = rows > 1 && down / 4 > columns ? down / 4 : columns;
        return turns ? 'T' : 'N';
    }
    return 0;
}

/* A copy of `rows` rows of float32 with gaps between them, how far they lie apart then in `apart`: `_apart`. */
static PyObject *with_gaps(const float *x, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t *apart) {
    Py_ssize_t sizes[2] = {rows, columns + engine.gap};
    PyObject *made = new_array(FLOAT32, 2, sizes);
    float *to = made ? (float *)((Array *)made)->data : NULL;
    for (Py_ssize_t n = 0; made && n < rows; n++) memcpy(to + n * sizes[1], x + n * *apart, sizeof *x * (size_t)columns);
    if (made) *apart = sizes[1];
    return made;
}

/* Four by four elements of rows `apart` elements apart, turned, into rows `wide` elements apart. */
#if defined(__GNUC__) && !defined(__clang__)
typedef float Four __attribute__((vector_size(16)));
typedef int32_t Which __attribute__((vector_size(16)));

static inline void turn_four(const float *x, Py_ssize_t apart, float *out, Py_ssize_t wide) {
    Four row[4], pairs[4], column[4];
    for (int n = 0; n < 4; n++) memcpy(&row[n], x + n * apart, sizeof(Four));
    for (int n = 0; n < 4; n += 2) {
        pairs[n] = __builtin_shuffle(row[n], row[n + 1], (Which){0, 4, 1, 5});
        pairs[n + 1] = __builtin_shuffle(row[n], row[n + 1], (Which){2, 6, 3, 7});
    }
    for (int n = 0; n < 2; n++) {
        column[2 * n] = __builtin_shuffle(pairs[n], pairs[n + 2], (Which){0, 1, 4, 5});
        column[2 * n + 1] = __builtin_shuffle(pairs[n], pairs[n + 2], (Which){2, 3, 6, 7});
    }
    for (int n = 0; n < 4; n++) memcpy(out + n * wide, &column[n], sizeof(Four));
}
#else
static inline void turn_four(const float *x, Py_ssize_t apart, float *out, Py_ssize_t wide) {
    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 4; m++) out[m * wide + n] = x[n * apart + m];
}
#endif

/* A matrix of float32 by rows, turned: by rows too, `wide` elements apart. Sixteen rows at a time fill lines of a cache. */
static void turn(const float *x, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t columns, float *out, Py_ssize_t wide) {
    Py_ssize_t whole_rows = rows - rows % 4, whole_columns = columns - columns % 4;
    for (Py_ssize_t begin = 0; begin < whole_rows; begin += 16)
        for (Py_ssize_t c = 0; c < whole_columns; c += 4)
            for (Py_ssize_t r = begin; r < whole_rows && r < begin + 16; r += 4)
                turn_four(x + r * apart + c, apart, out + c * wide + r, wide);
    for (Py_ssize_t r = 0; r < rows; r++)
        for (Py_ssize_t c = r < whole_rows ? whole_columns : 0; c < columns; c++) out[c * wide + r] = x[r * apart + c];
}

enum { LONG_SUM = 1 << 15 }; /* elements of a row or column from which on oneDNN's sums of products lose digits */

/* x @ y, or of the turned ones, by oneDNN: 1; 0 where `multiply` has to, -1 with an error. */
static int by_gemm(PyObject *given_x, int turns_x, PyObject *given_y, int turns_y, PyObject **result) {
    Array *x = (Array *)given_x, *y = (Array *)given_y;
    Py_ssize_t of_x[2] = {x->dimensions[turns_x], x->dimensions[!turns_x]}, apart_x, apart_y;
    Py_ssize_t of_y[2] = {y->dimensions[turns_y], y->dimensions[!turns_y]};
    Py_ssize_t steps_x[2] = {x->strides[turns_x], x->strides[!turns_x]};
    Py_ssize_t steps_y[2] = {y->strides[turns_y], y->strides[!turns_y]};
    Py_ssize_t m = of_x[0], k = of_x[1], n = of_y[1], sizes[2] = {m, n};
    if (!engine.gemm || x->dtype != dtypes_by_kind[FLOAT32] || y->dtype != x->dtype || of_y[0] != k || k < 2
        || (k >= LONG_SUM && (m == 1 || n == 1)) || m > INT32_MAX || k > INT32_MAX || n > INT32_MAX)
        return 0;
    char order_x = order_of(of_x, steps_x, &apart_x), order_y = order_of(of_y, steps_y, &apart_y);
    if (!order_x || !order_y) return 0;
    long threads = 1;
    if ((double)m * (double)k * (double)n >= (double)engine.most) {
        PyObject *count = PyObject_CallNoArgs(engine.count);
        threads = count ? PyLong_AsLong(count) : -1;
        Py_XDECREF(count);
        if (threads < 1) return PyErr_Occurred() ? -1 : 0;
    }
    const float *first = (const float *)x->data, *second = (const float *)y->data;
    PyObject *of_first = NULL, *of_second = NULL; /* copies of the operands */
    if (k >= engine.deep && 1.0 / (double)m + 1.0 / (double)n >= engine.in_place) {
        int is_bad_x = order_x == 'T' && apart_x % engine.stride == 0 && n >= engine.reused;
        int is_bad_y = apart_y % engine.stride == 0 && (order_y == 'N' ? m >= engine.reused
                                                                       : 2 * m >= engine.reused && m * k >= engine.turned);
        if (is_bad_x && !(of_first = with_gaps(first, k, m, &apart_x))) return -1;
        if (is_bad_y && !(of_second = with_gaps(second, order_y == 'N' ? k : n, order_y == 'N' ? n : k, &apart_y))) {
            Py_XDECREF(of_first);
            return -1;
        }
        if (of_first) first = (const float *)((Array *)of_first)->data;
        if (of_second) second = (const float *)((Array *)of_second)->data;
    }
    int is_thin = order_y == 'T' && m >= engine.least_rows && m <= engine.most_rows && k * n >= engine.least_elements;
    Py_ssize_t other_way[2] = {n, m};
    PyObject *made = new_array(FLOAT32, 2, sizes), *other = made && is_thin ? new_array(FLOAT32, 2, other_way) : NULL;
    if (!made || (is_thin && !other)) {
        Py_XDECREF(made);
        Py_XDECREF(of_first);
        Py_XDECREF(of_second);
        return -1;
    }
    float *out = (float *)((Array *)made)->data, *across = other ? (float *)((Array *)other)->data : NULL;
    int status;
    if (engine.threads_now() != threads) engine.set_threads((int)threads);
    Py_BEGIN_ALLOW_THREADS /* the caller holds the operands */
    if (across) {
        status = engine.gemm('N', order_x == 'N' ? 'T' : 'N', n, m, k, 1.0f, second, apart_y, first, apart_x, 0.0f, across, m);
        turn(across, m, n, m, out, n);
    } else status = engine.gemm(order_x, order_y, m, n, k, 1.0f, first, apart_x, second, apart_y, 0.0f, out, n);
    Py_END_ALLOW_THREADS
    Py_XDECREF(other);
    Py_XDECREF(of_first);
    Py_XDECREF(of_second);
    if (status) { /* `multiply` says what failed */
        Py_DECREF(made);
        return 0;
    }
    *result = made;
    return 1;
}

static PyObject *turned(PyObject *given, int turns) {
    Array *x = (Array *)given;
    if (!turns) return Py_NewRef(given);
    Py_ssize_t sizes[2] = {x->dimensions[1], x->dimensions[0]}, strides[2] = {x->strides[1], x->strides[0]};
    PyObject *view = new_view(given, 2, sizes, strides, x->data);
    if (view) ((Array *)view)->flags |= ALIGNED; /* as that is which it shows */
    return view;
}

/* The multiplications of a product; -1 where the sizes do not fit, or it is none of the small ones. */
static Py_ssize_t multiplications(const Py_ssize_t *x, int turns_x, const Py_ssize_t *y, int turns_y) {
    Py_ssize_t rows = x[turns_x], inner = x[!turns_x], columns = y[!turns_y];
    if (y[turns_y] != inner || rows > served.large || inner > served.large || columns > served.large) return -1;
    if (rows * inner > served.large || rows * inner * columns > served.large) return -1;
    return rows * inner * columns;
}

/* x @ y, or of the turned ones, `count` multiplications: as `_matmul` in products.py, or by `dot` in any case. */
static PyObject *product(PyObject *x, int turns_x, PyObject *y, int turns_y, Py_ssize_t count, int by_dot) {
    PyObject *arguments[2] = {turned(x, turns_x), turned(y, turns_y)}, *made = NULL;
    Quiet quiet;
    if (arguments[0] && arguments[1] && hush(&quiet, 1) == 0) {
        if (by_dot) made = PyObject_VectorcallMethod(str_dot, arguments, 2, NULL);
        else if (((Array *)arguments[0])->dimensions[1] == 1) made = PyNumber_Multiply(arguments[0], arguments[1]);
        else if (count <= served.one_thread) made = PyObject_VectorcallMethod(str_dot, arguments, 2, NULL);
        else made = PyObject_Vectorcall(served.matmul, arguments, 2, NULL);
        if (speak(&quiet) < 0) Py_CLEAR(made);
    }
    Py_XDECREF(arguments[0]);
    Py_XDECREF(arguments[1]);
    return made;
}

/* A column times a row, where that is many elements, which are products of two: 1; 0 where it is not, -1 with an error. */
static int column_by_row(PyObject *x, int turns_x, PyObject *y, int turns_y, PyObject **result) {
    const Py_ssize_t *of_x = ((Array *)x)->dimensions, *of_y = ((Array *)y)->dimensions;
    if (of_x[!turns_x] != 1 || of_y[turns_y] != 1 || of_x[turns_x] < 2 || of_y[!turns_y] < LEAST_OF_ROW
        || of_x[turns_x] * of_y[!turns_y] < LEAST_OF_OUTER) return 0;
    PyObject *column = turned(x, turns_x), *row = turned(y, turns_y), *made = column && row ? product_of_elements(column, row) : NULL;
    Py_XDECREF(column);
    Py_XDECREF(row);
    if (!made) return -1;
    *result = made;
    if (made != Py_NotImplemented) return 1;
    Py_CLEAR(*result);
    return 0;
}

/* x @ y, or of the turned ones, in compiled code: 1; 0 for what it leaves, -1 with an error. */
static int by_own_code(PyObject *x, int turns_x, PyObject *y, int turns_y, PyObject **result) {
    if (!are_panels_offered() || (turns_x && turns_y)) return 0;
    if (turns_x || turns_y) {
        PyObject *made = turns_x ? turned_product_of(x, y) : row_products_of(x, y);
        if (made != Py_NotImplemented) return (*result = made) ? 1 : -1;
        Py_DECREF(made);
    }
    return turns_x ? 0 : product_by_panels(x, y, turns_y, result);
}

/* x @ y, or of the turned ones, by what their kernel calls: 1; 0 where that has to, -1 with an error. */
static int any_product(PyObject *x, int turns_x, PyObject *y, int turns_y, int by_dot, PyObject **result) {
    int is_outer = column_by_row(x, turns_x, y, turns_y, result);
    if (is_outer) return is_outer;
    Py_ssize_t count = multiplications(((Array *)x)->dimensions, turns_x, ((Array *)y)->dimensions, turns_y);
    if (count < 0) {
        int fits = ((Array *)x)->dimensions[!turns_x] == ((Array *)y)->dimensions[turns_y];
        int ended = fits ? by_own_code(x, turns_x, y, turns_y, result) : 0;
        return ended ? ended : by_gemm(x, turns_x, y, turns_y, result);
    }
    *result = product(x, turns_x, y, turns_y, count, by_dot);
    return *result ? 1 : -1;
}

/* A view as a matrix of its rows of what has more than two dimensions, and a matrix itself: a new reference; NULL
   without an error where it is neither. */
static PyObject *rows_of(PyObject *given, PyObject *dtype) {
    Array *x = (Array *)given;
    if (is_matrix(given, dtype)) return Py_NewRef(given);
    if (!is_plain_array(given) || x->dimensions_count < 3 || (dtype && x->dtype != dtype)) return NULL;
    int kind = kind_of(x->dtype), count = x->dimensions_count;
    Py_ssize_t width = x->dimensions[count - 1], size = size_of(given), sizes[2] = {width ? size / width : 0, width};
    return (kind == FLOAT32 || kind == FLOAT64) && size > 0 ? new_view(given, 2, sizes, NULL, x->data) : NULL;
}

/* A matrix in the shape of another array but for the last dimension; takes the reference. */
static PyObject *shaped(PyObject *matrix, PyObject *like) {
    Array *as = (Array *)like;
    int count = as->dimensions_count;
    Py_ssize_t sizes[MOST_DIMENSIONS];
    if (!matrix || count == 2) return matrix;
    memcpy(sizes, as->dimensions, sizeof *sizes * (size_t)count);
    sizes[count - 1] = ((Array *)matrix)->dimensions[1];
    PyObject *made = new_view(matrix, count, sizes, NULL, ((Array *)matrix)->data);
    Py_DECREF(matrix);
    return made;
}

static PyObject *matmul(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int turns_x = 0, turns_y = 0;
    if (!served.matmul || count != 2 || Py_TYPE(inputs[0]) != array_type || !is_matrix(inputs[1], ((Array *)inputs[0])->dtype)
        || ((Array *)inputs[0])->dimensions_count > MOST_DIMENSIONS
        || (attrs && (truth_attribute(attrs, name_trans_x, &turns_x) < 0 || truth_attribute(attrs, name_trans_y, &turns_y) < 0))
        || (turns_x && ((Array *)inputs[0])->dimensions_count != 2))
        return declined_form();
    PyObject *x = rows_of(inputs[0], NULL), *result = NULL;
    if (!x) return PyErr_Occurred() ? NULL : declined_form();
    int ended = any_product(x, turns_x, inputs[1], turns_y, 0, &result);
    Py_DECREF(x);
    return ended < 0 ? NULL : ended ? shaped(result, inputs[0]) : declined_form();
}

/* Products of as many matrices: NumPy's function, without the way to it through a kernel in Python. */
static PyObject *batch_product(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    if (!served.matmul || count != 2 || (attrs && PyDict_GET_SIZE(attrs)) || Py_TYPE(inputs[0]) != array_type
        || Py_TYPE(inputs[1]) != array_type)
        return declined_form();
    Array *x = (Array *)inputs[0], *y = (Array *)inputs[1];
    if (x->dtype != y->dtype || kind_of(x->dtype) > FLOAT64 || kind_of(x->dtype) < 0 || x->dimensions_count != 3
        || y->dimensions_count != 3 || x->dimensions[0] != y->dimensions[0] || x->dimensions[2] != y->dimensions[1])
        return declined_form();
    Py_ssize_t each = multiplications(x->dimensions + 1, 0, y->dimensions + 1, 0);
    if (each < 0 || each * x->dimensions[0] > served.large) return declined_form(); /* an engine is asked for these */
    return quiet_call(served.matmul, inputs, 2, NULL);
}

const FormEntry product_forms[] = {{"matmul", matmul, NULL, 1}, {"bmm", batch_product, NULL}, {NULL, NULL, NULL}};

/* Weights that a backward walk has met, and a turned copy of those that it met again: a thin product with a matrix that is
   read by columns takes up to three times as long as by rows. A recurrent cell's weight is met at each of its steps. What
   nodes saved does not change while they are walked over, or they raise; so a copy holds to the end of its walk. */
enum { MET = 8, MOST_TURNED = 1 << 19, MOST_THIN = 256 };
static struct {
    PyThreadState *thread; /* that walks */
    int next;
    struct { PyObject *matrix, *copy; } each[MET];
} met;

void begin_walk_of_products(void) {
    end_walk_of_products();
    met.thread = PyThreadState_Get();
}

void end_walk_of_products(void) {
    met.thread = NULL;
    for (int n = 0; n < MET; n++) {
        PyObject *matrix = met.each[n].matrix, *copy = met.each[n].copy;
        met.each[n].matrix = met.each[n].copy = NULL;
        Py_XDECREF(matrix);
        Py_XDECREF(copy);
    }
}

/* A turned copy of a weight that this walk has met before, a new reference; NULL without an error where there is none to
   be had: it is met for the first time, the product with `rows` rows is none of those that win, or memory is short. */
static PyObject *turned_copy(PyObject *given, Py_ssize_t rows) {
    Array *y = (Array *)given;
    Py_ssize_t count = y->dimensions[0], width = y->dimensions[1], apart = y->strides[0] / 4;
    if (!met.thread || PyThreadState_Get() != met.thread || y->dtype != dtypes_by_kind[FLOAT32] || rows < 8
        || rows > MOST_THIN || width < 64 || count < 16 || width > MOST_TURNED / count || y->strides[1] != 4
        || y->strides[0] < 4 * width || y->strides[0] % 4 || (double)rows * (double)width * (double)count <= MOST_TURNED / 2)
        return NULL;
    int n = 0;
    while (n < MET && met.each[n].matrix != given) n++;
    if (n == MET) {
        n = met.next++ % MET;
        PyObject *matrix = met.each[n].matrix, *copy = met.each[n].copy;
        met.each[n].matrix = Py_NewRef(given), met.each[n].copy = NULL;
        Py_XDECREF(matrix);
        Py_XDECREF(copy);
        return NULL;
    }
    if (!met.each[n].copy) {
        Py_ssize_t gap = engine.gemm && count % engine.stride == 0 ? engine.gap : 0, wide = count + gap;
        Py_ssize_t sizes[2] = {width, wide}, seen[2] = {width, count}, strides[2] = {4 * wide, 4};
        PyObject *made = new_array(FLOAT32, 2, sizes), *copy = NULL;
        if (made) {
            turn((const float *)y->data, apart, count, width, (float *)((Array *)made)->data, wide);
            copy = gap ? new_view(made, 2, seen, strides, ((Array *)made)->data) : Py_NewRef(made);
            Py_DECREF(made);
            if (copy) ((Array *)copy)->flags |= ALIGNED;
        }
        if (!copy) {
            PyErr_Clear();
            return NULL;
        }
        met.each[n].copy = copy;
    }
    return Py_NewRef(met.each[n].copy);
}

/* The gradients of a product of two matrices: as `product_gradients` says. */
static int of_matrices(PyObject *g, PyObject *x, PyObject *y, int turns_x, int turns_y, PyObject *const *edges,
                       int may_wait, int may_dot, PyObject **found) {
    const Py_ssize_t *of_x = ((Array *)x)->dimensions, *of_y = ((Array *)y)->dimensions, *of_g = ((Array *)g)->dimensions;
    if (of_x[!turns_x] != of_y[turns_y] || of_g[0] != of_x[turns_x] || of_g[1] != of_y[!turns_y]) return 0;
    Py_ssize_t count = multiplications(of_x, turns_x, of_y, turns_y);
    int is_straight = !turns_x && !turns_y, ended = 1;
    int by_dot = may_dot && is_straight && count >= 0 && count <= served.one_thread;
    if (edges[0] == Py_None) found[0] = Py_NewRef(Py_None);
    else if (turns_x) ended = any_product(y, turns_y, g, 1, by_dot, found);
    else {
        PyObject *copy = turns_y || by_dot ? NULL : turned_copy(y, of_g[0]);
        ended = copy ? any_product(g, 0, copy, 0, 0, found) : any_product(g, 0, y, !turns_y, by_dot, found);
        Py_XDECREF(copy);
    }
    if (ended <= 0) return ended;
    if (edges[1] == Py_None) found[1] = Py_NewRef(Py_None);
    else if (is_straight && !by_dot && may_wait && of_g[0] <= served.rows) {
        PyObject *arguments[3] = {served.of_weight, x, g};
        if (!(found[1] = PyObject_Vectorcall(served.deferred, arguments, 3, NULL))) ended = -1;
    } else if (turns_y) ended = any_product(g, 1, x, turns_x, by_dot, found + 1);
    else ended = any_product(x, !turns_x, g, 0, by_dot, found + 1);
    if (ended <= 0) Py_CLEAR(found[0]);
    return ended;
}

int product_gradients(PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges, const int *are_leaves,
                      PyObject **found) {
    int turns_x = 0, turns_y = 0;
    if (!served.matmul || PyTuple_GET_SIZE(saved) != 2 || !PyDict_CheckExact(attrs) || Py_TYPE(g) != array_type) return 0;
    PyObject *x = PyTuple_GET_ITEM(saved, 0), *y = PyTuple_GET_ITEM(saved, 1), *dtype = ((Array *)g)->dtype;
    if (Py_TYPE(x) != array_type || !is_matrix(y, dtype) || truth_attribute(attrs, name_trans_x, &turns_x) < 0
        || truth_attribute(attrs, name_trans_y, &turns_y) < 0)
        return 0;
    int rank = ((Array *)x)->dimensions_count;
    if (rank == 2) {
        if (!is_matrix(g, NULL) || !is_matrix(x, dtype)) return 0;
        return of_matrices(g, x, y, turns_x, turns_y, edges, are_leaves[1] && !are_leaves[0], 1, found);
    }
    if (turns_x || rank > MOST_DIMENSIONS || ((Array *)g)->dimensions_count != rank) return 0;
    PyObject *rows_g = rows_of(g, NULL), *rows_x = rows_g ? rows_of(x, dtype) : NULL;
    int ended = rows_x ? of_matrices(rows_g, rows_x, y, 0, turns_y, edges, 0, 0, found) : PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(rows_g);
    Py_XDECREF(rows_x);
    if (ended > 0 && found[0] != Py_None && !(found[0] = shaped(found[0], x))) {
        Py_CLEAR(found[1]);
        ended = -1;
    }
    return ended;
}
