/* A step of an optimizer over all its parameters: one call. What it means stands in Python, in `optimizer/optimizer.py`;
   `_step_rules.h` has the rules' loops, whose numbers are those of the operators, to the last bit. It declines what is not
   the common case before anything has changed: parameters of float32 that nothing but the optimizer's Tensors look at, with
   gradients of their own shape and a state that is there. */
#include "_step_rules.h"
#include "_team.h"

typedef struct {
    PyObject *parameter, *given; /* given: the value of the gradient */
    PyObject *view;              /* a new one of the same memory, by which others know of the change */
    PyObject *held;              /* the memory of its first state, which no other may have as its own */
    Py_ssize_t part;
    Update update;
} Item;

/* Parameters of which the same is said: a group's, or those in none. */
typedef struct {
    PyObject *penalty, *clip, *ask; /* of the tuple that it was read from */
    PyObject *pairs, *own;          /* what the functions `clip` and `ask` gave */
    Py_ssize_t clipped, asked;      /* how many of them are taken */
    float factor, numbers[MOST_NUMBERS];
} Part;

/* What a step is told. */
typedef struct {
    PyObject *parameters, *states, *index, *before, *penalties;
    PyTypeObject *of_values, *of_parameters;
    Part *parts;
    Py_ssize_t parts_count;
    int rule;
    float rate;
} Step;

static struct { Py_ssize_t array, edge, source, views, gradient, cleared; } of;
static PyTypeObject *value_type, *leaf_type;
static PyObject *str_name, *str_regularizer, *str_attributes, *str_rate, *str_update, *str_coefficient;

static inline PyObject *slot(PyObject *object, Py_ssize_t offset) { return *(PyObject **)((char *)object + offset); }

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

/* Whether somebody has a view of a value. */
static int is_viewed(PyObject *value) {
    PyObject *known = slot(value, of.views);
    if (!known || known == Py_None) return 0;
    if (!PyList_CheckExact(known)) return !PyWeakref_CheckRef(known) || referent_of(known);
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(known); n++)
        if (referent_of(PyList_GET_ITEM(known, n))) return 1;
    return 0;
}

/* A number that is a float or an int: 1; 0 where it is something else. */
static int number_in(PyObject *given, double *number) {
    if (!given || !(PyFloat_CheckExact(given) || PyLong_CheckExact(given))) return 0;
    *number = PyFloat_AsDouble(given);
    if (*number != -1.0 || !PyErr_Occurred()) return 1;
    PyErr_Clear(); /* an int that no float is near to */
    return 0;
}

static int numbers_in(PyObject *given, int count, float *numbers) {
    if (!PyTuple_CheckExact(given) || PyTuple_GET_SIZE(given) != count) return 0;
    for (int n = 0; n < count; n++) {
        if (!PyFloat_CheckExact(PyTuple_GET_ITEM(given, n))) return 0;
        numbers[n] = (float)PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(given, n));
    }
    return 1;
}

/* An attribute; NULL where it is missing, or with an error. */
static PyObject *attribute_of(PyObject *object, PyObject *name) {
    PyObject *found = PyObject_GetAttr(object, name);
    if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return found;
}

/* Reads what a penalty adds, None or one of the two kinds: 1, 0 for another, -1 with an error. */
static int read_penalty(Update *update, PyObject *penalty, PyObject *kinds) {
    double coefficient = 0.0;
    update->penalty = NO_PENALTY;
    if (penalty == Py_None) return 1;
    int kind = (PyObject *)Py_TYPE(penalty) == PyTuple_GET_ITEM(kinds, 0) ? L2_PENALTY
        : (PyObject *)Py_TYPE(penalty) == PyTuple_GET_ITEM(kinds, 1) ? L1_PENALTY : NO_PENALTY;
    PyObject *given = kind ? attribute_of(penalty, str_coefficient) : NULL;
    int found = number_in(given, &coefficient);
    Py_XDECREF(given);
    if (PyErr_Occurred()) return -1;
    update->coefficient = (float)coefficient;
    if (found && (kind == L1_PENALTY || coefficient != 0.0)) update->penalty = kind;
    return found;
}

