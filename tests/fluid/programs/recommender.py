"""Ratings of films: features of a person and of a film, whose kinds and title are sequences, and their cosine."""

import numpy as np

PEOPLE, FILMS, KINDS, TITLES = 20, 30, 8, 40


def build(fluid):
    layers = fluid.layers

    def number(name, count, lod_level=0):
        return layers.data(name, [1], dtype="int64", lod_level=lod_level), count

    def looked_up(feature, size, shared=None):
        variable, count = feature
        return layers.embedding(variable, [count, size], dtype="float32", param_attr=shared, is_sparse=True)

    person, gender, age = number("person", PEOPLE), number("gender", 2), number("age", 7)
    described = [layers.fc(looked_up(person, 16, "person_table"), 16),
                 layers.fc(looked_up(gender, 8, "gender_table"), 8), layers.fc(looked_up(age, 8, "age_table"), 8)]
    of_person = layers.fc(layers.concat(described, axis=1), 20, act="tanh")

    film, kinds, title = number("film", FILMS), number("kinds", KINDS, 1), number("title", TITLES, 1)
    described = [layers.fc(looked_up(film, 16, "film_table"), 16),
                 layers.sequence_pool(looked_up(kinds, 16), "sum"),
                 fluid.nets.sequence_conv_pool(looked_up(title, 16), 16, 3, act="tanh", pool_type="sum")]
    of_film = layers.fc(layers.concat(described, axis=1), 20, act="tanh")

    rating = layers.scale(layers.cos_sim(X=of_person, Y=of_film), scale=5.0)
    score = layers.data("score", [1], dtype="float32")
    loss = layers.mean(layers.square_error_cost(rating, score))
    inference = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(0.05).minimize(loss)
    return {"loss": loss, "metrics": [], "inference": inference, "targets": [rating],
            "feeds": ["person", "gender", "age", "film", "kinds", "title"]}


def batch(step):
    random = np.random.RandomState(300 + step)

    def column(below):
        return random.randint(0, below, (6, 1)).astype("int64")

    def sequences(below, longest):
        lengths = random.randint(1, longest + 1, 6).tolist()
        return random.randint(0, below, (sum(lengths), 1)).astype("int64"), [lengths]

    film = column(FILMS)
    return {"person": column(PEOPLE), "gender": column(2), "age": column(7), "film": film,
            "kinds": sequences(KINDS, 3), "title": sequences(TITLES, 6), "score": (film % 5 + 1).astype("float32")}
