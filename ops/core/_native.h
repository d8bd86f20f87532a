/* What the files of the compiled form share: how arrays lie in memory, how they are made, and what a form is. */
#ifndef PROA_NATIVE_H
#define PROA_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#ifdef Py_GIL_DISABLED
#error "Reads and fills slots without locks: only for interpreters with a global lock."
#endif

#if defined(__GNUC__)
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

/* The head of an array as NumPy's ABI has it since 1.7; `looks_as_expected` checks it before anything relies on it. */
typedef struct {
    PyObject_HEAD
    char *data;
    int dimensions_count;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *dtype;
    int flags;
} Array;

enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 }; /* flags of arrays */
/* Of what forms compute: NumPy's loops catch up with more; those of wide vectors take longer to be caught up with. */
enum { MOST_DIMENSIONS = 32, MOST_ELEMENTS = 2048, MOST_ELEMENTS_WIDE = 1 << 15 };

/* The dtypes that forms compute with, as NumPy has them once a process: by identity. */
enum { FLOAT32, FLOAT64, INT64, INT32, BOOL, UINT8, INT8, INT16, FLOAT16, COMPLEX64, COMPLEX128, KINDS, NO_KIND = -1 };
extern HIDDEN PyObject *dtypes_by_kind[KINDS];
extern HIDDEN const Py_ssize_t sizes_by_kind[KINDS];
extern HIDDEN PyTypeObject *array_type;
/* Whether loops run that were compiled for vectors as wide as NumPy's (on x86-64 of 32 bytes), and for ones of 64. */
extern HIDDEN int has_wide_vectors, has_widest_vectors;

static inline Py_ssize_t most_elements(void) { return has_wide_vectors ? MOST_ELEMENTS_WIDE : MOST_ELEMENTS; }

static inline Py_ssize_t size_of(PyObject *array) {
    Py_ssize_t size = 1;
    for (int n = 0; n < ((Array *)array)->dimensions_count; n++) size *= ((Array *)array)->dimensions[n];
    return size;
}

static inline int kind_of(PyObject *dtype) {
    for (int kind = 0; kind < KINDS; kind++)
        if (dtypes_by_kind[kind] == dtype) return kind;
    return NO_KIND;
}

/* What a weak reference leads to, borrowed for as long as nothing runs; NULL where that is gone. */
static inline PyObject *referent_of(PyObject *reference) {
    PyObject *found = ((PyWeakReference *)reference)->wr_object;
    return found == Py_None || Py_REFCNT(found) <= 0 ? NULL : found;
}

/* Whether it is an array of NumPy's own whose elements lie one behind the other. */
static inline int is_plain_array(PyObject *x) {
    return Py_TYPE(x) == array_type && (((Array *)x)->flags & (C_CONTIGUOUS | ALIGNED)) == (C_CONTIGUOUS | ALIGNED);
}

/* Whether it is an array of NumPy's own whose elements, of `item` bytes, fill one piece of memory, in any order of its
   dimensions. */
static inline int is_dense_array(PyObject *x, Py_ssize_t item) {
    Array *array = (Array *)x;
    if (Py_TYPE(x) != array_type || !(array->flags & ALIGNED) || array->dimensions_count > MOST_DIMENSIONS) return 0;
    if (array->flags & C_CONTIGUOUS) return 1;
    Py_ssize_t size = size_of(x), filled = item;
    for (int found = size > 1; found;) { /* each dimension in turn, the one with the smallest step first */
        found = 0;
        for (int n = 0; n < array->dimensions_count && !found; n++)
            if (array->dimensions[n] > 1 && array->strides[n] == filled) filled *= array->dimensions[n], found = 1;
    }
    return size > 0 && filled == size * item;
}

/* Whether the elements of an array, of `item` bytes, are rows of neighbours, those of the dimensions from `axis` on, which
   begin equally far apart, and how far. */
static inline int are_rows(const Array *x, int axis, Py_ssize_t item, Py_ssize_t *apart) {
    Py_ssize_t filled = item, next = 0;
    int n = x->dimensions_count;
    if (!(x->flags & ALIGNED)) return 0;
    while (--n >= axis) {
        if (x->dimensions[n] != 1 && x->strides[n] != filled) return 0;
        filled *= x->dimensions[n];
    }
    *apart = filled;
    for (int is_first = 1; n >= 0; n--) {
        if (x->dimensions[n] == 1) continue;
        if (is_first) *apart = x->strides[n];
        else if (x->strides[n] != next) return 0;
        is_first = 0;
        next = x->strides[n] * x->dimensions[n];
    }
    return 1;
}

