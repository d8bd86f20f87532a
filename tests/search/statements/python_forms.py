"""Values in Python's containers and forms: what a Program has to see through, and leave as it was."""

from __future__ import annotations

from ..body import Body
from ..expressions import same_shape
from .registry import condition, statement

#: {0} is a value, {1} another of its shape, {2} a condition that a tensor decides; {a} to {d} are new names, {r} is the
#: result; `|` ends a line.
FORMS = """
{a} = OrderedDict(p={0}, q={1})|if {2}:|    {a}.move_to_end("p")|    {a}["q"] = {0} * 0.5|\
{r} = {a}["q"] + {a}["p"] * 0.5
{a} = defaultdict(list)|{a}["p"].append({0})|if {2}:|    {a}["p"].append({1})|\
{r} = sum({a}["p"]) * 0.5
{a} = deque([{0}, {1}], maxlen=2)|for {b} in range(2):|    {a}.append({a}[0] * 0.5 + {b})|\
{r} = {a}[-1] + {a}[0]
{a} = deque([{0}, {1}])|{a}.rotate(1)|if {2}:|    {a}.appendleft({a}.pop() * 0.5)|{r} = {a}[0]
{a} = Held({0}, [{1}, {{"p": {0}}}])|if {2}:|    {a}.many[1]["p"] = {a}.one * 0.5|\
{r} = {a}.many[1]["p"] + {a}.many[0]
{a} = Held({0}, [{1}])|if {2}:|    {a}.one = {1}|else:|    {a}.many[0] = {a}.one * 0.5|\
{r} = {a}.one * 0.5 + {a}.many[0]
{a} = Held({0}, [{1}])|while {a}.count < 2:|    {a}.count += 1|    if {2}:|\
        {a}.one = {a}.one * 0.5|{r} = {a}.twice
{a} = ({0}, [{1}, ({0}, {{"p": {1}}})])|{b}, ({c}, ({d}, _)) = {a}|{r} = {b} * 0.5 + {c} * {d}
{a}, *{b} = [{0}, {1}, {0} * 0.5]|if {2}:|    {a}, *{b} = [*{b}, {a}]|{r} = {a} + sum({b}) * 0.5
{a} = [lambda t, by=k: t * by for k in (0.5, 2.0)]|{r} = sum({b}({0}) for {b} in {a})
{a} = []|for {b} in (0.5, 2.0):|    {a}.append(lambda t: t * {b})|{r} = {a}[0]({0}) + {a}[1]({1})
if ({a} := {0}.mean()) > 0.1:|    {r} = {1} * {a}|else:|    {r} = {0} - {a}
{a} = {0}|while ({b} := {a}.abs().sum()) > 2.0:|    {a} = {a} * 0.5|{r} = {a} * {b}
{a}, {b} = {0}, 0|while {b} < 3:|    {a} = {a} * 0.5 + {1}|    {b} += 1|    if {2}:|        break|\
else:|    {a} = {a} * 2.0|{r} = {a} + {b}
{r} = {0} * (0.1 < {0}.abs().mean() <= {1}.abs().mean() + 0.3 < 5.0)
{r} = {0} * (0.5 if not {2} else 1.5) + ({1} if {0}.sum() < 100.0 else {0})
def {a}(t, n):|    if n == 0 or t.mean() > 5.0:|        return t|\
    return {a}(t * 0.5 + {1}, n - 1)|{r} = {a}({0}, 3)
def {a}(t):|    for {b} in range(2):|        for {c} in range(2):|            t = t * 0.5 + {c}|\
            if t.mean() > 0.6:|                return t - {b}|    return t * 2.0|{r} = {a}({0})
def {a}(*given, by=0.5, **more):|    return given[0] * by + sum(given[1:]) * more.get("p", 1.0)|\
{r} = {a}({0}, *[{1}, {0}], **{{"p": 0.25}})
{a} = 0|def {b}(t):|    nonlocal {a}|    {a} = {a} + t.mean()|    return t * {a}|\
{r} = {b}({0}) + {b}({1})
def {a}(t):|    got = yield t * 0.5|    while got is not None:|        t = t + got|\
        got = yield t|{b} = {a}({0})|{c} = next({b})|{r} = {b}.send({1}) + {c}
try:|    {a} = {{"p": {0}}}["q"]|except KeyError as {b}:|    {a} = {1} * len({b}.args)|else:|\
    {a} = {a} * 3.0|finally:|    {c} = {0} * 0.5|{r} = {a} + {c}
with Doubling({0}) as {a}:|    {b} = {a} * {1}|    if {2}:|        {b} = {b} * 0.5|{r} = {b}
{r} = Scaled.FACTOR * {0} + Scaled({1}).value + Scaled.halved({0}) + Scaled.own({1})
{a} = Scaled({0})|{a}.value = {1}|if {2}:|    {a}.value = {0} * 0.5|\
{r} = {a}.value + {a}[0] + len({a}) + ({a}() if {a} else {0})
{a} = Scaled({0}) + {1}|{a} += {0}|{r} = ({a} * 0.5).value
{a} = [t for t in [{0}, {1}, {0} * 2.0] if t.abs().mean() > 0.4]|{r} = sum({a}, {0}) * 0.5
{a} = {{k: t for k, t in zip("pqr", [{0}, {1}, {0} * 2.0]) if k != "q"}}|{r} = {a}["p"] + {a}["r"]
{a} = sorted([({0}.sum(), 0), ({1}.sum() + 0.1, 1)], key=lambda pair: pair[1], reverse=True)|\
{r} = {0} + {a}[0][0] * 0.1
{a} = f"{{{0}.shape[0]}}:{{len({0}.shape)}}"|{r} = {0} * len({a}.split(":"))
{a} = partial(lambda t, by: t * by, by=0.5)|\
{r} = {a}({0}) + reduce(lambda t, u: t * 0.5 + u, [{0}, {1}, {0}])
{a} = list(chain([{0}], (t * 0.5 for t in islice([{1}, {0}, {1}], 2))))|{r} = sum(accumulate({a}))
{a} = [{0}, {1}]|{a}[0], {a}[1] = {a}[1], {a}[0] * 0.5|if {2}:|    del {a}[0]|    {a}.insert(0, {0})|\
{r} = {a}[0] + {a}[-1]
match ({0}, {{"p": {1}}}):|    case ({a}, {{"p": {b}}}):|        {r} = {a} + {b} * 0.5
""".strip().splitlines()

