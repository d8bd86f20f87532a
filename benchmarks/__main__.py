"""Runs the sections that were asked for, prints their tables, and writes them where they were wanted."""

import importlib
import json
import sys

from . import catalogue, documents, options, pictures

MODULES = {"workloads": "steps", "files": "rates", "startup": "startup", "programs": "first_calls",
           "operators": "operators", "scaling": "scaling", "random": "drawing", "fluid": "fluid",
           "distributed": "distributed", "ranks": "many_ranks", "inference": "inference",
           "research": "research", "gpu": "gpu"}


def show_list():
    """Names, titles and sizes."""
    rows = [(workload.name, workload.title, " ".join(f"{name}={value}" for name, value in workload.sizes({}).items()))
            for workload in catalogue.ALL.values()]
    names, titles = (max(len(row[column]) for row in rows) for column in (0, 1))
    for name, title, sizes in rows:
        print(f"{name:<{names}}  {title:<{titles}}  {sizes}".rstrip())


def main():
    wanted = options.parse()
    if "list" in wanted.sections:
        show_list()
        return
    if wanted.write:
        pictures.pyplot()  # now rather than after an hour
    pythons = options.pythons(wanted)
    results = {}
    for name in wanted.sections or options.SECTIONS:
        section = importlib.import_module(f".{MODULES[name]}", __package__)
        results[name] = figures = section.measure(wanted, pythons)
        text = section.report(figures, wanted)
        print(f"\n{text}\n", flush=True)
        if wanted.write:
            drawn = section.draw(figures, wanted.pictures) if hasattr(section, "draw") else []
            documents.replace(wanted.write, name, text, drawn)
        if wanted.results:
            with open(wanted.results, "w") as file:
                json.dump(results, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
