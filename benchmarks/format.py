"""Numbers and Markdown tables for people."""

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))


def digits(value):
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def seconds(value, unit=None):
    """A time in s, ms or µs."""
    scale, name = next((u for u in UNITS if u[1] == unit or unit is None and value >= u[0]), UNITS[-1])
    return f"{digits(value / scale)} {name}"


def timing(record):
    """Median and half the distance between the quartiles, in the unit of the median."""
    scale, name = next((u for u in UNITS if record["median"] >= u[0]), UNITS[-1])
    spread = (record["high"] - record["low"]) / 2
    return f"{digits(record['median'] / scale)} ± {digits(spread / scale)} {name}"


def megabytes(value):
    return f"{value / 1e6:.0f}"


def ratio(value):
    return "–" if value is None else f"{value:.2f}"


def table(head, rows, left=1):
    """A Markdown table; the first columns are aligned left, the others right."""
    marks = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in [head, marks, *rows])
