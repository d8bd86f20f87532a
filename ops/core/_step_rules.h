/* The loops of optimizers' steps, by rule. What they mean stands in Python, in `ops/optim/rules.py` and
   `ops/optim/adaptive_rules.py`: each product, sum and quotient is rounded by itself and in the order there, so that the
   results are the same to the last bit. */
#ifndef PROA_STEP_RULES_H
#define PROA_STEP_RULES_H

#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { SGD, MOMENTUM, ADAM, ADAGRAD, ADADELTA, ADAMAX, RMSPROP, LAMB, RULES };
enum { MOST_STATES = 4, MOST_NUMBERS = 7 };

/* What a rule keeps: moments, as large as the parameter, and behind them powers, one number each; how many numbers it is
   told. */
static const struct { int moments, states, numbers; } of_rule[RULES] = {
    [SGD] = {0, 0, 0},
    [MOMENTUM] = {1, 1, 3}, /* mu, nesterov, rescale */
    [ADAM] = {2, 4, 7},     /* beta1, 1 - beta1, beta2, 1 - beta2, epsilon, share that decays, ratio */
    [ADAGRAD] = {1, 1, 1},  /* epsilon */
    [ADADELTA] = {2, 2, 3}, /* rho, 1 - rho, epsilon */
    [ADAMAX] = {2, 3, 4},   /* beta1, 1 - beta1, beta2, epsilon */
    [RMSPROP] = {3, 3, 5},  /* rho, 1 - rho, epsilon, momentum, centered */
    [LAMB] = {2, 4, 7},     /* as adam's up to epsilon, share that decays, whether always by lengths */
};

enum { NO_PENALTY, L2_PENALTY, L1_PENALTY };

/* A parameter and what its step needs. */
typedef struct {
    float *values, *states[MOST_STATES], powers[2];
    const float *gradient;
    Py_ssize_t count;
    float rate, coefficient; /* of the penalty */
    int penalty;
    float numbers[MOST_NUMBERS];
} Update;

/* Gradients with their penalties. An L2 penalty is added behind the rescaling, as the rule itself does it. */

INLINE void penalized_body(float *restrict out, const float *restrict gradient, const float *restrict w, Py_ssize_t count,
                           float rescale, int penalty, float coefficient) {
    if (penalty == L2_PENALTY)
        for (Py_ssize_t n = 0; n < count; n++) out[n] = gradient[n] * rescale + w[n] * coefficient;
    else if (penalty == L1_PENALTY)
        for (Py_ssize_t n = 0; n < count; n++) {
            float sign = w[n] > 0.0f ? 1.0f : w[n] < 0.0f ? -1.0f : w[n] == 0.0f ? 0.0f : w[n];
            out[n] = (gradient[n] + sign * coefficient) * rescale;
        }
    else
        for (Py_ssize_t n = 0; n < count; n++) out[n] = gradient[n] * rescale;
}
TWO_WAYS(penalized, (float *out, const float *gradient, const float *w, Py_ssize_t count, float rescale, int penalty,
                     float coefficient), (out, gradient, w, count, rescale, penalty, coefficient))

/* The rules, over so many elements. */

INLINE void sgd_body(float *restrict w, const float *restrict g, Py_ssize_t count, float rate) {
    for (Py_ssize_t n = 0; n < count; n++) w[n] = w[n] - rate * g[n];
}
TWO_WAYS(sgd, (float *w, const float *g, Py_ssize_t count, float rate), (w, g, count, rate))

INLINE void momentum_body(float *restrict w, const float *restrict g, float *restrict velocity, Py_ssize_t count,
                          float rate, const float *numbers) {
    float mu = numbers[0];
    int nesterov = numbers[1] != 0.0f;
    for (Py_ssize_t n = 0; n < count; n++) {
        float v = velocity[n] * mu + g[n];
        velocity[n] = v;
        w[n] = w[n] - rate * (nesterov ? g[n] + v * mu : v);
    }
}
TWO_WAYS(momentum, (float *w, const float *g, float *velocity, Py_ssize_t count, float rate, const float *numbers),
         (w, g, velocity, count, rate, numbers))

