/* The body of an elementwise loop over large arrays of float32, before machine code of its own is worth making.

backend/loops/steps.py writes it as steps: each computes a row of numbers of one or two others, of an operand's elements
or of one number. All steps run over a few elements, which stay in the nearest cache, then over the next ones. Each is
rounded for itself, as NumPy's functions one after the other would, so with the same bits; of two NaNs either may stay.
*/
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, NEGATIVE, OPERATIONS }; /* as steps.py counts them */
enum { BLOCK = 512, ROWS = 8, MOST_OPERANDS = 16, MOST_NUMBERS = 64, MOST_STEPS = 64 };
enum { OPERAND = 16, NUMBER = 64, RESULT = 255 }; /* places: rows before, operands and numbers from there on */

typedef struct {
    const float *operands[MOST_OPERANDS];
    int are_single[MOST_OPERANDS];
    const float *numbers;
} Given;

#define EACH(EXPRESSION) \
    for (Py_ssize_t n = 0; n < count; n++) to[n] = EXPRESSION; \
    break;
/* An operation on two rows, and on a row and a number on either side. */
#define THREE(WHICH, OF) \
    case 3 * WHICH: EACH(OF(x[n], y[n])) \
    case 3 * WHICH + 1: EACH(OF(x[n], b)) \
    case 3 * WHICH + 2: EACH(OF(a, y[n]))
#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))
#define QUOTIENT(x, y) ((x) / (y))
#define LARGER(x, y) ((x) < (y) ? (y) : (x)) /* a NaN of the first stays; the second is a number */
#define SMALLER(x, y) ((x) > (y) ? (y) : (x))
#define MINUS(x, y) (-(x))

INLINE void run_steps_body(const unsigned char *steps, Py_ssize_t length, const Given *given, Py_ssize_t size,
                           float *result) {
    float rows[ROWS][BLOCK];
    for (Py_ssize_t first = 0; first < size; first += BLOCK) {
        Py_ssize_t count = size - first < BLOCK ? size - first : BLOCK;
        for (Py_ssize_t step = 0; step < length; step += 4) {
            const float *sources[2];
            int are_numbers[2];
            for (int side = 0; side < 2; side++) {
                int place = steps[step + 2 + side], k = place - OPERAND;
                are_numbers[side] = place != RESULT && (place >= NUMBER || (place >= OPERAND && given->are_single[k]));
                sources[side] = place == RESULT ? result + first
                    : place >= NUMBER ? given->numbers + (place - NUMBER)
                    : place < OPERAND ? rows[place] : given->operands[k] + (given->are_single[k] ? 0 : first);
            }
            const float *x = sources[0], *y = sources[1];
            float a = *x, b = *y, *to = steps[step + 1] == RESULT ? result + first : rows[steps[step + 1]];
            if (are_numbers[0] && are_numbers[1]) { /* a row of the first */
                for (Py_ssize_t n = 0; n < count; n++) rows[ROWS - 1][n] = a;
                x = rows[ROWS - 1];
                are_numbers[0] = 0;
            }
            switch (3 * steps[step] + (are_numbers[1] ? 1 : are_numbers[0] ? 2 : 0)) {
            THREE(ADD, SUM)
            THREE(SUBTRACT, DIFFERENCE)
            THREE(MULTIPLY, PRODUCT)
            THREE(DIVIDE, QUOTIENT)
            THREE(MAXIMUM, LARGER)
            THREE(MINIMUM, SMALLER)
            THREE(NEGATIVE, MINUS)
            }
        }
    }
}
TWO_WAYS(run_steps, (const unsigned char *steps, Py_ssize_t length, const Given *given, Py_ssize_t size, float *result),
         (steps, length, given, size, result))

/* Whether steps keep to what is there: rows that were written, operands, numbers. The last row is not for them. */
static int are_sound(const unsigned char *steps, Py_ssize_t length, Py_ssize_t operands, Py_ssize_t numbers) {
    unsigned written = 0;
    int has_result = 0;
    if (length < 4 || length % 4 || length > 4 * MOST_STEPS) return 0;
    for (Py_ssize_t step = 0; step < length; step += 4) {
        if (steps[step] >= OPERATIONS) return 0;
        for (int side = 2; side < 4; side++) {
            int place = steps[step + side];
            if (place == RESULT ? !has_result : place >= NUMBER ? place - NUMBER >= numbers
                : place >= OPERAND ? place - OPERAND >= operands : place >= ROWS - 1 || !(written >> place & 1)) return 0;
        }
        if (steps[step + 1] == RESULT) has_result = 1;
        else if (steps[step + 1] >= ROWS - 1) return 0;
        else written |= 1u << steps[step + 1];
    }
    return has_result;
}

static int is_of_float32(PyObject *array) {
    return is_plain_array(array) && ((Array *)array)->dtype == dtypes_by_kind[FLOAT32];
}

const char run_passes_doc[] =
    "run_passes($module, steps, numbers, operands, result, /)\n--\n\n"
    "Fills the result by steps over operands of as many elements, or one: whether it did. `numbers`: the bytes of float32\n"
    "numbers. Arrays that are not plain ones of float32 it leaves alone.";

PyObject *run_passes(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 4 || !PyBytes_Check(arguments[0]) || !PyBytes_Check(arguments[1]) ||
        !(PyTuple_Check(arguments[2]) || PyList_Check(arguments[2]))) {
        PyErr_SetString(PyExc_TypeError, "run_passes: takes steps, numbers, operands and a result");
        return NULL;
    }
    const unsigned char *steps = (const unsigned char *)PyBytes_AS_STRING(arguments[0]);
    PyObject *result = arguments[3], *operands = PySequence_Tuple(arguments[2]);
    if (!operands) return NULL;
    Py_ssize_t length = PyBytes_GET_SIZE(arguments[0]), given_count = PyTuple_GET_SIZE(operands);
    Py_ssize_t numbers = PyBytes_GET_SIZE(arguments[1]) / (Py_ssize_t)sizeof(float);
    float held[MOST_NUMBERS];
    Given given = {.numbers = held};
    int fits = numbers <= MOST_NUMBERS && given_count <= MOST_OPERANDS && is_of_float32(result) &&
               ((Array *)result)->flags & WRITEABLE && are_sound(steps, length, given_count, numbers);
    Py_ssize_t size = fits ? size_of(result) : 0;
    for (Py_ssize_t k = 0; k < given_count && fits; k++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, k);
        fits = is_of_float32(operand);
        if (!fits) break;
        Py_ssize_t elements = size_of(operand);
        given.operands[k] = (const float *)((Array *)operand)->data;
        given.are_single[k] = elements == 1;
        fits = elements == 1 || elements == size;
    }
    if (fits && size) {
        memcpy(held, PyBytes_AS_STRING(arguments[1]), (size_t)numbers * sizeof(float));
        float *data = (float *)((Array *)result)->data;
        Py_BEGIN_ALLOW_THREADS
        run_steps(steps, length, &given, size, data);
        Py_END_ALLOW_THREADS
    }
    Py_DECREF(operands);
    return PyBool_FromLong(fits);
}
