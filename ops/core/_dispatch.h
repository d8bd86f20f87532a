/* What applying operators, Python's own operators of values and the backward walk share: the classes whose slots they read
   and fill, as `serve` and `serve_walk` were given them, and what they call of each other. */
#ifndef PROA_DISPATCH_H
#define PROA_DISPATCH_H

#include "_native.h"

enum { MOST_INPUTS = 8 };

/* What `serve` takes: Python's functions, the flags, NumPy, and the classes with the places of their slots. */
extern HIDDEN PyObject *state, *flags, *numpy, *as_array, *next_order, *failed, *dtype_of, *kernel_errors,
    *expected_namespace;
extern HIDDEN PyTypeObject *value_type, *trace_type, *kernels_type, *choice_type, *node_type;
struct ValueSlots { Py_ssize_t array, edge, source, views; };
struct KernelsSlots { Py_ssize_t arity, traits, of_dtype, registered; };
struct ChoiceSlots { Py_ssize_t direct, with_number, engine, small, least, large, kernel; };
struct NodeSlots { Py_ssize_t op, attrs, edges, saved, order, hooks; };
extern HIDDEN struct ValueSlots of_value;
extern HIDDEN struct KernelsSlots of_kernels;
extern HIDDEN struct ChoiceSlots of_choice;
extern HIDDEN struct NodeSlots of_node;

/* What `serve_walk` takes of them. */
struct OutputSlots { Py_ssize_t node, index, position; };
extern HIDDEN PyTypeObject *output_type, *several_type;
extern HIDDEN struct OutputSlots of_output;

extern HIDDEN int numbers_are_weak; /* a number takes the dtype of the array that it meets, whatever the shape */

/* Names that are asked for, made once. */
#define TEXTS(X) X(trace, "trace") X(apply, "apply") X(kernels, "kernels") X(gradient, "gradient") X(recipe, "recipe") \
    X(grad_enabled, "grad_enabled") X(value_class, "value_class") X(single_node, "single_node") \
    X(check, "FLAGS_check_nan_inf") X(save_arrays, "save_arrays") X(several, "_several") X(node, "node") \
    X(is_differentiable, "is_differentiable") X(parameter_class, "parameter_class") X(scale, "scale") X(bias, "bias") \
    X(retain, "retain") X(pending, "pending") X(of_nodes, "of_nodes") X(visit, "_visit") X(read_saved, "read_saved") \
    X(add, "_add") X(run, "run") X(count, "count") X(values, "values") X(observer, "observer") X(compiled, "compiled")
#define DECLARE(name, text) extern HIDDEN PyObject *str_##name;
TEXTS(DECLARE)
#undef DECLARE

static inline PyObject *slot(PyObject *object, Py_ssize_t offset) { return *(PyObject **)((char *)object + offset); }

/* Fills an empty slot of a new object; takes the reference. */
static inline void fill(PyObject *object, Py_ssize_t offset, PyObject *value) {
    *(PyObject **)((char *)object + offset) = value;
}

/* An attribute that an instance's dict has, as nearly always, without asking the class first; a new reference. */
HIDDEN PyObject *own_attribute(PyObject *object, PyObject *name);
HIDDEN PyObject *of_state(PyObject *name); /* what this thread has of the state: a new reference */

/* The inputs of an application, as they are read: arrays and edges, in lists where a slot is repeated. */
typedef struct {
    PyObject *arrays[MOST_INPUTS], *edges[MOST_INPUTS]; /* None where nothing is given, or no gradient wanted */
    PyObject *first;                                    /* the first array, borrowed, or NULL */
    Py_ssize_t count, largest;                          /* how many inputs, elements of the largest that is no list's */
    int listed, wanted;
} Inputs;

/* Whether the form that stands for a kernel has computed, or failed; where it declines, the kernel takes its place. */
static inline int by_form(PyObject **kernel, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs, PyObject **result) {
    if (Py_TYPE(*kernel) != form_type) return 0;
    Form *form = (Form *)*kernel;
    *result = form->function(form->with, inputs, count, attrs);
    if (*result != Py_NotImplemented) return 1;
    Py_DECREF(*result);
    *kernel = form->kernel;
    return 0;
}

/* Applying: _apply.c. */
HIDDEN int read_value(PyObject *value, PyObject **array, PyObject **edge);
HIDDEN PyObject *number_in(PyObject *dtype, PyObject *number);
HIDDEN PyObject *applied(PyObject *trace, PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs,
                         int *declined);
HIDDEN int is_as_declared(PyObject *op);
HIDDEN PyObject *apply(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
HIDDEN PyObject *apply_under(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
extern HIDDEN const char apply_doc[], apply_under_doc[];

/* What is made of results: _recording.c. */
HIDDEN PyObject *tuple_of(PyObject *const *items, Py_ssize_t count);
HIDDEN PyObject *value_of(PyTypeObject *value_class, PyObject *given, PyObject *edge);
HIDDEN PyObject *values_of(PyTypeObject *value_class, PyObject *results, int in_list);
HIDDEN PyObject *node_of(PyObject *op, PyObject *attrs, PyObject *gradient, PyObject *recipe, const Inputs *given,
                         PyObject *result);
HIDDEN PyObject *output_of(PyObject *node, Py_ssize_t index, PyObject *position);
HIDDEN PyObject *several(PyObject *trace, PyObject *op, PyObject *const *inputs, PyObject *attrs, const Inputs *given,
                         PyObject *results);
HIDDEN PyObject *recorded(PyTypeObject *value_class, PyObject *op, PyObject *attrs, PyObject *gradient,
                          const Inputs *given, PyObject *results, int in_list);
HIDDEN int records_several(PyObject *trace);
HIDDEN int show_source(PyObject *view, PyObject *op, PyObject *const *inputs, PyObject *const *arrays, Py_ssize_t count,
                       PyObject *attrs);

/* Python's operators of values: _number_protocol.c. */
extern HIDDEN PyType_Spec syntax;
HIDDEN PyObject *serve_facts(PyObject *module, PyObject *arguments);
HIDDEN PyObject *serve_syntax(PyObject *module, PyObject *arguments);
extern HIDDEN const char serve_facts_doc[], serve_syntax_doc[];

/* Attributes of layers: _attributes.c. */
extern HIDDEN PyType_Spec attributes;
HIDDEN PyObject *serve_attributes(PyObject *module, PyObject *arguments);
extern HIDDEN const char serve_attributes_doc[];

/* The backward walk: _walk.c. */
HIDDEN PyObject *walk(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *reach(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *connected(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
HIDDEN PyObject *serve_walk(PyObject *module, PyObject *arguments);
extern HIDDEN const char walk_doc[], reach_doc[], connected_doc[], serve_walk_doc[];

#endif
