"""Every call of the table answers as PaddlePaddle has answered, or differs for a reason that is given."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import table
from reasons import reason


def test_answers():
    answers = table.recorded()
    assert len(answers) > 8000
    different = list(table.differences(answers))
    unexplained = [f"{' '.join(case)}: there {theirs}, here {ours}" for case, theirs, ours in different
                   if not reason(case, theirs, ours)]
    assert not unexplained, "\n".join(unexplained)


def test_reasons_are_needed():
    found = {reason(*row) for row in table.differences(table.recorded())}
    assert len(found) >= 15
