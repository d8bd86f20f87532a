"""Files of made-up samples as click logs have them: numbers, words of three slots, and a label that depends on both."""

import numpy as np

BATCH = 8


def write(folder, samples=64, workers=2):
    """Writes `part-N` for each worker, and `all`: their batches in turn."""
    rng = np.random.default_rng(0)
    of_words, of_numbers = rng.normal(size=(3, 100)), rng.normal(size=4)

    def line():
        words = [rng.integers(0, 100, size=rng.integers(1, 4)) for _ in range(3)]
        numbers = rng.normal(size=4)
        label = float(sum(of_words[n][ids].sum() for n, ids in enumerate(words)) + of_numbers @ numbers > 0)
        slots = [" ".join([str(len(ids)), *map(str, ids)]) for ids in words]
        return " ".join(["4", *(f"{x:.4f}" for x in numbers), *slots, "1", str(label)]) + "\n"

    parts = [[line() for _ in range(samples)] for _ in range(workers)]
    for number, part in enumerate(parts):
        (folder / f"part-{number}").write_text("".join(part))
    (folder / "all").write_text("".join(
        each for start in range(0, samples, BATCH) for part in parts for each in part[start:start + BATCH]))
