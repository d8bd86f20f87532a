/* A step of sgd, momentum, adam or adamw over all parameters of an optimizer: one call. What it means stands in Python,
   in `optimizer/optimizer.py` and `backend/kernels/optim_loops.py`; the numbers are those of the loops there, to the last
   bit. It declines what is not the common case before anything has changed: parameters of float32 that nothing but the
   optimizer's Tensors look at, with gradients of their own shape and a state that is there. */
#include "_team.h"
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { SGD, MOMENTUM, ADAM, RULES };
enum { MOST_STATES = 4, MOST_NUMBERS = 6, MOST_TOGETHER = 1 << 20 }; /* with more elements the loops cost no more */
static const struct { int moments, states, numbers; } of_rule[RULES] = {{0, 0, 0}, {1, 1, 3}, {2, 4, 6}};
/* What the numbers are: mu, rescale, nesterov; beta1, 1 - beta1, beta2, 1 - beta2, epsilon, the share that decays. */

typedef struct {
    PyObject *parameter, *given; /* given: the value of the gradient */
    PyObject *view;              /* a new one of the same memory, by which others know of the change */
    PyObject *owner;             /* of the memory of its first state, or of the parameter; borrowed */
    float *values, *states[MOST_STATES], powers[2];
    const float *gradient;
    Py_ssize_t count;
} Item;

static struct { Py_ssize_t array, edge, source, views, gradient, cleared; } of;
static PyTypeObject *value_type, *leaf_type;
static PyObject *str_name, *str_regularizer, *str_attributes, *str_rate, *str_update;

static inline PyObject *slot(PyObject *object, Py_ssize_t offset) { return *(PyObject **)((char *)object + offset); }

/* The loops. Each product and sum is rounded by itself. */

INLINE void sgd_body(float *restrict w, const float *restrict gradient, Py_ssize_t count, float rate, float decay) {
    if (decay != 0.0f)
        for (Py_ssize_t n = 0; n < count; n++) w[n] = w[n] - rate * (gradient[n] + w[n] * decay);
    else
        for (Py_ssize_t n = 0; n < count; n++) w[n] = w[n] - rate * gradient[n];
}
TWO_WAYS(sgd, (float *w, const float *gradient, Py_ssize_t count, float rate, float decay), (w, gradient, count, rate, decay))

INLINE void momentum_body(float *restrict w, const float *restrict gradient, float *restrict velocity, Py_ssize_t count,
                          float rate, float decay, const float *numbers) {
    float mu = numbers[0], rescale = numbers[1];
    int nesterov = numbers[2] != 0.0f;
    for (Py_ssize_t n = 0; n < count; n++) {
        float g = gradient[n] * rescale;
        g = decay != 0.0f ? g + w[n] * decay : g;
        float v = velocity[n] * mu + g;
        velocity[n] = v;
        w[n] = w[n] - rate * (nesterov ? g + v * mu : v);
    }
}
TWO_WAYS(momentum, (float *w, const float *gradient, float *velocity, Py_ssize_t count, float rate, float decay,
                    const float *numbers), (w, gradient, velocity, count, rate, decay, numbers))

INLINE void adam_body(float *restrict w, const float *restrict gradient, float *restrict moment1, float *restrict moment2,
                      Py_ssize_t count, float keep, float decay, float step, float tiny, const float *numbers) {
    float beta1 = numbers[0], rest1 = numbers[1], beta2 = numbers[2], rest2 = numbers[3];
    for (Py_ssize_t n = 0; n < count; n++) {
        float x = w[n] * keep, g = decay != 0.0f ? gradient[n] + x * decay : gradient[n];
        float m = moment1[n] * beta1 + g * rest1, v = moment2[n] * beta2 + g * g * rest2;
        moment1[n] = m, moment2[n] = v;
        w[n] = x - m / (sqrtf(v) + tiny) * step;
    }
}
THREE_WAYS(adam, (float *w, const float *gradient, float *moment1, float *moment2, Py_ssize_t count, float keep,
                  float decay, float step, float tiny, const float *numbers),
           (w, gradient, moment1, moment2, count, keep, decay, step, tiny, numbers))

