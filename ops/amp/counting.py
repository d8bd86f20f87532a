"""How often operators were applied in which dtype, as a table."""

from __future__ import annotations

latest: dict[str, list[int]] = {}
"""What the counting that ended last has found: by type, calls in float16, bfloat16, float32 and others."""


def print_counts(counts: dict[str, list[int]]) -> None:
    """Prints a line for each type of operator, with a column for each dtype."""
    print(f"<{' op list ':-^120}>")
    print(f"<{' Op Name ':-^40}|{' FP16 Calls ':-^19}|{' BF16 Calls ':-^19}|{' FP32 Calls ':-^19}|"
          f"{' Other Calls ':-^19}>")
    for name in sorted(counts):
        print(f"  {name:<39}|" + "|".join(f"  {n:<17}" for n in counts[name]))
    print(f"<{f' op count: {len(counts)} ':-^120}>\n")
