/* A routine of oneDNN (`backend/onednn/routine.py`) bound to a filter, as a plan calls it again and again: what Python
   does there around a small convolution takes longer than the convolution. It looks whether it is given what it was
   bound to, and gives None where it is not, or where another thread is in one: then the line goes its way in Python.

   A line of a plan calls a Line, which has the routines that were bound for it, one for each size of images that it
   has met often, and the way in Python for the rest. */
#include "_native.h"

#include <stdint.h>

typedef int (*Execute)(uintptr_t primitive, uintptr_t stream, int count, uintptr_t arguments);
typedef int (*SetHandle)(uintptr_t memory, char *data);

typedef struct {
    uintptr_t primitive, arguments;
    int count;
} Step;

typedef struct {
    Py_ssize_t dimensions[4], strides[4];
} Lies;

enum { MOST_STEPS = 4 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Execute execute;
    SetHandle set_handle;
    int (*threads_now)(void);
    void (*set_threads)(int);
    uintptr_t stream, of_x, of_residual, of_result;
    int threads, steps_count;
    Step steps[MOST_STEPS];
    Lies x, residual, result;
    PyObject *weight, *scale, *bias; /* what it was bound to: by identity */
    PyObject *after;                 /* a loop over the result as it lies, or None; it takes threads, result, size */
    PyObject *after_threads, *after_size;
    PyObject *held;                  /* what the handles belong to */
} Bound;

static PyTypeObject *bound_type; /* one interpreter has this module */
static int is_running; /* the scratchpad is one for all; guarded by the interpreter's lock */

static int lies_so(PyObject *array, const Lies *lies) {
    Array *given = (Array *)array;
    if (Py_TYPE(array) != array_type || given->dimensions_count != 4 || given->dtype != dtypes_by_kind[FLOAT32] ||
        !(given->flags & ALIGNED)) return 0;
    for (int n = 0; n < 4; n++)
        if (given->dimensions[n] != lies->dimensions[n] || given->strides[n] != lies->strides[n]) return 0;
    return 1;
}

static PyObject *call_bound(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    Bound *bound = (Bound *)self;
    if (PyVectorcall_NARGS(flags) != 5 || names) {
        PyErr_SetString(PyExc_TypeError, "a bound routine takes x, weight, scale, bias, residual");
        return NULL;
    }
    PyObject *x = arguments[0], *residual = arguments[4];
    if (is_running || arguments[1] != bound->weight || arguments[2] != bound->scale || arguments[3] != bound->bias ||
        !lies_so(x, &bound->x)) Py_RETURN_NONE;
    if (bound->of_residual ? !lies_so(residual, &bound->residual) : residual != Py_None) Py_RETURN_NONE;
    PyObject *result = new_array_lying(FLOAT32, 4, bound->result.dimensions, bound->result.strides);
    if (!result) return NULL;
    char *data = ((Array *)result)->data;
    int status = bound->set_handle(bound->of_x, ((Array *)x)->data);
    if (!status && bound->of_residual) status = bound->set_handle(bound->of_residual, ((Array *)residual)->data);
    if (!status) status = bound->set_handle(bound->of_result, data);
    if (!status) {
        if (bound->threads_now() != bound->threads) bound->set_threads(bound->threads);
        is_running = 1;
        Py_INCREF(self);
        Py_INCREF(x);
        Py_INCREF(residual);
        Py_BEGIN_ALLOW_THREADS
        for (int n = 0; n < bound->steps_count && !status; n++)
            status = bound->execute(bound->steps[n].primitive, bound->stream, bound->steps[n].count,
                                    bound->steps[n].arguments);
        Py_END_ALLOW_THREADS
        is_running = 0;
        Py_DECREF(residual);
        Py_DECREF(x);
    } else {
        Py_INCREF(self);
    }
    if (status) { /* Python's way says what failed */
        Py_SETREF(result, Py_NewRef(Py_None));
    } else if (bound->after != Py_None) {
        PyObject *given[3] = {bound->after_threads, result, bound->after_size};
        PyObject *ended = PyObject_Vectorcall(bound->after, given, 3, NULL);
        if (!ended) Py_CLEAR(result);
        Py_XDECREF(ended);
    }
    Py_DECREF(self);
    return result;
}

