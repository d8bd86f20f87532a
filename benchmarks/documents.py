"""Puts generated sections into a Markdown document, between the markers that name them.

    <!-- measured:workloads -->
    ...
    <!-- end:workloads -->
"""

import os
import re


def replace(path, section, text, pictures=()):
    """Replaces a section; ValueError when the document has no markers for it. `pictures`: (file, what it shows)."""
    with open(path, encoding="utf-8") as file:
        document = file.read()
    begin, end = f"<!-- measured:{section} -->", f"<!-- end:{section} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.S)
    if not pattern.search(document):
        raise ValueError(f"{path} has no section {section!r}: put the lines {begin} and {end} where it belongs.")
    folder = os.path.dirname(os.path.abspath(path))
    images = [f"![{title}]({os.path.relpath(file, folder).replace(os.sep, '/')})" for file, title in pictures]
    body = "\n\n".join([begin, text, *images, end])
    with open(path, "w", encoding="utf-8") as file:
        file.write(pattern.sub(lambda _: body, document))
