/* Layers on small arrays, within the rounding of their kernels: convolution, layer normalization, cross entropy,
likelihood of classes. */
#include "_vectors.h"

#include <math.h>

enum { MOST_PRODUCTS = 1 << 14 }; /* of a convolution: oneDNN catches up with more */

/* A tuple of new arrays of one kind, each with so many of the sizes that are given for it; NULL with an error. */
static PyObject *new_arrays(int kind, int count, const int *ranks, const Py_ssize_t *const *sizes) {
    PyObject *all = PyTuple_New(count);
    for (int n = 0; all && n < count; n++) {
        PyObject *one = new_array(kind, ranks[n], sizes[n]);
        if (!one) Py_CLEAR(all);
        else PyTuple_SET_ITEM(all, n, one);
    }
    return all;
}

static void *data_of(PyObject *arrays, int n) { return ((Array *)PyTuple_GET_ITEM(arrays, n))->data; }

/* Convolution of images [n, c, h, w] with filters [m, c, kh, kw] */

typedef struct {
    Py_ssize_t images, channels, height, width, filters, kernel[2], step[2], before[2], apart[2], out[2];
} Convolution;

#define CONVOLVE(NAME, T) \
    static void NAME(const Convolution *c, const T *x, const T *w, T *out) { \
        Py_ssize_t plane = c->out[0] * c->out[1]; \
        memset(out, 0, sizeof(T) * (size_t)(c->images * c->filters * plane)); \
        for (Py_ssize_t image = 0; image < c->images; image++) \
            for (Py_ssize_t filter = 0; filter < c->filters; filter++, out += plane) \
                for (Py_ssize_t channel = 0; channel < c->channels; channel++) { \
                    const T *from = x + (image * c->channels + channel) * c->height * c->width; \
                    const T *by = w + (filter * c->channels + channel) * c->kernel[0] * c->kernel[1]; \
                    for (Py_ssize_t p = 0; p < c->kernel[0]; p++) \
                        for (Py_ssize_t q = 0; q < c->kernel[1]; q++, by++) { \
                            Py_ssize_t left = q * c->apart[1] - c->before[1], first = 0, last = c->out[1]; \
                            while (first < last && first * c->step[1] + left < 0) first++; \
                            while (last > first && (last - 1) * c->step[1] + left >= c->width) last--; \
                            for (Py_ssize_t i = 0; i < c->out[0]; i++) { \
                                Py_ssize_t row = i * c->step[0] + p * c->apart[0] - c->before[0]; \
                                if (row < 0 || row >= c->height) continue; \
                                T *target = out + i * c->out[1]; \
                                const T *source = from + row * c->width + left; \
                                for (Py_ssize_t j = first; j < last; j++) target[j] += *by * source[j * c->step[1]]; \
                            } \
                        } \
                } \
    }

CONVOLVE(convolve_f, float)
CONVOLVE(convolve_d, double)

/* Two numbers of an attribute, or what stands for both. */
static int pair_attribute(PyObject *attrs, PyObject *name, Py_ssize_t usual, Py_ssize_t least, Py_ssize_t *pair) {
    Py_ssize_t given[MOST_DIMENSIONS], count = 0;
    if (integers_attribute(attrs, name, given, &count) < 0 || (count && count != 2)) return 0;
    for (int n = 0; n < 2; n++) {
        pair[n] = count ? given[n] : usual;
        if (pair[n] < least || pair[n] > MOST_ELEMENTS) return 0;
    }
    return 1;
}