static int visit_bound(PyObject *self, visitproc visit, void *arg) {
    Bound *bound = (Bound *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(bound->weight);
    Py_VISIT(bound->scale);
    Py_VISIT(bound->bias);
    Py_VISIT(bound->after);
    Py_VISIT(bound->after_threads);
    Py_VISIT(bound->after_size);
    Py_VISIT(bound->held);
    return 0;
}

static int clear_bound(PyObject *self) {
    Bound *bound = (Bound *)self;
    Py_CLEAR(bound->weight);
    Py_CLEAR(bound->scale);
    Py_CLEAR(bound->bias);
    Py_CLEAR(bound->after);
    Py_CLEAR(bound->after_threads);
    Py_CLEAR(bound->after_size);
    Py_CLEAR(bound->held);
    return 0;
}

static void free_bound(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_bound(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef bound_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Bound, vectorcall), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyType_Slot bound_slots[] = {{Py_tp_call, PyVectorcall_Call}, {Py_tp_traverse, visit_bound},
                                    {Py_tp_clear, clear_bound},      {Py_tp_dealloc, free_bound},
                                    {Py_tp_members, bound_members},  {0, NULL}};

static PyType_Spec bound_spec = {
    "proa.ops.core._dispatch.BoundRoutine", sizeof(Bound), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    bound_slots};

static int taken_from(PyObject *array, Lies *lies) {
    if (Py_TYPE(array) != array_type || ((Array *)array)->dimensions_count != 4) {
        PyErr_SetString(PyExc_TypeError, "bound_routine: x, residual and result must be arrays of four dimensions");
        return -1;
    }
    memcpy(lies->dimensions, ((Array *)array)->dimensions, sizeof lies->dimensions);
    memcpy(lies->strides, ((Array *)array)->strides, sizeof lies->strides);
    return 0;
}

static int address_from(PyObject *number, uintptr_t *address) {
    *address = (uintptr_t)PyLong_AsUnsignedLongLong(number);
    return PyErr_Occurred() ? -1 : 0;
}

const char bound_routine_doc[] =
    "bound_routine($module, functions, stream, threads, steps, memories, lying, bound, after, held, /)\n--\n\n"
    "A function of x, weight, scale, bias, residual. `functions`: addresses of what executes, sets a handle, tells and\n"
    "sets the threads; `steps`: (primitive, number of arguments, arguments); `memories` and `lying`: the handles of x,\n"
    "residual (0: none) and result, and arrays that lie as they do; `bound`: weight, scale, bias; `after`: a loop over\n"
    "the result, or None, and what it takes before and behind that; `held` is kept.";

PyObject *bound_routine(PyObject *module, PyObject *arguments) {
    PyObject *steps, *x, *residual, *result, *weight, *scale, *bias, *after, *after_threads, *after_size, *held;
    unsigned long long functions[4], stream, memories[3];
    int threads;
    if (!PyArg_ParseTuple(arguments, "(KKKK)KiO!(KKK)(OOO)(OOO)(OOO)O", &functions[0], &functions[1], &functions[2],
                          &functions[3], &stream, &threads, &PyTuple_Type, &steps, &memories[0], &memories[1],
                          &memories[2], &x, &residual, &result, &weight, &scale, &bias, &after, &after_threads,
                          &after_size, &held)) return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(steps);
    if (count < 1 || count > MOST_STEPS || threads < 1 || !memories[0] || !memories[2] || !stream || !functions[0] ||
        !functions[1] || !functions[2] || !functions[3] || (memories[1] == 0) != (residual == Py_None)) {
        PyErr_SetString(PyExc_ValueError, "bound_routine: steps, threads, handles or functions are not such");
        return NULL;
    }
    if (!bound_type && !(bound_type = (PyTypeObject *)PyType_FromSpec(&bound_spec))) return NULL;
    Bound *bound = PyObject_GC_New(Bound, bound_type);
    if (!bound) return NULL;
    memset((char *)bound + sizeof(PyObject), 0, sizeof *bound - sizeof(PyObject));
    bound->vectorcall = call_bound;
    bound->execute = (Execute)(uintptr_t)functions[0];
    bound->set_handle = (SetHandle)(uintptr_t)functions[1];
    bound->threads_now = (int (*)(void))(uintptr_t)functions[2];
    bound->set_threads = (void (*)(int))(uintptr_t)functions[3];
    bound->stream = (uintptr_t)stream;
    bound->threads = threads;
    bound->of_x = (uintptr_t)memories[0];
    bound->of_residual = (uintptr_t)memories[1];
    bound->of_result = (uintptr_t)memories[2];
    bound->steps_count = (int)count;
    bound->weight = Py_NewRef(weight);
    bound->scale = Py_NewRef(scale);
    bound->bias = Py_NewRef(bias);
    bound->after = Py_NewRef(after);
    bound->after_threads = Py_NewRef(after_threads);
    bound->after_size = Py_NewRef(after_size);
    bound->held = Py_NewRef(held);
    PyObject_GC_Track((PyObject *)bound);
    int is_wrong = taken_from(x, &bound->x) < 0 || taken_from(result, &bound->result) < 0 ||
                   (residual != Py_None && taken_from(residual, &bound->residual) < 0);
    for (Py_ssize_t n = 0; n < count && !is_wrong; n++) {
        PyObject *step = PyTuple_GET_ITEM(steps, n);
        is_wrong = !PyTuple_Check(step) || PyTuple_GET_SIZE(step) != 3 ||
                   address_from(PyTuple_GET_ITEM(step, 0), &bound->steps[n].primitive) < 0 ||
                   address_from(PyTuple_GET_ITEM(step, 2), &bound->steps[n].arguments) < 0 ||
                   ((bound->steps[n].count = (int)PyLong_AsLong(PyTuple_GET_ITEM(step, 1))) < 0 && PyErr_Occurred());
    }
    if (is_wrong) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "bound_routine: a step is a tuple of three numbers");
        Py_DECREF(bound);
        return NULL;
    }
    return (PyObject *)bound;
}

