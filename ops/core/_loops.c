/* Generated loops over several arrays (`backend/loops/elementwise.py`) as a plan calls them again and again: what Python
   does around a loop over small arrays takes longer than the loop. A line of a plan calls a LoopLine with a list of
   arrays. It has the launches that were added to it, each for arrays that lie in a certain way, and the way in Python for
   the rest. */
#include "_native.h"

#include <stdint.h>

enum { MOST_LAUNCHES = 32, MOST_ARGUMENTS = 256, MOST_OF_LAUNCHES = 8 /* dimensions */ };

typedef struct {
    int kind, count;
    Py_ssize_t lying[2 * MOST_OF_LAUNCHES]; /* sizes, then distances in bytes */
} Operand;

typedef struct {
    PyObject *code, *numbers;
    int given, made;
    Operand *operands; /* those that are given, then those that are made */
} Launch;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *otherwise;
    const int *threads_now;
    Py_ssize_t served; /* calls that a launch answered */
    int count, latest;
    Launch launches[MOST_LAUNCHES];
} LoopLine;

static int lies_as(PyObject *given, const Operand *operand) {
    Array *array = (Array *)given;
    if (Py_TYPE(given) != array_type || array->dimensions_count != operand->count ||
        array->dtype != dtypes_by_kind[operand->kind] || !(array->flags & ALIGNED)) return 0;
    size_t bytes = operand->count * sizeof(Py_ssize_t);
    return !bytes || (!memcmp(array->dimensions, operand->lying, bytes) &&
                      !memcmp(array->strides, operand->lying + operand->count, bytes));
}

static int takes(const Launch *launch, PyObject *list) {
    if (PyList_GET_SIZE(list) != launch->given) return 0;
    for (int n = 0; n < launch->given; n++)
        if (!lies_as(PyList_GET_ITEM(list, n), &launch->operands[n])) return 0;
    return 1;
}

/* The results as a tuple. Launches stay for as long as the line does, which the caller holds. */
static PyObject *run_launch(const Launch *launch, PyObject *list, int threads) {
    PyObject *arguments[MOST_ARGUMENTS], *results = PyTuple_New(launch->made), *ended = NULL;
    Py_ssize_t count = 1, numbers = PyTuple_GET_SIZE(launch->numbers);
    arguments[0] = results ? PyLong_FromLong(threads) : NULL;
    if (!arguments[0]) {
        Py_XDECREF(results);
        return NULL;
    }
    for (int n = 0; n < launch->given; n++) arguments[count++] = Py_NewRef(PyList_GET_ITEM(list, n));
    int is_whole = 1;
    for (int n = 0; n < launch->made && is_whole; n++) {
        const Operand *operand = &launch->operands[launch->given + n];
        PyObject *made = new_array_lying(operand->kind, operand->count, operand->lying, operand->lying + operand->count);
        if ((is_whole = made != NULL)) PyTuple_SET_ITEM(results, n, arguments[count++] = made);
    }
    if (is_whole) {
        for (Py_ssize_t n = 0; n < numbers; n++) arguments[count + n] = PyTuple_GET_ITEM(launch->numbers, n);
        ended = PyObject_Vectorcall(launch->code, arguments, count + numbers, NULL);
    }
    for (int n = 0; n <= launch->given; n++) Py_DECREF(arguments[n]);
    if (!ended) Py_CLEAR(results);
    Py_XDECREF(ended);
    return results;
}

static PyObject *call_loop_line(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    LoopLine *line = (LoopLine *)self;
    if (PyVectorcall_NARGS(flags) == 1 && !names && PyList_CheckExact(arguments[0])) {
        for (int tried = 0, n = line->latest; tried < line->count; tried++, n = n + 1 < line->count ? n + 1 : 0) {
            if (!takes(&line->launches[n], arguments[0])) continue;
            line->latest = n;
            Py_INCREF(self);
            PyObject *results = run_launch(&line->launches[n], arguments[0], *line->threads_now);
            line->served += results != NULL;
            Py_DECREF(self);
            return results;
        }
    }
    return PyObject_Vectorcall(line->otherwise, arguments, flags, names);
}

/* How an array lies; 0 where that is none for a launch. */
static int taken_from(PyObject *given, Operand *operand) {
    Array *array = (Array *)given;
    if (Py_TYPE(given) != array_type || array->dimensions_count > MOST_OF_LAUNCHES || !(array->flags & ALIGNED)) return 0;
    operand->kind = kind_of(array->dtype);
    operand->count = array->dimensions_count;
    size_t bytes = operand->count * sizeof(Py_ssize_t);
    if (bytes) {
        memcpy(operand->lying, array->dimensions, bytes);
        memcpy(operand->lying + operand->count, array->strides, bytes);
    }
    return operand->kind != NO_KIND;
}

