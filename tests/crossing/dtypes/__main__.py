"""`python tests/crossing/dtypes`: prints where proa answers another dtype or other values than PaddlePaddle 2.6.2.

Compared with the recorded answers, or with those that `--oracle PYTHON` gives now; `--record` writes them down.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import table
from reasons import reason


def main():
    """Prints the table; the number of differences that have no reason is the exit status, at most 100."""
    parser = argparse.ArgumentParser(prog="dtypes", description=__doc__)
    parser.add_argument("--oracle", metavar="PYTHON", help="an interpreter that has PaddlePaddle 2.6.2")
    parser.add_argument("--record", action="store_true", help="write its answers to the fixture")
    parser.add_argument("--open", action="store_true", help="only differences that no reason is given for")
    options = parser.parse_args()
    answers = table.oracle_answers(options.oracle) if options.oracle else table.recorded()
    if options.record:
        table.save(answers)
    found = {}
    for case, theirs, ours in table.differences(answers):
        why = reason(case, theirs, ours)
        if not (why and options.open):
            found.setdefault((case[0], why), []).append((case[1:], theirs, ours))
    unexplained = 0
    for (expression, why), rows in found.items():
        unexplained += not why
        print(f"{expression}  {f'[{why}]' if why else ''}")
        for dtypes, theirs, ours in rows[:4]:
            print(f"    {' '.join(dtypes):<20} there {theirs:<45} here {ours}")
        if len(rows) > 4:
            print(f"    ... and {', '.join(' '.join(dtypes) for dtypes, _, _ in rows[4:])}")
    answered = sum(not text.startswith("!") for text in answers.values())
    print(f"{answered} calls are answered there; {sum(map(len, found.values()))} answers differ, in {len(found)} "
          f"calls, {unexplained} of them without a reason")
    return min(unexplained, 100)


if __name__ == "__main__":
    sys.exit(main())