static PyObject *convolution(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Convolution c;
    Py_ssize_t groups = 1;
    if (count != 2 || !attrs || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])) return declined_form();
    Array *x = (Array *)inputs[0], *w = (Array *)inputs[1];
    int kind = kind_of(x->dtype);
    if ((kind != FLOAT32 && kind != FLOAT64) || w->dtype != x->dtype || x->dimensions_count != 4 || w->dimensions_count != 4
        || x->dimensions[1] != w->dimensions[1] || size_of(inputs[0]) < 1 || size_of(inputs[0]) > MOST_ELEMENTS
        || size_of(inputs[1]) < 1 || size_of(inputs[1]) > MOST_ELEMENTS || integer_attribute(attrs, name_groups, &groups) < 0
        || groups != 1 || !text_attribute(attrs, name_data_format, "NCHW") || !text_attribute(attrs, name_padding_algorithm, "EXPLICIT")
        || !pair_attribute(attrs, name_strides, 1, 1, c.step) || !pair_attribute(attrs, name_paddings, 0, 0, c.before)
        || !pair_attribute(attrs, name_dilations, 1, 1, c.apart))
        return declined_form();
    c.images = x->dimensions[0], c.channels = x->dimensions[1], c.height = x->dimensions[2], c.width = x->dimensions[3];
    c.filters = w->dimensions[0];
    for (int n = 0; n < 2; n++) {
        c.kernel[n] = w->dimensions[2 + n];
        Py_ssize_t reach = (c.kernel[n] - 1) * c.apart[n] + 1, size = x->dimensions[2 + n] + 2 * c.before[n];
        if (size < reach) return declined_form();
        c.out[n] = (size - reach) / c.step[n] + 1;
    }
    if (c.images * c.filters * c.out[0] * c.out[1] > MOST_PRODUCTS
        || c.images * c.filters * c.out[0] * c.out[1] * c.channels * c.kernel[0] * c.kernel[1] > MOST_PRODUCTS)
        return declined_form();
    Py_ssize_t sizes[4] = {c.images, c.filters, c.out[0], c.out[1]};
    PyObject *result = new_array(kind, 4, sizes);
    if (!result) return NULL;
    void *data = x->data, *by = w->data, *out = ((Array *)result)->data;
    if (kind == FLOAT32) convolve_f(&c, data, by, out);
    else convolve_d(&c, data, by, out);
    return result;
}

/* Layer normalization: rows become (x - mean) / sqrt(variance + epsilon) * scale + bias. */

#define NORMALIZE(NAME, T) \
    static int NAME(const T *x, const T *scale, const T *bias, T *y, T *mean, T *variance, Py_ssize_t rows, Py_ssize_t count, \
                    double epsilon) { \
        for (Py_ssize_t row = 0; row < rows; row++, x += count, y += count) { \
            double sum = 0, squares = 0; \
            for (Py_ssize_t n = 0; n < count; n++) sum += x[n]; \
            sum /= (double)count; \
            for (Py_ssize_t n = 0; n < count; n++) squares += (x[n] - sum) * (x[n] - sum); \
            squares /= (double)count; \
            if (!isfinite(squares)) return 0; \
            double inverse = 1.0 / sqrt(squares + epsilon); \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T one = (T)((x[n] - sum) * inverse); \
                if (scale) one *= scale[n]; \
                y[n] = bias ? one + bias[n] : one; \
            } \
            mean[row] = (T)sum, variance[row] = (T)squares; \
        } \
        return 1; \
    }

NORMALIZE(normalize_f, float)
NORMALIZE(normalize_d, double)

static PyObject *layer_norm(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t begin = 1, rows = 1, along = 1;
    double epsilon = 1e-5;
    if (count < 1 || count > 3 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_begin_norm_axis, &begin) < 0
        || number_attribute(attrs, name_epsilon, &epsilon) < 0 || !(epsilon > 0))
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if ((kind != FLOAT32 && kind != FLOAT64) || size < 1 || size > MOST_ELEMENTS || begin < 1 || begin >= rank)
        return declined_form();
    for (int n = 0; n < rank; n++) *(n < begin ? &rows : &along) *= x->dimensions[n];
    void *given[3] = {x->data, NULL, NULL};
    for (Py_ssize_t n = 1; n < count; n++) {
        if (inputs[n] == Py_None) continue;
        if (!is_plain_array(inputs[n]) || ((Array *)inputs[n])->dtype != x->dtype || size_of(inputs[n]) != along)
            return declined_form();
        given[n] = ((Array *)inputs[n])->data;
    }
    PyObject *made = new_arrays(kind, 3, (int[]){rank, (int)begin, (int)begin},
                                (const Py_ssize_t *const[]){x->dimensions, x->dimensions, x->dimensions});
    if (!made) return NULL;
    void *y = data_of(made, 0), *mean = data_of(made, 1), *variance = data_of(made, 2);
    if (kind == FLOAT32 ? normalize_f(given[0], given[1], given[2], y, mean, variance, rows, along, epsilon)
                        : normalize_d(given[0], given[1], given[2], y, mean, variance, rows, along, epsilon))
        return made;
    Py_DECREF(made);
    return declined_form();
}