static PyObject *add_launch(PyObject *self, PyObject *arguments) {
    LoopLine *line = (LoopLine *)self;
    PyObject *given, *made, *code, *numbers;
    if (!PyArg_ParseTuple(arguments, "O!O!OO!", &PyList_Type, &given, &PyTuple_Type, &made, &code, &PyTuple_Type, &numbers))
        return NULL;
    if (!PyCallable_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "LoopLine.add: code must be a function");
        return NULL;
    }
    Py_ssize_t givens = PyList_GET_SIZE(given), results = PyTuple_GET_SIZE(made);
    if (line->count == MOST_LAUNCHES || 1 + givens + results + PyTuple_GET_SIZE(numbers) > MOST_ARGUMENTS) Py_RETURN_FALSE;
    Operand *operands = PyMem_Calloc(givens + results, sizeof *operands);
    if (!operands) return PyErr_NoMemory();
    int fits = 1;
    for (Py_ssize_t n = 0; n < givens && fits; n++) fits = taken_from(PyList_GET_ITEM(given, n), &operands[n]);
    for (Py_ssize_t n = 0; n < results && fits; n++) fits = taken_from(PyTuple_GET_ITEM(made, n), &operands[givens + n]);
    if (!fits) {
        PyMem_Free(operands);
        Py_RETURN_FALSE;
    }
    Launch launch = {Py_NewRef(code), Py_NewRef(numbers), (int)givens, (int)results, operands};
    line->launches[line->count] = launch;
    line->latest = line->count++;
    Py_RETURN_TRUE;
}

static int visit_loop_line(PyObject *self, visitproc visit, void *arg) {
    LoopLine *line = (LoopLine *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(line->otherwise);
    for (int n = 0; n < line->count; n++) Py_VISIT(line->launches[n].code);
    return 0;
}

/* Breaks circles; launches, which may be running, stay until nobody has the line. */
static int clear_loop_line(PyObject *self) {
    Py_CLEAR(((LoopLine *)self)->otherwise);
    return 0;
}

static void free_loop_line(PyObject *self) {
    LoopLine *line = (LoopLine *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_loop_line(self);
    for (int n = 0; n < line->count; n++) {
        Py_DECREF(line->launches[n].code);
        Py_DECREF(line->launches[n].numbers);
        PyMem_Free(line->launches[n].operands);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef loop_line_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LoopLine, vectorcall), READONLY, NULL},
    {"served", T_PYSSIZET, offsetof(LoopLine, served), READONLY, "How many calls a launch answered."},
    {NULL, 0, 0, 0, NULL}};

static PyMethodDef loop_line_methods[] = {
    {"add", add_launch, METH_VARARGS,
     "add($self, given, made, code, numbers, /)\n--\n\n"
     "Has `code(threads, *arrays, *results, *numbers)` answer calls with a list of arrays that lie as those in `given`,\n"
     "with results that lie as those in `made`. False where there is no place, or these are none for it."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot loop_line_slots[] = {{Py_tp_call, PyVectorcall_Call},     {Py_tp_traverse, visit_loop_line},
                                        {Py_tp_clear, clear_loop_line},      {Py_tp_dealloc, free_loop_line},
                                        {Py_tp_members, loop_line_members},  {Py_tp_methods, loop_line_methods}, {0, NULL}};

static PyType_Spec loop_line_spec = {
    "proa.ops.core._dispatch.LoopLine", sizeof(LoopLine), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    loop_line_slots};

const char line_of_loops_doc[] =
    "line_of_loops($module, otherwise, threads, /)\n--\n\n"
    "A function of a list of arrays: what fits of the launches that are added to it, else `otherwise`. `threads`: where\n"
    "the number of threads that are set lies in memory, a C int.";

PyObject *line_of_loops(PyObject *module, PyObject *arguments) {
    static PyTypeObject *type;
    PyObject *otherwise;
    unsigned long long threads;
    if (!PyArg_ParseTuple(arguments, "OK", &otherwise, &threads)) return NULL;
    if (!PyCallable_Check(otherwise) || !threads) {
        PyErr_SetString(PyExc_TypeError, "line_of_loops: takes a function and an address");
        return NULL;
    }
    if (!type && !(type = (PyTypeObject *)PyType_FromSpec(&loop_line_spec))) return NULL;
    LoopLine *line = PyObject_GC_New(LoopLine, type);
    if (!line) return NULL;
    memset((char *)line + sizeof(PyObject), 0, sizeof *line - sizeof(PyObject));
    line->vectorcall = call_loop_line;
    line->otherwise = Py_NewRef(otherwise);
    line->threads_now = (const int *)(uintptr_t)threads;
    PyObject_GC_Track((PyObject *)line);
    return (PyObject *)line;
}