enum { MOST_ROUTINES = 32 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *otherwise;
    const int *threads_now; /* how many are set, which may be others than a routine was bound for */
    Py_ssize_t served;      /* calls that a routine answered, or what is for any size */
    PyObject *packed;       /* what `pack_weight` gave, or NULL: for any size */
    int count, latest;
    struct {
        int threads;
        Bound *bound;
    } routines[MOST_ROUTINES];
} Line;

static PyObject *call_line(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    Line *line = (Line *)self;
    if (line->packed) {
        PyObject *packed = Py_NewRef(line->packed), *result = call_packed(packed, arguments, flags, names);
        Py_DECREF(packed);
        if (result != Py_None) {
            line->served += result != NULL;
            return result;
        }
        Py_DECREF(result);
    } else if (PyVectorcall_NARGS(flags) == 5 && !names) {
        for (int tried = 0, n = line->latest; tried < line->count; tried++, n = n + 1 < line->count ? n + 1 : 0) {
            Bound *bound = line->routines[n].bound;
            if (line->routines[n].threads != *line->threads_now || !lies_so(arguments[0], &bound->x)) continue;
            line->latest = n; /* before other threads may change the table */
            PyObject *result = call_bound((PyObject *)bound, arguments, 5, NULL);
            if (result != Py_None) {
                line->served += result != NULL;
                return result;
            }
            Py_DECREF(result);
            break;
        }
    }
    return PyObject_Vectorcall(line->otherwise, arguments, flags, names);
}

static PyObject *forget_routines(PyObject *self, PyObject *nothing) {
    Line *line = (Line *)self;
    Bound *old[MOST_ROUTINES]; /* what ends with them may call in here */
    int count = line->count;
    for (int n = 0; n < count; n++) old[n] = line->routines[n].bound;
    PyObject *packed = line->packed;
    line->count = line->latest = 0;
    line->packed = NULL;
    Py_XDECREF(packed);
    for (int n = 0; n < count; n++) Py_DECREF(old[n]);
    Py_RETURN_NONE;
}