/* Reads the rate and the penalty of a parameter that has views of nobody, and what its part says where it brings nothing:
   1, 0, or -1 with an error. `before`: the factor and the penalty that it brought when it came into its group. */
static int read_options(Item *item, PyObject *before, const Step *step) {
    const Part *part = step->parts + item->part;
    PyObject *parameter = item->parameter;
    if (slot(parameter, of.source) != Py_None || is_viewed(parameter)) return 0;
    PyObject *penalty = attribute_of(parameter, str_regularizer), *attributes = NULL;
    double factor, factor_before;
    int found = 0;
    if (!penalty || (before && (penalty != Py_None || PyTuple_GET_ITEM(before, 1) != Py_None))) goto done;
    found = read_penalty(&item->update, penalty == Py_None ? part->penalty : penalty, step->penalties);
    if (found <= 0) goto done;
    attributes = attribute_of(parameter, str_attributes);
    found = attributes && PyDict_CheckExact(attributes)
        && number_in(PyDict_GetItemWithError(attributes, str_rate), &factor);
    if (found && before) {
        found = number_in(PyTuple_GET_ITEM(before, 0), &factor_before);
        if (found && factor == factor_before) factor = part->factor;
    }
    if (found) item->update.rate = step->rate * (float)factor;
done:
    Py_XDECREF(penalty);
    Py_XDECREF(attributes);
    return PyErr_Occurred() ? -1 : found;
}

/* Reads the part of a parameter, and from the state what a rule keeps for it: 1, 0, or -1 with an error. */
static int read_named(Item *item, PyObject *name, const Step *step) {
    Update *update = &item->update;
    PyObject *before = NULL;
    int has_groups = step->parts_count > 1, rule = step->rule;
    item->part = 0;
    if (has_groups) {
        PyObject *number = PyDict_GetItemWithError(step->index, name);
        if (number && PyLong_CheckExact(number)) item->part = PyLong_AsSsize_t(number) + 1;
        before = number ? PyDict_GetItemWithError(step->before, name) : NULL;
        if (PyErr_Occurred()) return -1;
        if (item->part < 0 || item->part >= step->parts_count) return 0;
        if (number && !(item->part && before && PyTuple_CheckExact(before) && PyTuple_GET_SIZE(before) == 2)) return 0;
    }
    int fits = read_options(item, before, step);
    for (int n = 0; fits > 0 && n < of_rule[rule].states; n++) {
        PyObject *kept = PyDict_GetItemWithError(PyTuple_GET_ITEM(step->states, n), name);
        Array *state = kept && PyObject_TypeCheck(kept, value_type) ? state_to_write(kept) : NULL;
        int is_power = n >= of_rule[rule].moments;
        fits = !PyErr_Occurred() ? state && size_of((PyObject *)state) == (is_power ? 1 : update->count) : -1;
        if (fits <= 0) continue;
        update->states[n] = (float *)state->data;
        if (!n) item->held = Py_NewRef(state->base ? state->base : (PyObject *)state);
        if (is_power) update->powers[n - of_rule[rule].moments] = update->states[n][0];
    }
    return fits;
}

/* Reads a parameter, its gradient and its state: 1; 0 where it is not what is done here, -1 with an error. The count stays
   0 where there is no gradient. */
static int read_item(Item *item, const Step *step) {
    PyObject *parameter = item->parameter, *edge = slot(parameter, of.edge);
    if (edge == Py_None) return 1;
    if (!edge || Py_TYPE(edge) != leaf_type || slot(edge, of.cleared) != Py_False) return 0;
    PyObject *given = slot(edge, of.gradient);
    if (given == Py_None) return 1;
    if (!given || Py_TYPE(given) != step->of_values) return 0;
    Array *values = floats_to_write(parameter), *gradient = floats_of(given);
    if (!values || !gradient || values->dimensions_count != gradient->dimensions_count) return 0;
    for (int n = 0; n < values->dimensions_count; n++)
        if (values->dimensions[n] != gradient->dimensions[n]) return 0;
    Py_ssize_t count = size_of((PyObject *)values);
    PyObject *name = count ? PyObject_GetAttr(parameter, str_name) : NULL;
    if (!name || !PyUnicode_CheckExact(name)) { /* no name yet */
        int failed = count && !name;
        Py_XDECREF(name);
        return failed ? -1 : 0;
    }
    item->given = Py_NewRef(given);
    item->update.values = (float *)values->data, item->update.gradient = (const float *)gradient->data;
    item->update.count = count;
    int fits = read_named(item, name, step);
    Py_DECREF(name);
    if (fits <= 0) return fits;
    memcpy(item->update.numbers, step->parts[item->part].numbers, sizeof item->update.numbers);
    item->view = new_view((PyObject *)values, values->dimensions_count, values->dimensions, NULL, values->data);
    return item->view ? 1 : -1; /* what is there twice, a parameter or a state, is not alone any more */
}