/* Cross entropy of rows with class numbers: the mean, softmax, each loss, and how many count. */

#define CROSS_ENTROPY(NAME, T, EXP) \
    static int NAME(const T *x, const int64_t *label, T *mean, T *softmax, T *losses, T *counted, Py_ssize_t rows, \
                    Py_ssize_t classes, Py_ssize_t ignored) { \
        double total = 0; \
        Py_ssize_t count = 0; \
        for (Py_ssize_t row = 0; row < rows; row++, x += classes, softmax += classes) { \
            T largest = x[0]; \
            double sum = 0; \
            for (Py_ssize_t n = 1; n < classes; n++) largest = x[n] > largest ? x[n] : largest; \
            for (Py_ssize_t n = 0; n < classes; n++) sum += softmax[n] = EXP(x[n] - largest); \
            if (!isfinite(sum)) return 0; \
            for (Py_ssize_t n = 0; n < classes; n++) softmax[n] = (T)(softmax[n] / sum); \
            losses[row] = 0; \
            if (label[row] == ignored) continue; \
            if (label[row] < 0 || label[row] >= classes) return 0; \
            losses[row] = (T)log(sum) - (x[label[row]] - largest); \
            total += losses[row]; \
            count++; \
        } \
        *counted = (T)(count ? count : 1); \
        *mean = (T)total / *counted; \
        return isfinite(*mean) != 0; \
    }

CROSS_ENTROPY(cross_entropy_f, float, expf)
CROSS_ENTROPY(cross_entropy_d, double, exp)

static int cross_entropy_by_vectors(const float *x, const int64_t *label, float *mean, float *softmax, float *losses,
                                    float *counted, Py_ssize_t rows, Py_ssize_t classes, Py_ssize_t ignored) {
    double total = 0, logsums[MOST_ELEMENTS_WIDE / LEAST_OF_SOFTMAX];
    Py_ssize_t count = 0;
    if (!softmax_rows(x, softmax, logsums, rows, classes)) return 0;
    for (Py_ssize_t row = 0; row < rows; row++) {
        losses[row] = 0;
        if (label[row] == ignored) continue;
        if (label[row] < 0 || label[row] >= classes) return 0;
        losses[row] = (float)(logsums[row] - (double)x[row * classes + label[row]]);
        total += (double)losses[row];
        count++;
    }
    *counted = (float)(count ? count : 1);
    *mean = (float)total / *counted;
    return isfinite(*mean) != 0;
}

static PyObject *cross_entropy(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1, ignored = -100;
    int normalizes = 1;
    if (count != 2 || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])
        || integer_attribute(attrs, name_axis, &axis) < 0 || integer_attribute(attrs, name_ignore_index, &ignored) < 0
        || truth_attribute(attrs, name_use_softmax, &normalizes) < 0 || !normalizes)
        return declined_form();
    Array *x = (Array *)inputs[0], *label = (Array *)inputs[1];
    int kind = kind_of(x->dtype);
    Py_ssize_t size = size_of(inputs[0]);
    if ((kind != FLOAT32 && kind != FLOAT64) || x->dimensions_count != 2 || size < 1 || (axis != -1 && axis != 1)
        || kind_of(label->dtype) != INT64
        || !(label->dimensions_count == 1 || (label->dimensions_count == 2 && label->dimensions[1] == 1))
        || label->dimensions[0] != x->dimensions[0])
        return declined_form();
    const Py_ssize_t each[2] = {x->dimensions[0], 1};
    int is_wide = kind == FLOAT32 && HAS_VECTORS && x->dimensions[1] >= LEAST_OF_SOFTMAX;
    if (size > (is_wide ? most_elements() : MOST_ELEMENTS)) return declined_form();
    PyObject *made = new_arrays(kind, 4, (int[]){0, 2, 2, 0}, (const Py_ssize_t *const[]){each, x->dimensions, each, each});
    if (!made) return NULL;
    void *data = x->data, *labels = label->data, *out[4];
    for (int n = 0; n < 4; n++) out[n] = data_of(made, n);
    if (kind == FLOAT32
            ? (is_wide ? cross_entropy_by_vectors : cross_entropy_f)(data, labels, out[0], out[1], out[2], out[3], each[0],
                                                                     x->dimensions[1], ignored)
            : cross_entropy_d(data, labels, out[0], out[1], out[2], out[3], each[0], x->dimensions[1], ignored))
        return made;
    Py_DECREF(made);
    return declined_form();
}