/* A step: `count` items by a rule, whose elements several threads share as if they lay one behind the other. */
typedef struct {
    Item *items;
    Py_ssize_t count;
    int rule, one_by_one;
    float rate, decay;
    const float *numbers;
} Step;

/* Moves `count` elements of an item from `begin` on. */
static void move(const Step *all, const Item *item, Py_ssize_t begin, Py_ssize_t count) {
    float *values = item->values + begin, rate = all->rate, decay = all->decay;
    const float *gradient = item->gradient + begin, *numbers = all->numbers;
    if (all->rule == SGD) sgd(values, gradient, count, rate, decay);
    else if (all->rule == MOMENTUM) momentum(values, gradient, item->states[0] + begin, count, rate, decay, numbers);
    else {
        float correction = sqrtf(1.0f - item->powers[1]), step = rate * correction / (1.0f - item->powers[0]);
        if (!begin) item->states[2][0] = item->powers[0] * numbers[0], item->states[3][0] = item->powers[1] * numbers[2];
        adam(values, gradient, item->states[0] + begin, item->states[1] + begin, count, 1.0f - rate * numbers[5], decay,
             step, correction * numbers[4], numbers);
    }
}

static void some_moved(void *of_all, Py_ssize_t begin, Py_ssize_t end) {
    const Step *all = of_all;
    Py_ssize_t first = 0; /* where the item begins */
    for (Py_ssize_t n = 0; n < all->count && first < end; first += all->items[n++].count) {
        Py_ssize_t from = begin > first ? begin - first : 0, size = all->items[n].count;
        Py_ssize_t to = end - first < size ? end - first : size;
        if (from < to) move(all, all->items + n, from, to - from);
    }
}

/* Moves all items, and nothing of Python runs: whether they are worth the threads. */
static int move_all(Step *all) {
    Py_ssize_t size = 0;
    for (Py_ssize_t n = 0; n < all->count; n++) size += all->items[n].count;
    Py_ssize_t bytes = size * (Py_ssize_t)sizeof(float) * (3 + 2 * of_rule[all->rule].moments);
    if (all->one_by_one) some_moved(all, 0, size);
    else run_parts_undisturbed(some_moved, all, size, bytes);
    return bytes >= WORTH_SHARING;
}

/* What is read */

/* The array of a value, where it is of float32 and lies in order; NULL where not, without an error. */
static Array *floats_of(PyObject *value) {
    PyObject *array = slot(value, of.array);
    return array && is_plain_array(array) && ((Array *)array)->dtype == dtypes_by_kind[FLOAT32] ? (Array *)array : NULL;
}

/* The same where it may be written to: nobody else looks at its memory, as `to_write` in backend/aliasing.py asks. */
static Array *floats_to_write(PyObject *value) {
    Array *array = floats_of(value), *owner = array ? (Array *)array->base : NULL;
    int is_alone = owner && Py_TYPE(owner) == array_type && Py_REFCNT(owner) == 1 && !owner->base;
    return is_alone && array->flags & WRITEABLE ? array : NULL;
}

/* The same of a state, which may be an array of its own that nobody else has: a power that a kernel of NumPy's gave. */
static Array *state_to_write(PyObject *value) {
    Array *array = floats_of(value);
    if (!array || array->base || Py_REFCNT(array) != 1) return floats_to_write(value);
    return array->flags & WRITEABLE ? array : NULL;
}

/* Whether an attribute is None: 1, 0, where it is missing too, or -1 with an error. */
static int is_none(PyObject *object, PyObject *name) {
    PyObject *found = PyObject_GetAttr(object, name);
    if (!found) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
        PyErr_Clear();
        return 0;
    }
    Py_DECREF(found);
    return found == Py_None;
}

/* Whether somebody has a view of a value. */
static int is_viewed(PyObject *value) {
    PyObject *known = slot(value, of.views);
    if (!known || known == Py_None) return 0;
    if (!PyList_CheckExact(known)) return !PyWeakref_CheckRef(known) || referent_of(known);
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(known); n++)
        if (referent_of(PyList_GET_ITEM(known, n))) return 1;
    return 0;
}