/* Reads all that have a gradient into `items`: how many; -1 where this is not done here, -2 with an error. */
static Py_ssize_t read_all(Item *items, Py_ssize_t made, const Step *step) {
    Py_ssize_t used = 0;
    if (PyList_GET_SIZE(step->parameters) != made) return -1;
    for (Py_ssize_t n = 0; n < made; n++) {
        PyObject *parameter = PyList_GET_ITEM(step->parameters, n);
        if (Py_TYPE(parameter) != step->of_parameters) return -1;
        Item *item = items + used;
        item->parameter = Py_NewRef(parameter);
        int fits = read_item(item, step);
        if (fits <= 0) return fits - 1;
        if (item->update.count) used++;
        else Py_CLEAR(item->parameter);
    }
    return used;
}

static void let_go(Item *items, Py_ssize_t count) {
    for (Py_ssize_t n = 0; n < count; n++) {
        Py_XDECREF(items[n].parameter);
        Py_XDECREF(items[n].given);
        Py_XDECREF(items[n].view);
        Py_XDECREF(items[n].held);
        items[n] = (Item){.part = 0};
    }
}

/* What functions say of the gradients and of the parameters of a part */

/* The parameters of a part with their gradients, or they alone: a new list, NULL with an error. */
static PyObject *listed(const Item *items, Py_ssize_t count, Py_ssize_t part, int with_gradients) {
    PyObject *list = PyList_New(0);
    for (Py_ssize_t n = 0; list && n < count; n++) {
        if (items[n].part != part) continue;
        PyObject *parameter = items[n].parameter;
        PyObject *entry = with_gradients ? PyTuple_Pack(2, parameter, items[n].given) : Py_NewRef(parameter);
        if (!entry || PyList_Append(list, entry) < 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* What a part's function gives of that list: -1 with an error. None says that there is no function. */
static int asked(PyObject **answer, PyObject *function, const Item *items, Py_ssize_t count, Py_ssize_t part,
                 int with_gradients) {
    if (function == Py_None) return 0;
    PyObject *list = listed(items, count, part, with_gradients);
    if (list && PyList_GET_SIZE(list)) *answer = PyObject_CallOneArg(function, list);
    else if (list) *answer = PyList_New(0);
    Py_XDECREF(list);
    return *answer ? 0 : -1;
}

/* Takes a parameter's gradient from clipped pairs: 0 where they are not what is done here. */
static int take_gradient(Item *item, Part *part, PyTypeObject *class) {
    if (!PyList_CheckExact(part->pairs) || part->clipped >= PyList_GET_SIZE(part->pairs)) return 0;
    PyObject *pair = PyList_GET_ITEM(part->pairs, part->clipped++);
    if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2 || PyTuple_GET_ITEM(pair, 0) != item->parameter
        || Py_TYPE(PyTuple_GET_ITEM(pair, 1)) != class)
        return 0;
    Array *gradient = floats_of(PyTuple_GET_ITEM(pair, 1));
    if (!gradient || size_of((PyObject *)gradient) != item->update.count) return 0;
    Py_SETREF(item->given, Py_NewRef(PyTuple_GET_ITEM(pair, 1)));
    item->update.gradient = (const float *)gradient->data;
    return 1;
}

/* Takes a parameter's numbers from those that a function gave. */
static int take_numbers(Item *item, Part *part, int rule) {
    if (!PyList_CheckExact(part->own) || part->asked >= PyList_GET_SIZE(part->own)) return 0;
    return numbers_in(PyList_GET_ITEM(part->own, part->asked++), of_rule[rule].numbers, item->update.numbers);
}

/* Asks the functions of all parts, and reads all again, since code of Python has run, in other threads too. Functions of
   parameters are asked last, when all but what has changed meanwhile is known to be done here. */
static Py_ssize_t read_with_functions(Item *items, Py_ssize_t used, Py_ssize_t made, const Step *step) {
    Part *parts = step->parts;
    int has_functions = 0;
    for (Py_ssize_t p = 0; p < step->parts_count; p++) has_functions |= parts[p].clip != Py_None || parts[p].ask != Py_None;
    if (!has_functions) return used;
    for (Py_ssize_t p = 0; p < step->parts_count; p++)
        if (asked(&parts[p].pairs, parts[p].clip, items, used, p, 1) < 0) return -2;
    for (Py_ssize_t p = 0; p < step->parts_count; p++)
        if (asked(&parts[p].own, parts[p].ask, items, used, p, 0) < 0) return -2;
    let_go(items, made);
    Py_ssize_t again = read_all(items, made, step);
    if (again != used) return again < 0 ? again : -1;
    for (Py_ssize_t n = 0; n < used; n++) {
        Part *part = parts + items[n].part;
        if (part->pairs && !take_gradient(items + n, part, step->of_values)) return -1;
        if (part->own && !take_numbers(items + n, part, step->rule)) return -1;
    }
    return used;
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

/* The steps of `count` items, whose elements several threads share as if they lay one behind the other. */
typedef struct {
    const Item *items;
    Py_ssize_t count;
    int rule;
    float *room;
} Shared;

static void some_taken(void *of_all, Py_ssize_t begin, Py_ssize_t end) {
    const Shared *all = of_all;
    Py_ssize_t first = 0; /* where the item begins */
    for (Py_ssize_t n = 0; n < all->count && first < end; n++) {
        const Update *it = &all->items[n].update;
        Py_ssize_t from = begin > first ? begin - first : 0, to = end - first < it->count ? end - first : it->count;
        if (from < to) take(it, all->rule, from, to, all->room);
        first += it->count;
    }
}

/* Takes the steps; nothing of Python runs meanwhile. How many, -2 with an error. */
static Py_ssize_t take_all(Item *items, Py_ssize_t used, int rule) {
    Py_ssize_t most = 0, size = 0, given = used;
    for (Py_ssize_t n = 0; n < used; n++) {
        Py_ssize_t count = items[n].update.count;
        most = count > most ? count : most, size += count;
    }
    Py_ssize_t needed = room_of(rule, most), bytes = size * (Py_ssize_t)sizeof(float) * (3 + 2 * of_rule[rule].moments);
    Shared all = {items, used, rule, needed ? PyMem_Malloc((size_t)needed * sizeof(float)) : NULL};
    if (needed && !all.room) {
        PyErr_NoMemory();
        return -2;
    }
    if (needed) some_taken(&all, 0, size); /* a room for one at a time */
    else run_parts_undisturbed(some_taken, &all, size, bytes);
    PyMem_Free(all.room);
    for (Py_ssize_t n = 0; n < used; n++)
        if (give(items + n) < 0) given = -2; /* which ends it */
    return given == used && bytes >= WORTH_SHARING && know_team() < 0 ? -2 : given;
}

/* Reads (factor, penalty, numbers, clip, ask): 0 where it is not what is done here. */
static int read_part(Part *part, PyObject *given, int rule) {
    double factor;
    if (!PyTuple_CheckExact(given) || PyTuple_GET_SIZE(given) != 5) return 0;
    if (!number_in(PyTuple_GET_ITEM(given, 0), &factor)) return 0;
    part->factor = (float)factor;
    part->penalty = PyTuple_GET_ITEM(given, 1);
    part->clip = PyTuple_GET_ITEM(given, 3), part->ask = PyTuple_GET_ITEM(given, 4);
    return numbers_in(PyTuple_GET_ITEM(given, 2), of_rule[rule].numbers, part->numbers);
}

const char take_step_doc[] =
    "take_step($module, rule, op, parameters, states, rate, parts, index, before, penalties, /)\n--\n\n"
    "Whether the step of an operator has been taken: nothing has changed where not. `states`: dicts by parameters' names,\n"
    "one a state of the rule; `rate`: a function that tells the rate; `parts`: of parameters in no group and of each\n"
    "group (factor, penalty, numbers, clip, ask). `clip` gives clipped gradients for pairs of parameters and gradients,\n"
    "and may be called in vain; `ask` gives each parameter's numbers for a list of parameters; either may be None.\n"
    "`index`: the groups by parameters' names, from 0; `before`: what a parameter brought to its group; `penalties`: the\n"
    "classes of L2 and L1 penalties.";

PyObject *take_step(PyObject *module, PyObject *arguments) {
    PyObject *op, *rate_of, *parts, *class = NULL, *of_parameters = NULL, *rate = NULL;
    Step step = {.rule = 0};
    if (!PyArg_ParseTuple(arguments, "iOO!O!OO!O!O!O!", &step.rule, &op, &PyList_Type, &step.parameters, &PyTuple_Type,
                          &step.states, &rate_of, &PyTuple_Type, &parts, &PyDict_Type, &step.index, &PyDict_Type,
                          &step.before, &PyTuple_Type, &step.penalties))
        return NULL;
    if (step.rule < 0 || step.rule >= RULES || PyTuple_GET_SIZE(step.states) != of_rule[step.rule].states
        || PyTuple_GET_SIZE(step.penalties) != 2 || !PyTuple_GET_SIZE(parts)) {
        PyErr_SetString(PyExc_TypeError, "take_step: a rule that is known, a dict for each of its states, a part and two "
                                         "kinds of penalties are needed.");
        return NULL;
    }
    if (!value_type) Py_RETURN_FALSE;
    for (int n = 0; n < of_rule[step.rule].states; n++)
        if (!PyDict_CheckExact(PyTuple_GET_ITEM(step.states, n))) Py_RETURN_FALSE;
    Part one = {.penalty = NULL};
    Item *items = NULL;
    Py_ssize_t used = -1, made = PyList_GET_SIZE(step.parameters);
    int is_undisturbed = classes_undisturbed(op, &class, &of_parameters);
    if (is_undisturbed < 0) used = -2;
    if (is_undisturbed <= 0) goto done;
    step.of_values = (PyTypeObject *)class, step.of_parameters = (PyTypeObject *)of_parameters;
    used = -2;
    step.parts_count = PyTuple_GET_SIZE(parts);
    step.parts = step.parts_count == 1 ? &one : PyMem_Calloc((size_t)step.parts_count, sizeof one);
    if (!step.parts || !(items = PyMem_Calloc(made ? (size_t)made : 1, sizeof *items))) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t p = 0; p < step.parts_count; p++)
        if (!read_part(step.parts + p, PyTuple_GET_ITEM(parts, p), step.rule)) {
            used = -1;
            goto done;
        }
    if (!(rate = PyObject_CallNoArgs(rate_of))) goto done;
    if (PyFloat_CheckExact(rate)) {
        step.rate = (float)PyFloat_AS_DOUBLE(rate);
        used = read_all(items, made, &step);
        if (used > 0) used = read_with_functions(items, used, made, &step);
        if (used > 0) used = take_all(items, used, step.rule);
    } else used = -1;
done:
    if (items) let_go(items, made);
    PyMem_Free(items);
    for (Py_ssize_t p = 0; step.parts && p < step.parts_count; p++) {
        Py_XDECREF(step.parts[p].pairs);
        Py_XDECREF(step.parts[p].own);
    }
    if (step.parts != &one) PyMem_Free(step.parts);
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
        {&str_attributes, "optimize_attr"}, {&str_rate, "learning_rate"}, {&str_update, "_update"},
        {&str_coefficient, "coeff"}};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    leaf_type = leaf, value_type = value;
    Py_RETURN_NONE;
}