CLASSES = '''
@dataclass
class Held:
    one: object
    many: list
    count: int = 0

    @property
    def twice(self):
        return self.one * 2.0


class Doubling:
    def __init__(self, t):
        self.t = t

    def __enter__(self):
        self.t = self.t * 2.0
        return self.t

    def __exit__(self, *_):
        self.t = None


class Scaled:
    FACTOR = 0.5

    def __init__(self, t):
        self._t = t

    @property
    def value(self):
        return self._t * self.FACTOR

    @value.setter
    def value(self, t):
        self._t = t + self._t * 0.1

    @staticmethod
    def halved(t):
        return t * 0.5

    @classmethod
    def own(cls, t):
        return t * cls.FACTOR

    def __getitem__(self, k):
        return self._t * (k + 1)

    def __len__(self):
        return 2

    def __call__(self):
        return self._t.tanh()

    def __add__(self, other):
        return Scaled(self._t + other)

    def __iadd__(self, other):
        self._t = self._t * 0.5 + other
        return self

    def __mul__(self, by):
        return Scaled(self._t * by)
'''.strip() + "\n"


@statement(2, "python_forms")
def _form(body: Body) -> bool:
    """One of the forms, under names of its own."""
    v, test = body.value("float"), condition(body)
    if v is None or test is None or body.in_with:
        return False
    text = body.pick(*FORMS)
    if body.in_loop and "def " in text or "nonlocal" in text and body.network.inside:
        return False
    names = {letter: body.fresh("v") for letter in "abcd"}
    result = body.fresh("h")
    for line in text.format(v.text, same_shape(body, v), test, r=result, **names).split("|"):
        body.line(line)
    body.values.append(type(v)(result, v.shape))
    body.network.classes.setdefault("forms", CLASSES)
    return True