/* Whether a parameter has a rate and a penalty of its own, or views: 1 where not, 0 or -1 with an error. */
static int is_like_all(PyObject *parameter) {
    int is_alone = slot(parameter, of.source) == Py_None && !is_viewed(parameter);
    int found = is_alone ? is_none(parameter, str_regularizer) : 0;
    if (found <= 0) return found;
    PyObject *attributes = PyObject_GetAttr(parameter, str_attributes);
    PyObject *rate = attributes && PyDict_CheckExact(attributes) ? PyDict_GetItemWithError(attributes, str_rate) : NULL;
    found = rate && PyFloat_CheckExact(rate) && PyFloat_AS_DOUBLE(rate) == 1.0;
    Py_XDECREF(attributes);
    if (!PyErr_Occurred()) return found;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
}

/* Reads a parameter, its gradient and its state: 1; 0 where it is not what is done here, -1 with an error. `count` stays
   0 where there is no gradient. */
static int read_item(Item *item, PyObject *parameter, PyTypeObject *class, int rule, PyObject *states) {
    PyObject *edge = slot(parameter, of.edge);
    if (edge == Py_None) return 1;
    if (!edge || Py_TYPE(edge) != leaf_type || slot(edge, of.cleared) != Py_False) return 0;
    PyObject *given = slot(edge, of.gradient);
    if (given == Py_None) return 1;
    if (!given || Py_TYPE(given) != class) return 0;
    Array *values = floats_to_write(parameter), *gradient = floats_of(given);
    if (!values || !gradient || values->dimensions_count != gradient->dimensions_count) return 0;
    for (int n = 0; n < values->dimensions_count; n++)
        if (values->dimensions[n] != gradient->dimensions[n]) return 0;
    Py_ssize_t count = size_of((PyObject *)values);
    int fits = count ? is_like_all(parameter) : 0;
    if (fits <= 0) return fits;
    item->owner = values->base;
    PyObject *name = of_rule[rule].states ? PyObject_GetAttr(parameter, str_name) : NULL;
    if (of_rule[rule].states && (!name || !PyUnicode_CheckExact(name))) { /* no name yet */
        Py_XDECREF(name);
        return name ? 0 : -1;
    }
    for (int n = 0; fits > 0 && n < of_rule[rule].states; n++) {
        PyObject *kept = PyDict_GetItemWithError(PyTuple_GET_ITEM(states, n), name);
        Array *state = kept && PyObject_TypeCheck(kept, value_type) ? state_to_write(kept) : NULL;
        int is_power = n >= of_rule[rule].moments;
        fits = !PyErr_Occurred() ? state && size_of((PyObject *)state) == (is_power ? 1 : count) : -1;
        if (fits <= 0) continue;
        item->states[n] = (float *)state->data;
        if (!n) item->owner = state->base ? state->base : (PyObject *)state;
        if (is_power) item->powers[n - of_rule[rule].moments] = item->states[n][0];
    }
    Py_XDECREF(name);
    item->given = Py_NewRef(given);
    item->values = (float *)values->data, item->gradient = (const float *)gradient->data;
    item->count = count;
    return fits;
}

/* Whether memory is there twice, as that of a parameter which is given twice or of two that have one name. */
static int meets_again(const Item *items, Py_ssize_t count) {
    int found = 0;
    for (Py_ssize_t n = 0; n < count; n++) {
        found |= Py_REFCNT(items[n].owner) != 1;
        Py_INCREF(items[n].owner);
    }
    for (Py_ssize_t n = 0; n < count; n++) Py_DECREF(items[n].owner);
    return found;
}

/* Reads all that have a gradient into `items`, and makes the views: how many; -1 where this is not done here, -2 with an
   error. `one_by_one`: whether memory is there twice. */