static PyObject *add_routine(PyObject *self, PyObject *arguments) {
    Line *line = (Line *)self;
    PyObject *bound;
    int threads;
    if (!PyArg_ParseTuple(arguments, "Oi", &bound, &threads)) return NULL;
    if (!bound_type || Py_TYPE(bound) != bound_type) {
        PyErr_SetString(PyExc_TypeError, "Line.add(routine, threads): must be what bound_routine gives");
        return NULL;
    }
    if (line->count == MOST_ROUTINES) {
        PyObject *done = forget_routines(self, NULL);
        Py_XDECREF(done);
    }
    line->routines[line->count].threads = threads;
    line->routines[line->count].bound = (Bound *)Py_NewRef(bound);
    line->latest = line->count++;
    Py_RETURN_NONE;
}

static PyObject *take_packed(PyObject *self, PyObject *packed) {
    if (!packed_type || Py_TYPE(packed) != packed_type) {
        PyErr_SetString(PyExc_TypeError, "Line.take(packed): must be what pack_weight gives");
        return NULL;
    }
    PyObject *old = ((Line *)self)->packed;
    ((Line *)self)->packed = Py_NewRef(packed);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static int visit_line(PyObject *self, visitproc visit, void *arg) {
    Line *line = (Line *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(line->otherwise);
    Py_VISIT(line->packed);
    for (int n = 0; n < line->count; n++) Py_VISIT(line->routines[n].bound);
    return 0;
}

static int clear_line(PyObject *self) {
    PyObject *done = forget_routines(self, NULL);
    Py_XDECREF(done);
    Py_CLEAR(((Line *)self)->otherwise);
    return 0;
}

static void free_line(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_line(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef line_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Line, vectorcall), READONLY, NULL},
    {"served", T_PYSSIZET, offsetof(Line, served), READONLY, "How many calls a routine answered."},
    {NULL, 0, 0, 0, NULL}};

static PyMethodDef line_methods[] = {
    {"add", add_routine, METH_VARARGS,
     "add($self, routine, threads, /)\n--\n\nHas it answer calls on so many threads."},
    {"take", take_packed, METH_O, "take($self, packed, /)\n--\n\nHas what pack_weight gave answer all calls that it can."},
    {"forget", forget_routines, METH_NOARGS, "forget($self, /)\n--\n\nLets all routines go."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot line_slots[] = {{Py_tp_call, PyVectorcall_Call}, {Py_tp_traverse, visit_line},
                                   {Py_tp_clear, clear_line},       {Py_tp_dealloc, free_line},
                                   {Py_tp_members, line_members},   {Py_tp_methods, line_methods}, {0, NULL}};

static PyType_Spec line_spec = {
    "proa.ops.core._dispatch.Line", sizeof(Line), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    line_slots};

const char line_of_routines_doc[] =
    "line_of_routines($module, otherwise, threads, /)\n--\n\n"
    "A function of x, weight, scale, bias, residual: what fits of the routines that are added to it, else `otherwise`.\n"
    "`threads`: where the number of threads that are set lies in memory, a C int.";

PyObject *line_of_routines(PyObject *module, PyObject *arguments) {
    static PyTypeObject *type;
    PyObject *otherwise;
    unsigned long long threads;
    if (!PyArg_ParseTuple(arguments, "OK", &otherwise, &threads)) return NULL;
    if (!PyCallable_Check(otherwise) || !threads) {
        PyErr_SetString(PyExc_TypeError, "line_of_routines: takes a function and an address");
        return NULL;
    }
    if (!type && !(type = (PyTypeObject *)PyType_FromSpec(&line_spec))) return NULL;
    Line *line = PyObject_GC_New(Line, type);
    if (!line) return NULL;
    memset((char *)line + sizeof(PyObject), 0, sizeof *line - sizeof(PyObject));
    line->vectorcall = call_line;
    line->otherwise = Py_NewRef(otherwise);
    line->threads_now = (const int *)(uintptr_t)threads;
    PyObject_GC_Track((PyObject *)line);
    return (PyObject *)line;
}