/* Negative log likelihood of a class for each row, its sum or mean, and how many rows are counted: of few elements as
   NumPy adds them, else one after the other, as the loop does. 0 where a kernel says what is wrong, or that is NaN. */
enum { LEAST_OF_NLL_LOOP = 256, MOST_OF_NLL = 128 };
#define NLL(NAME, T, PAIRWISE_SUM) \
    static int NAME(const void *given, const int64_t *label, Py_ssize_t rows, Py_ssize_t classes, Py_ssize_t ignored, \
                    int is_mean, void *losses, void *result, void *counted) { \
        const T *x = given; \
        T *loss = losses, *out = result, sum = 0, total = 0; \
        for (Py_ssize_t n = 0; n < rows; n++, x += classes) { \
            int counts = label[n] != ignored; \
            if (counts && (label[n] < 0 || label[n] >= classes)) return 0; \
            loss[n] = counts ? -x[label[n]] : (T)0; \
            sum += loss[n]; \
            total += (T)counts; \
        } \
        *(T *)counted = total; \
        if (!out) return isfinite(sum) != 0; \
        if (rows * classes < LEAST_OF_NLL_LOOP) sum = PAIRWISE_SUM(loss, rows); \
        *out = is_mean ? sum / total : sum; \
        return total > 0 && isfinite(sum); \
    }

NLL(nll_f, float, sum_of_floats)
NLL(nll_d, double, sum_of_doubles)

static PyObject *nll(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t ignored = -100;
    if (count < 2 || (count > 2 && inputs[2] != Py_None) || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])
        || integer_attribute(attrs, name_ignore_index, &ignored) < 0)
        return declined_form();
    Array *x = (Array *)inputs[0], *label = (Array *)inputs[1];
    int kind = kind_of(x->dtype), is_mean = text_attribute(attrs, name_reduction, "mean");
    int is_sum = text_attribute(attrs, name_reduction, "sum"), keeps = text_attribute(attrs, name_reduction, "none");
    if ((kind != FLOAT32 && kind != FLOAT64) || kind_of(label->dtype) != INT64 || x->dimensions_count != 2
        || label->dimensions_count != 1 || label->dimensions[0] != x->dimensions[0] || !(is_mean || is_sum || keeps))
        return declined_form();
    Py_ssize_t rows = x->dimensions[0], classes = x->dimensions[1], size = rows * classes;
    if (size < 1 || size > MOST_ELEMENTS || (size < LEAST_OF_NLL_LOOP && rows > MOST_OF_NLL)) return declined_form();
    double work[MOST_ELEMENTS];
    keeps = !is_mean && !is_sum;
    PyObject *loss = new_array(kind, keeps, &rows), *total = loss ? new_array(kind, 0, NULL) : NULL;
    PyObject *result = total ? PyTuple_Pack(2, loss, total) : NULL;
    Py_XDECREF(loss);
    Py_XDECREF(total);
    if (!result) return NULL;
    void *out = ((Array *)loss)->data, *counted = ((Array *)total)->data;
    if ((kind == FLOAT32 ? nll_f : nll_d)(x->data, (const int64_t *)(const void *)label->data, rows, classes, ignored, is_mean,
                                          keeps ? out : work, keeps ? NULL : out, counted))
        return result;
    Py_DECREF(result);
    return declined_form();
}

const FormEntry layer_forms[] = {{"convolution", convolution, NULL}, {"layer_norm", layer_norm, NULL},
                                 {"cross_entropy", cross_entropy, NULL}, {"nll", nll, NULL}, {NULL, NULL, NULL}};