/* The numbers of a plain array of float32 of this size; NULL for None, or, with `fits` 0, for something else. */
static inline const float *numbers_of(PyObject *given, Py_ssize_t count, int *fits) {
    if (given == Py_None) return NULL;
    if (is_plain_array(given) && ((Array *)given)->dtype == dtypes_by_kind[FLOAT32] && size_of(given) == count)
        return (const float *)((Array *)given)->data;
    *fits = 0;
    return NULL;
}

/* A new array, its elements not set; one whose elements fill its memory in another order; one that shows another's memory, `strides` NULL where they follow one another. */
HIDDEN PyObject *new_array(int kind, int count, const Py_ssize_t *dimensions);
HIDDEN PyObject *new_array_lying(int kind, int count, const Py_ssize_t *dimensions, const Py_ssize_t *strides);
HIDDEN PyObject *new_array_like(int kind, PyObject *dense); /* whose elements lie in the order of this one's */
/* The values of an array in one that lies as another of its dimensions does: a new reference, NULL with an error,
   NotImplemented where more than some neighbouring dimensions lie the other way round. Both fill their memory. */
HIDDEN PyObject *lying_as(PyObject *x, PyObject *dense);
HIDDEN PyObject *new_view(PyObject *of, int count, const Py_ssize_t *dimensions, const Py_ssize_t *strides, char *data);
HIDDEN int arrays_can_be_made(void);

/* A form computes what an operator's kernel does, for small arrays that lie as it wants them, or declines by giving
   NotImplemented: then the kernel is called. It has no effect before it declines, and declines instead of failing, but
   for want of memory. `attrs` is a dict, or NULL where there are none; `inputs` has None where nothing is given. */
typedef PyObject *(*FormFunction)(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs);

typedef struct {
    const char *name;
    FormFunction function;
    const void *with;   /* what it is told of the operator */
    int takes_any_size; /* it is asked before a library or a generated loop is, however large its operands are */
} FormEntry;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    FormFunction function;
    const void *with;
    PyObject *kernel; /* what computes the rest */
    int is_direct;    /* called with the inputs alone, as NumPy's functions are */
    int takes_any_size;
} Form;

extern HIDDEN PyTypeObject *form_type;
extern HIDDEN const FormEntry elementwise_forms[], shape_forms[], reduction_forms[], making_forms[], network_forms[],
    order_forms[], part_forms[], layer_forms[], product_forms[], softmax_forms[], gate_forms[],
    attention_forms[], along_forms[], rule_forms[];

static inline int takes_any_size(PyObject *kernel) {
    return Py_TYPE(kernel) == form_type && ((Form *)kernel)->takes_any_size;
}

static inline PyObject *declined_form(void) { Py_RETURN_NOTIMPLEMENTED; }