INLINE void adam_body(float *restrict w, const float *restrict g, float *restrict moment1, float *restrict moment2,
                      Py_ssize_t count, float keep, float step, float tiny, const float *numbers) {
    float beta1 = numbers[0], rest1 = numbers[1], beta2 = numbers[2], rest2 = numbers[3];
    for (Py_ssize_t n = 0; n < count; n++) {
        float m = moment1[n] * beta1 + g[n] * rest1, v = moment2[n] * beta2 + g[n] * g[n] * rest2;
        moment1[n] = m, moment2[n] = v;
        w[n] = w[n] * keep - m / (sqrtf(v) + tiny) * step;
    }
}
THREE_WAYS(adam, (float *w, const float *g, float *moment1, float *moment2, Py_ssize_t count, float keep, float step,
                float tiny, const float *numbers), (w, g, moment1, moment2, count, keep, step, tiny, numbers))

INLINE void adagrad_body(float *restrict w, const float *restrict g, float *restrict moment, Py_ssize_t count, float rate,
                         float epsilon) {
    for (Py_ssize_t n = 0; n < count; n++) {
        float m = moment[n] + g[n] * g[n];
        moment[n] = m;
        w[n] = w[n] - rate * g[n] / (sqrtf(m) + epsilon);
    }
}
TWO_WAYS(adagrad, (float *w, const float *g, float *moment, Py_ssize_t count, float rate, float epsilon),
         (w, g, moment, count, rate, epsilon))

INLINE void adadelta_body(float *restrict w, const float *restrict g, float *restrict squared_gradient,
                          float *restrict squared_update, Py_ssize_t count, float rate, const float *numbers) {
    float rho = numbers[0], rest = numbers[1], epsilon = numbers[2];
    for (Py_ssize_t n = 0; n < count; n++) {
        float s = squared_gradient[n] * rho + rest * g[n] * g[n];
        float step = sqrtf((squared_update[n] + epsilon) / (s + epsilon)) * g[n];
        squared_gradient[n] = s;
        squared_update[n] = squared_update[n] * rho + rest * step * step;
        w[n] = w[n] - rate * step;
    }
}
TWO_WAYS(adadelta, (float *w, const float *g, float *squared_gradient, float *squared_update, Py_ssize_t count, float rate,
                    const float *numbers), (w, g, squared_gradient, squared_update, count, rate, numbers))

INLINE void adamax_body(float *restrict w, const float *restrict g, float *restrict moment, float *restrict largest,
                        Py_ssize_t count, float rate, const float *numbers) {
    float beta1 = numbers[0], rest1 = numbers[1], beta2 = numbers[2], epsilon = numbers[3];
    for (Py_ssize_t n = 0; n < count; n++) {
        float m = moment[n] * beta1 + rest1 * g[n], u = largest[n] * beta2 + epsilon, size = fabsf(g[n]);
        u = u >= size || u != u ? u : size;
        moment[n] = m, largest[n] = u;
        w[n] = w[n] - rate * m / u;
    }
}
TWO_WAYS(adamax, (float *w, const float *g, float *moment, float *largest, Py_ssize_t count, float rate,
                  const float *numbers), (w, g, moment, largest, count, rate, numbers))

INLINE void rmsprop_body(float *restrict w, const float *restrict g, float *restrict velocity, float *restrict square,
                         float *restrict mean, Py_ssize_t count, float rate, const float *numbers) {
    float rho = numbers[0], rest = numbers[1], epsilon = numbers[2], momentum = numbers[3];
    int centered = numbers[4] != 0.0f;
    for (Py_ssize_t n = 0; n < count; n++) {
        float s = square[n] * rho + rest * g[n] * g[n], spread = s;
        square[n] = s;
        if (centered) {
            float m = mean[n] * rho + rest * g[n];
            mean[n] = m, spread = s - m * m;
        }
        float v = velocity[n] * momentum + rate * g[n] / sqrtf(spread + epsilon);
        velocity[n] = v;
        w[n] = w[n] - v;
    }
}
TWO_WAYS(rmsprop, (float *w, const float *g, float *velocity, float *square, float *mean, Py_ssize_t count, float rate,
                   const float *numbers), (w, g, velocity, square, mean, count, rate, numbers))

