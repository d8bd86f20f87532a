/* The body of an elementwise loop over large arrays of float32, before machine code of its own is worth making.

backend/loops/steps.py writes it as steps: each computes a row of numbers of one or two others, of an operand's elements
or of one number. All steps run over a few elements, which stay in the nearest cache, then over the next ones. Each is
rounded for itself, as NumPy's functions one after the other would, so with the same bits; of two NaNs either may stay.
*/
#include "_team.h"
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, NEGATIVE, OPERATIONS }; /* as steps.py counts them */
enum { BLOCK = 512, ROWS = 8, MOST_OPERANDS = 16, MOST_NUMBERS = 64, MOST_STEPS = 64, LEAST_OF_ROW = 32 };
enum { OPERAND = 16, NUMBER = 64, RESULT = 255 }; /* places: rows before, operands and numbers from there on */

typedef struct {
    const float *operands[MOST_OPERANDS];
    int are_single[MOST_OPERANDS];
    const float *numbers;
    int are_rows[MOST_OPERANDS], has_rows; /* those that each row of the result meets, which is `width` long */
    Py_ssize_t count, width, size;
    const unsigned char *steps;
    Py_ssize_t length;
    float *result;
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

/* Rows of the result from `begin` to `end`, or where no operand is a row, blocks. */
static void some_steps(void *data, Py_ssize_t begin, Py_ssize_t end) {
    const Given *all = data;
    Py_ssize_t each = all->has_rows ? all->width : BLOCK, at_once = all->has_rows ? 1 : end - begin;
    for (; begin < end; begin += at_once) {
        Given part = *all;
        Py_ssize_t first = begin * each, rest = all->size - first, count = at_once * each;
        for (Py_ssize_t k = 0; k < all->count; k++)
            if (!all->are_single[k] && !all->are_rows[k]) part.operands[k] += first;
        run_steps(all->steps, all->length, &part, count < rest ? count : rest, all->result + first);
    }
}

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

/* Reads what steps work on, float32 arrays and a result; 0 where they are not for it. Rows are of a result's last dimension,
   where they are wanted. */
static int read_given(PyObject *const *operands, Py_ssize_t count, PyObject *result, int with_rows, Given *given) {
    const Array *made = (const Array *)result;
    if (count > MOST_OPERANDS || !is_of_float32(result) || !(made->flags & WRITEABLE)) return 0;
    given->count = count, given->size = size_of(result), given->result = (float *)made->data;
    given->width = made->dimensions_count ? made->dimensions[made->dimensions_count - 1] : 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!is_of_float32(operands[k])) return 0;
        const Array *x = (const Array *)operands[k];
        Py_ssize_t elements = size_of(operands[k]);
        given->operands[k] = (const float *)x->data;
        given->are_single[k] = elements == 1;
        given->are_rows[k] = with_rows && elements >= LEAST_OF_ROW && elements != given->size && elements == given->width &&
                             x->dimensions[x->dimensions_count - 1] == elements;
        given->has_rows |= given->are_rows[k];
        if (elements != 1 && elements != given->size && !given->are_rows[k]) return 0;
    }
    return 1;
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
    int fits = numbers <= MOST_NUMBERS && given_count <= MOST_OPERANDS && are_sound(steps, length, given_count, numbers) &&
               read_given(&PyTuple_GET_ITEM(operands, 0), given_count, result, 0, &given);
    if (fits && given.size) {
        memcpy(held, PyBytes_AS_STRING(arguments[1]), (size_t)numbers * sizeof(float));
        Py_BEGIN_ALLOW_THREADS
        run_steps(steps, length, &given, given.size, given.result);
        Py_END_ALLOW_THREADS
    }
    Py_DECREF(operands);
    return PyBool_FromLong(fits);
}

/* Steps as a line of a plan calls them in the place of machine code (`_loops.c`), so often; then Python, which counts what
   they take, and has them go on, or hands on to machine code from then on. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *steps, *otherwise, *machine;
    Py_ssize_t operands, left; /* calls that are answered here */
    float held[MOST_NUMBERS];
} StepsCode;