HIDDEN int add_forms(PyObject *module); /* the type Form; -1 with an error */
HIDDEN PyObject *make_form(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *serve_arrays(PyObject *module, PyObject *arguments);
HIDDEN PyObject *bound_routine(PyObject *module, PyObject *arguments);
HIDDEN PyObject *line_of_routines(PyObject *module, PyObject *arguments);
HIDDEN PyObject *line_of_loops(PyObject *module, PyObject *arguments);
HIDDEN PyObject *run_passes(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *code_of_steps(PyObject *module, PyObject *arguments);
HIDDEN PyObject *pack_weight(PyObject *module, PyObject *arguments);
HIDDEN PyObject *read_message(PyObject *module, PyObject *arguments);
HIDDEN PyObject *multiply_weight(PyObject *module, PyObject *arguments);
HIDDEN PyObject *filter_gradient(PyObject *module, PyObject *arguments);
HIDDEN PyObject *filter_gradient_tiles(PyObject *module, PyObject *arguments);
HIDDEN PyObject *convolve_tiles(PyObject *module, PyObject *arguments);
HIDDEN PyObject *suit_tiles(PyObject *module, PyObject *arguments);
HIDDEN PyObject *serve_panels(PyObject *module, PyObject *arguments);
HIDDEN PyObject *turned_product(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *row_products(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
/* What it gives of two matrices. */
HIDDEN PyObject *turned_product_of(PyObject *x, PyObject *y);
HIDDEN PyObject *serve_quiet(PyObject *module, PyObject *arguments);
/* x @ w of matrices, by the panels that are kept of w, or without; or x @ wᵀ: 1; 0 for what is not taken, -1 with an error. */
HIDDEN int product_by_panels(PyObject *x, PyObject *w, int turns, PyObject **result);
HIDDEN int are_panels_offered(void);
HIDDEN PyObject *row_products_of(PyObject *x, PyObject *w); /* x @ wᵀ; NotImplemented for what it does not take */
HIDDEN PyObject *attend_by_panels(PyObject *module, PyObject *arguments);
HIDDEN PyObject *attend_gradient(PyObject *module, PyObject *arguments);
HIDDEN PyObject *has_fast_panels(PyObject *module, PyObject *nothing);
extern HIDDEN PyTypeObject *packed_type; /* of what it gives, NULL before; and how that is called */
HIDDEN PyObject *call_packed(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names);
HIDDEN PyObject *pool_windows(PyObject *module, PyObject *arguments);
HIDDEN PyObject *pool_gradient(PyObject *module, PyObject *arguments);
HIDDEN PyObject *gate_channels(PyObject *module, PyObject *arguments);
HIDDEN PyObject *turned_matrices(PyObject *module, PyObject *given);
HIDDEN PyObject *copied_in_order(PyObject *module, PyObject *given);
HIDDEN PyObject *copied_as(PyObject *module, PyObject *const *given, Py_ssize_t count);
HIDDEN PyObject *turn_into(PyObject *module, PyObject *const *given, Py_ssize_t count);
HIDDEN PyObject *plain_ranges(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
extern HIDDEN const char make_form_doc[], serve_arrays_doc[], bound_routine_doc[], line_of_routines_doc[],
    line_of_loops_doc[], run_passes_doc[], pack_weight_doc[], multiply_weight_doc[], serve_panels_doc[], serve_quiet_doc[],
    attend_doc[], filter_gradient_doc[], filter_gradient_tiles_doc[], convolve_tiles_doc[], pool_windows_doc[],
    pool_gradient_doc[], gate_channels_doc[], read_message_doc[], turned_matrices_doc[], copied_as_doc[], copied_in_order_doc[],
    turn_into_doc[], plain_ranges_doc[], suit_tiles_doc[],
    turned_product_doc[], row_products_doc[], attend_gradient_doc[], code_of_steps_doc[];

/* Between both NumPy tells nothing of floating-point errors: -1 with an error. `is_numpys`: no code of Python runs there.
   An error that is set when `speak` is called stays. */
typedef struct { PyObject *context, *token; } Quiet;
HIDDEN int hush(Quiet *how, int is_numpys);
HIDDEN int speak(Quiet *how);
/* Calls between both, as PyObject_VectorcallDict does. */
HIDDEN PyObject *quiet_call(PyObject *callable, PyObject *const *arguments, size_t count, PyObject *attrs);

/* The gradients of an operator's inputs, into `found`, by the programs of `Gradient.compiled`: 1; 0 where Python has to
   compute them, -1 with an error. `sums`: whether what is broadcast may be summed here. */
HIDDEN int rule_gradients(PyObject *compiled, PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges,
                          Py_ssize_t count, int sums, PyObject **found);
/* The same of a product with a matrix: `are_leaves` says of both inputs whether their gradient goes to a leaf. */
HIDDEN int product_gradients(PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges, const int *are_leaves,
                             PyObject **found);
/* Around a backward walk: what these gradients keep for its later products. */
HIDDEN void begin_walk_of_products(void);
HIDDEN void end_walk_of_products(void);
HIDDEN PyObject *serve_products(PyObject *module, PyObject *arguments);
HIDDEN PyObject *serve_gemm(PyObject *module, PyObject *arguments);
HIDDEN PyObject *serve_blas(PyObject *module, PyObject *arguments);
HIDDEN PyObject *shared_product(PyObject *module, PyObject *arguments);
extern HIDDEN const char shared_product_doc[];
extern HIDDEN const char serve_products_doc[], serve_gemm_doc[], serve_blas_doc[];
/* factor * x @ y into `out`, of float32, on one thread; `turns`: of the operand as it lies turned. 0 where it failed. The
   others say before whether a product of these sizes can be had, and whether one thread is to do so much. */
HIDDEN int product_into(float *out, Py_ssize_t apart, const float *x, Py_ssize_t apart_x, int turns_x, const float *y,
                        Py_ssize_t apart_y, int turns_y, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, float factor);
HIDDEN int is_product_at_hand(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k);
HIDDEN int is_for_one_thread(double multiplications);
HIDDEN PyObject *take_step(PyObject *module, PyObject *arguments);
HIDDEN PyObject *serve_steps(PyObject *module, PyObject *arguments);
extern HIDDEN const char take_step_doc[], serve_steps_doc[];
/* The classes of values and parameters of this thread's trace, new references, where it is exactly an EagerTrace, no
   results are looked at and nobody registered a kernel of the operator: 1, 0, or -1 with an error. */
HIDDEN int classes_undisturbed(PyObject *op, PyObject **of_values, PyObject **of_parameters);
HIDDEN Py_ssize_t offset_of(PyTypeObject *type, const char *name); /* of a slot of a class; -1 with an error */
/* 1 / (1 + exp(-x)) of each; `out` may be `x`. */
HIDDEN void sigmoid_of_floats(const float *x, float *out, Py_ssize_t count);
HIDDEN void sigmoid_of_doubles(const double *x, double *out, Py_ssize_t count);
/* Sums of neighbours, as NumPy adds them. */
HIDDEN float sum_of_floats(const float *x, Py_ssize_t count);
HIDDEN double sum_of_doubles(const double *x, Py_ssize_t count);
/* The elementwise product of two arrays, as the form of it gives it: it may decline. */
HIDDEN PyObject *product_of_elements(PyObject *x, PyObject *y);
/* `one + other`. */
HIDDEN PyObject *sum_of_arrays(PyObject *one, PyObject *other);

/* Attributes: 1 where one is given as said, 0 where it is left out, -1 where it is something else. Errors are cleared. */
HIDDEN int integer_in(PyObject *number, Py_ssize_t *value);
HIDDEN int integer_attribute(PyObject *attrs, PyObject *name, Py_ssize_t *value);
HIDDEN int truth_attribute(PyObject *attrs, PyObject *name, int *value);
HIDDEN int number_attribute(PyObject *attrs, PyObject *name, double *value);
/* Whether it is this text, or left out. */
HIDDEN int text_attribute(PyObject *attrs, PyObject *name, const char *text);
/* Integers of a list or tuple, at most MOST_DIMENSIONS. */
HIDDEN int integers_attribute(PyObject *attrs, PyObject *name, Py_ssize_t *values, Py_ssize_t *count);

/* Names of attributes, made once. */
#define NAMES(X) X(shape) X(axis) X(axes) X(dim) X(keep_dim) X(reduce_all) X(out_dtype) X(start_axis) \
    X(stop_axis) X(dtype) X(value) X(str_value) X(min) X(max) X(t_min) X(t_max) X(ksize) X(strides) X(paddings) X(pooling_type) \
    X(ceil_mode) X(exclusive) X(data_format) X(global_pooling) X(adaptive) X(padding_algorithm) X(keepdims) X(flatten) \
    X(reverse) X(threshold) X(alpha) X(slope) X(offset) X(scale) X(lambda) X(descending) X(k) \
    X(largest) X(rank) X(count) X(return_index) X(return_inverse) X(return_counts) X(is_sorted) X(starts) X(ends) X(decrease_axis) \
    X(pad_value) X(shifts) X(num_rows) X(num_columns) X(start) X(stop) X(end) X(step) X(num) X(unbiased) X(keepdim) X(dilations) \
    X(groups) X(begin_norm_axis) X(epsilon) X(ignore_index) X(use_softmax) X(padding_idx) X(sections) X(trans_x) X(trans_y) \
    X(causal) X(with_mask) X(bias) X(bias_after_scale) X(steps) X(decrease_axes) X(none_axes) X(accumulate) \
    X(diagonal) X(lower) X(Axis) X(Reduce) X(reduction) X(porder) X(asvector) X(low) X(high) X(inside) X(outside)
#define DECLARE(name) extern HIDDEN PyObject *name_##name;
NAMES(DECLARE)
#undef DECLARE

#endif