static Py_ssize_t read_all(Item *items, PyObject *parameters, PyTypeObject *class, PyTypeObject *of_parameters, int rule,
                           PyObject *states, int *one_by_one) {
    Py_ssize_t used = 0, together = 0;
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(parameters); n++) {
        PyObject *parameter = PyList_GET_ITEM(parameters, n);
        if (Py_TYPE(parameter) != of_parameters) return -1;
        Item *item = items + used;
        item->parameter = Py_NewRef(parameter);
        int fits = read_item(item, parameter, class, rule, states);
        if (fits <= 0) return fits - 1;
        if (item->count) used++, together += item->count;
        else Py_CLEAR(item->parameter);
        if (together > MOST_TOGETHER) return -1;
    }
    *one_by_one = meets_again(items, used);
    for (Py_ssize_t n = 0; n < used; n++) { /* once all are known to be alone: a parameter may be there twice */
        Array *array = (Array *)slot(items[n].parameter, of.array);
        items[n].view = new_view((PyObject *)array, array->dimensions_count, array->dimensions, NULL, array->data);
        if (!items[n].view) return -2;
    }
    return used;
}

/* What `clip` gives of the pairs of parameters and gradients: a new reference, NULL with an error. */
static PyObject *clipped_pairs(const Item *items, Py_ssize_t count, PyObject *clip) {
    PyObject *pairs = PyList_New(count), *clipped = NULL;
    if (!pairs) return NULL;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *pair = PyTuple_Pack(2, items[n].parameter, items[n].given);
        if (!pair) goto done;
        PyList_SET_ITEM(pairs, n, pair);
    }
    clipped = PyObject_CallOneArg(clip, pairs);
done:
    Py_DECREF(pairs);
    return clipped;
}

/* Takes the gradients from clipped pairs: 0 where they are not what is done here. */
static int take_gradients(Item *items, Py_ssize_t count, PyObject *pairs, PyTypeObject *class) {
    if (!PyList_CheckExact(pairs) || PyList_GET_SIZE(pairs) != count) return 0;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *pair = PyList_GET_ITEM(pairs, n);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2 || PyTuple_GET_ITEM(pair, 0) != items[n].parameter
            || Py_TYPE(PyTuple_GET_ITEM(pair, 1)) != class)
            return 0;
        Array *gradient = floats_of(PyTuple_GET_ITEM(pair, 1));
        if (!gradient || size_of((PyObject *)gradient) != items[n].count) return 0;
        Py_SETREF(items[n].given, Py_NewRef(PyTuple_GET_ITEM(pair, 1)));
        items[n].gradient = (const float *)gradient->data;
    }
    return 1;
}

static void let_go(Item *items, Py_ssize_t count) {
    for (Py_ssize_t n = 0; n < count; n++) {
        Py_XDECREF(items[n].parameter);
        Py_XDECREF(items[n].given);
        Py_XDECREF(items[n].view);
        items[n] = (Item){.count = 0};
    }
}

/* Gives a parameter its new array; Python does where something holds the old one. -1 with an error. */
static int give(Item *item) {
    PyObject **place = (PyObject **)((char *)item->parameter + of.array), *old = *place;
    if (old && Py_REFCNT(old) == 1) {
        *place = item->view;
        item->view = NULL;
        Py_DECREF(old);
        return 0;
    }
    PyObject *nothing = PyObject_CallMethodOneArg(item->parameter, str_update, item->view);
    Py_XDECREF(nothing);
    return nothing ? 0 : -1;
}

static int numbers_in(PyObject *given, int count, float *numbers) {
    if (PyTuple_GET_SIZE(given) != count) return 0;
    for (int n = 0; n < count; n++) {
        if (!PyFloat_CheckExact(PyTuple_GET_ITEM(given, n))) return 0;
        numbers[n] = (float)PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(given, n));
    }
    return 1;
}

const char take_step_doc[] =
    "take_step($module, rule, op, parameters, states, rate, decay, numbers, clip, /)\n--\n\n"
    "Whether the step of an operator of many parameters has been taken: nothing has changed where not. `states`: dicts by\n"
    "parameters' names, one a state of the rule; `rate`: a function that tells the rate; `numbers`: the rule's own;\n"
    "`clip`: what gives clipped gradients for the pairs of parameters and gradients, or None: it may be called in vain.";