INLINE void lamb_body(float *restrict step, const float *restrict w, const float *restrict g, float *restrict moment1,
                      float *restrict moment2, Py_ssize_t count, float rest_of_power1, float rest_of_power2,
                      const float *numbers) {
    float beta1 = numbers[0], rest1 = numbers[1], beta2 = numbers[2], rest2 = numbers[3], epsilon = numbers[4];
    float share = numbers[5];
    for (Py_ssize_t n = 0; n < count; n++) {
        float m = moment1[n] * beta1 + rest1 * g[n], v = moment2[n] * beta2 + rest2 * g[n] * g[n];
        moment1[n] = m, moment2[n] = v;
        step[n] = m / rest_of_power1 / (sqrtf(v / rest_of_power2) + epsilon) + share * w[n];
    }
}
TWO_WAYS(lamb, (float *step, const float *w, const float *g, float *moment1, float *moment2, Py_ssize_t count,
                float rest_of_power1, float rest_of_power2, const float *numbers),
         (step, w, g, moment1, moment2, count, rest_of_power1, rest_of_power2, numbers))

INLINE void squares_body(float *restrict out, const float *restrict x, Py_ssize_t count) {
    for (Py_ssize_t n = 0; n < count; n++) out[n] = x[n] * x[n];
}
TWO_WAYS(squares, (float *out, const float *x, Py_ssize_t count), (out, x, count))

static float length_of(const float *x, Py_ssize_t count, float *room) {
    squares(room, x, count);
    return sqrtf(sum_of_floats(room, count));
}

/* The rate of lamb's step, which is as long, relative to the parameter, as the rate says. */
static float rate_of_lamb(const Update *it, const float *step, float *room) {
    if (!(it->numbers[5] > 0.0f) && it->numbers[6] == 0.0f) return it->rate;
    float length = length_of(it->values, it->count, room), of_step = length_of(step, it->count, room);
    return length > 0.0f && of_step > 0.0f ? it->rate * length / of_step : it->rate;
}

/* How many floats `take` needs beside for a parameter of so many elements. */
static inline Py_ssize_t room_of(int rule, Py_ssize_t count) { return rule == LAMB ? 2 * count : 0; }

/* Takes the step of a parameter from `begin` up to `end`: a part at a time, whose gradient with its penalty stays in the
   cache. The powers are written with the first element; what lamb does waits for the whole of its step in the room. */
static void take(const Update *it, int rule, Py_ssize_t begin, Py_ssize_t end, float *room) {
    enum { PART = 1024 };
    float gradients[PART], rate = it->rate, correction = 1.0f, step = rate, rescale = 1.0f;
    const float *numbers = it->numbers;
    if (rule == MOMENTUM) rescale = numbers[2];
    if (rule == ADAM) {
        rate = rate * numbers[6];
        correction = sqrtf(1.0f - it->powers[1]), step = rate * correction / (1.0f - it->powers[0]);
    }
    if (rule == ADAMAX) step = rate / (1.0f - it->powers[0]);
    for (Py_ssize_t start = begin; start < end; start += PART) {
        Py_ssize_t count = end - start < PART ? end - start : PART;
        float *w = it->values + start, *states[MOST_STATES] = {NULL};
        for (int n = 0; n < of_rule[rule].moments; n++) states[n] = it->states[n] + start;
        const float *g = it->gradient + start;
        if (it->penalty != NO_PENALTY || rescale != 1.0f) {
            penalized(gradients, g, w, count, rescale, it->penalty, it->coefficient);
            g = gradients;
        }
        switch (rule) {
            case SGD: sgd(w, g, count, rate); break;
            case MOMENTUM: momentum(w, g, states[0], count, rate, numbers); break;
            case ADAM:
                adam(w, g, states[0], states[1], count, 1.0f - rate * numbers[5], step, correction * numbers[4], numbers);
                break;
            case ADAGRAD: adagrad(w, g, states[0], count, rate, numbers[0]); break;
            case ADADELTA: adadelta(w, g, states[0], states[1], count, rate, numbers); break;
            case ADAMAX: adamax(w, g, states[0], states[1], count, step, numbers); break;
            case RMSPROP: rmsprop(w, g, states[0], states[1], states[2], count, rate, numbers); break;
            default:
                lamb(room + start, w, g, states[0], states[1], count, 1.0f - it->powers[0], 1.0f - it->powers[1], numbers);
        }
    }
    if (rule == LAMB) sgd(it->values, room, it->count, rate_of_lamb(it, room, room + it->count));
    for (int n = of_rule[rule].moments, power = 0; !begin && n < of_rule[rule].states; n++, power++)
        it->states[n][0] = it->powers[power] * numbers[2 * power]; /* beta1, beta2 */
}

#endif
