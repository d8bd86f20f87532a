/* Calls in which NumPy tells nothing of floating-point errors: backend/float_errors.py says what that means. */
#include "_native.h"

static PyObject *variable, *quiet; /* NumPy's state, and what it is in such calls; NULL where NumPy has none such */
static PyObject *begin, *end;      /* what is called then */
static PyTypeObject *ufunc_type;

const char serve_quiet_doc[] = PyDoc_STR("serve_quiet($module, variable, quiet, begin, end, ufunc, /)\n--\n\n"
             "Takes the context variable of NumPy's state, or None, its value that is quiet, what to\n"
             "call without, and the class of NumPy's functions.");

PyObject *serve_quiet(PyObject *module, PyObject *arguments) {
    PyObject *given[5];
    if (!PyArg_ParseTuple(arguments, "OOOOO!", given, given + 1, given + 2, given + 3, &PyType_Type, given + 4)) return NULL;
    int has_variable = PyContextVar_CheckExact(given[0]);
    Py_XSETREF(variable, has_variable ? Py_NewRef(given[0]) : NULL);
    Py_XSETREF(quiet, Py_NewRef(given[1]));
    Py_XSETREF(begin, Py_NewRef(given[2]));
    Py_XSETREF(end, Py_NewRef(given[3]));
    Py_XSETREF(ufunc_type, (PyTypeObject *)Py_NewRef(given[4]));
    Py_RETURN_NONE;
}

/* Contexts in which nothing but NumPy's state is set, for functions of NumPy's, in which no code of Python runs. To go
   there and back takes a third of what setting the state takes. Each is used by one call at a time. */
enum { MOST_SPARE = 16 };
static PyObject *spare[MOST_SPARE];
static int spare_count;

static PyObject *entered_context(void) {
    if (spare_count) {
        PyObject *context = spare[--spare_count];
        if (PyContext_Enter(context) == 0) return context;
        Py_DECREF(context);
        return NULL;
    }
    PyObject *context = PyContext_New();
    if (!context || PyContext_Enter(context) < 0) {
        Py_XDECREF(context);
        return NULL;
    }
    PyObject *token = PyContextVar_Set(variable, quiet);
    if (!token) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyContext_Exit(context);
        PyErr_Restore(type, error, traceback);
        Py_CLEAR(context);
    }
    Py_XDECREF(token);
    return context;
}

int hush(Quiet *how, int is_numpys) {
    *how = (Quiet){NULL, NULL};
    if (!variable) return begin && !(how->token = PyObject_CallNoArgs(begin)) ? -1 : 0;
    if (is_numpys) return (how->context = entered_context()) ? 0 : -1;
    PyObject *now;
    if (PyContextVar_Get(variable, Py_None, &now) < 0) return -1;
    int is_quiet = now == quiet; /* in what is quiet already */
    Py_DECREF(now);
    return is_quiet || (how->token = PyContextVar_Set(variable, quiet)) ? 0 : -1;
}

int speak(Quiet *how) {
    if (!how->context && !how->token) return 0;
    PyObject *type, *error, *traceback;
    int ended;
    PyErr_Fetch(&type, &error, &traceback);
    if (how->context) {
        ended = PyContext_Exit(how->context);
        if (!ended && spare_count < MOST_SPARE) spare[spare_count++] = how->context;
        else Py_DECREF(how->context);
    } else {
        PyObject *nothing = NULL;
        ended = variable ? PyContextVar_Reset(variable, how->token) : (nothing = PyObject_CallOneArg(end, how->token)) ? 0 : -1;
        Py_XDECREF(nothing);
        Py_DECREF(how->token);
    }
    if (type) PyErr_Restore(type, error, traceback);
    return ended;
}

PyObject *quiet_call(PyObject *callable, PyObject *const *arguments, size_t count, PyObject *attrs) {
    Quiet how;
    if (hush(&how, Py_TYPE(callable) == ufunc_type) < 0) return NULL;
    PyObject *result = PyObject_VectorcallDict(callable, arguments, count, attrs);
    if (speak(&how) < 0) Py_CLEAR(result);
    return result;
}