PyObject *take_step(PyObject *module, PyObject *arguments) {
    PyObject *op, *parameters, *states, *rate_of, *own, *clip;
    int rule, one_by_one = 0;
    double decay;
    float numbers[MOST_NUMBERS];
    if (!PyArg_ParseTuple(arguments, "iOO!O!OdO!O", &rule, &op, &PyList_Type, &parameters, &PyTuple_Type, &states, &rate_of,
                          &decay, &PyTuple_Type, &own, &clip))
        return NULL;
    if (rule < 0 || rule >= RULES || PyTuple_GET_SIZE(states) != of_rule[rule].states) {
        PyErr_SetString(PyExc_TypeError, "take_step: a rule that is known, and a dict for each of its states, are needed.");
        return NULL;
    }
    if (!value_type || !numbers_in(own, of_rule[rule].numbers, numbers)) Py_RETURN_FALSE;
    for (int n = 0; n < of_rule[rule].states; n++)
        if (!PyDict_CheckExact(PyTuple_GET_ITEM(states, n))) Py_RETURN_FALSE;
    PyObject *class = NULL, *of_parameters = NULL, *rate = NULL;
    Item *items = NULL;
    Py_ssize_t used = -1, made = 0;
    int is_undisturbed = classes_undisturbed(op, &class, &of_parameters);
    if (is_undisturbed < 0) used = -2;
    if (is_undisturbed <= 0) goto done;
    used = -2;
    if (!(rate = PyObject_CallNoArgs(rate_of))) goto done;
    made = PyList_GET_SIZE(parameters);
    if (!(items = PyMem_Calloc(made ? (size_t)made : 1, sizeof *items))) {
        PyErr_NoMemory();
        goto done;
    }
    used = !PyFloat_CheckExact(rate) ? -1
        : read_all(items, parameters, (PyTypeObject *)class, (PyTypeObject *)of_parameters, rule, states, &one_by_one);
    if (used > 0 && clip != Py_None) {
        PyObject *pairs = clipped_pairs(items, used, clip);
        Py_ssize_t before = used;
        let_go(items, made); /* and reads them again: code of Python has run, in other threads too */
        used = !pairs ? -2 : PyList_GET_SIZE(parameters) != made ? -1
            : read_all(items, parameters, (PyTypeObject *)class, (PyTypeObject *)of_parameters, rule, states, &one_by_one);
        if (used >= 0 && (used != before || !take_gradients(items, used, pairs, (PyTypeObject *)class))) used = -1;
        Py_XDECREF(pairs);
    }
    if (used > 0) {
        Step all = {items, used, rule, one_by_one, (float)PyFloat_AS_DOUBLE(rate), (float)decay, numbers};
        int is_large = move_all(&all);
        for (Py_ssize_t n = 0; n < used; n++)
            if (give(items + n) < 0) used = -2; /* which ends it */
        if (used > 0 && is_large && know_team() < 0) used = -2;
    }
done:
    if (items) let_go(items, made);
    PyMem_Free(items);
    Py_XDECREF(class);
    Py_XDECREF(of_parameters);
    Py_XDECREF(rate);
    return used == -2 ? NULL : PyBool_FromLong(used >= 0);
}

const char serve_steps_doc[] =
    "serve_steps($module, value, leaf, /)\n--\n\n"
    "Takes the classes of values and of leaves. TypeError where they have not the slots that a step reads.";

PyObject *serve_steps(PyObject *module, PyObject *arguments) {
    PyTypeObject *value, *leaf;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &value, &PyType_Type, &leaf)) return NULL;
    struct { Py_ssize_t *place; PyTypeObject *type; const char *name; } slots[] = {
        {&of.array, value, "_array"}, {&of.edge, value, "_edge"}, {&of.source, value, "_source"},
        {&of.views, value, "_views"},        {&of.gradient, leaf, "grad"}, {&of.cleared, leaf, "cleared"}};
    for (size_t n = 0; n < sizeof slots / sizeof *slots; n++)
        if ((*slots[n].place = offset_of(slots[n].type, slots[n].name)) < 0) return NULL;
    struct { PyObject **place; const char *text; } texts[] = {
        {&str_name, "_name"}, {&str_regularizer, "regularizer"},
        {&str_attributes, "optimize_attr"}, {&str_rate, "learning_rate"}, {&str_update, "_update"}};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    leaf_type = leaf, value_type = value;
    Py_RETURN_NONE;
}