static PyObject *call_steps_code(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    StepsCode *code = (StepsCode *)self;
    PyObject *next = code->machine;
    if (!next && code->left > 0 && !names && PyVectorcall_NARGS(flags) > code->operands + 1) {
        Given given = {.numbers = code->held, .steps = (const unsigned char *)PyBytes_AS_STRING(code->steps),
                       .length = PyBytes_GET_SIZE(code->steps)};
        if (read_given(arguments + 1, code->operands, arguments[code->operands + 1], 1, &given)) {
            code->left--;
            Py_ssize_t each = given.has_rows ? given.width : BLOCK;
            if (!given.size) Py_RETURN_NONE;
            Py_INCREF(self); /* for as long as other threads may run */
            int ended = run_parts(some_steps, &given, (given.size + each - 1) / each,
                                  given.size * (Py_ssize_t)sizeof(float) * (code->operands + 1));
            Py_DECREF(self);
            if (ended < 0) return NULL;
            Py_RETURN_NONE;
        }
    }
    if (!next) next = code->otherwise;
    Py_INCREF(next);
    PyObject *result = NULL;
    if (next != Py_None) result = PyObject_Vectorcall(next, arguments, PyVectorcall_NARGS(flags), names);
    else PyErr_SetString(PyExc_TypeError, "steps: nothing computes the rest");
    Py_DECREF(next);
    return result;
}

static int visit_steps_code(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((StepsCode *)self)->otherwise);
    Py_VISIT(((StepsCode *)self)->machine);
    return 0;
}

static int clear_steps_code(PyObject *self) {
    PyObject *otherwise = ((StepsCode *)self)->otherwise;
    ((StepsCode *)self)->otherwise = Py_NewRef(Py_None);
    Py_XDECREF(otherwise);
    Py_CLEAR(((StepsCode *)self)->machine);
    return 0;
}

static void free_steps_code(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    StepsCode *code = (StepsCode *)self;
    Py_XDECREF(code->steps);
    Py_XDECREF(code->otherwise);
    Py_XDECREF(code->machine);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef steps_code_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(StepsCode, vectorcall), READONLY, NULL},
    {"machine", T_OBJECT, offsetof(StepsCode, machine), 0, "What is called from now on."},
    {"left", T_PYSSIZET, offsetof(StepsCode, left), 0, "How many calls are answered before Python is asked."},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot steps_code_slots[] = {{Py_tp_call, PyVectorcall_Call},      {Py_tp_traverse, visit_steps_code},
                                         {Py_tp_clear, clear_steps_code},      {Py_tp_dealloc, free_steps_code},
                                         {Py_tp_members, steps_code_members}, {0, NULL}};

static PyType_Spec steps_code_spec = {
    "proa.ops.core._dispatch.StepsCode", sizeof(StepsCode), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    steps_code_slots};

const char code_of_steps_doc[] =
    "code_of_steps($module, steps, numbers, operands, otherwise, /)\n--\n\n"
    "A function of a number of threads, so many operands, a result, and what else: fills the result as run_passes does, also\n"
    "where an operand is one row for all, `left` times. Other calls `machine` answers, or `otherwise`. None for steps that\n"
    "are none.";

PyObject *code_of_steps(PyObject *module, PyObject *arguments) {
    static PyTypeObject *type;
    PyObject *steps, *numbers, *otherwise;
    Py_ssize_t operands;
    if (!PyArg_ParseTuple(arguments, "SSnO", &steps, &numbers, &operands, &otherwise)) return NULL;
    Py_ssize_t count = PyBytes_GET_SIZE(numbers) / (Py_ssize_t)sizeof(float);
    if (operands < 0 || operands > MOST_OPERANDS || count > MOST_NUMBERS ||
        !are_sound((const unsigned char *)PyBytes_AS_STRING(steps), PyBytes_GET_SIZE(steps), operands, count)) Py_RETURN_NONE;
    if (!type && !(type = (PyTypeObject *)PyType_FromSpec(&steps_code_spec))) return NULL;
    StepsCode *code = PyObject_GC_New(StepsCode, type);
    if (!code) return NULL;
    memset((char *)code + sizeof(PyObject), 0, sizeof *code - sizeof(PyObject));
    code->vectorcall = call_steps_code;
    code->steps = Py_NewRef(steps), code->otherwise = Py_NewRef(otherwise), code->operands = operands;
    memcpy(code->held, PyBytes_AS_STRING(numbers), (size_t)count * sizeof(float));
    PyObject_GC_Track((PyObject *)code);
    return (PyObject *)code;
}
