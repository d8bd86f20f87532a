"""What is done with a Program: gradients and steps of an optimizer, clones, runs, files, averages, states."""

from __future__ import annotations

from typing import Any

RULES = [
    "SGD(0.1", "Momentum(0.1, 0.9", "Adam(0.02", "AdamW(0.02, weight_decay=0.1", "RMSProp(0.02", "Adagrad(0.1",
    "Adamax(0.02", "Lamb(0.02", "Adadelta(0.1", "Momentum(0.1, 0.9, use_nesterov=True", "SGD(0.1, weight_decay=0.1",
    "Adam(0.02, weight_decay=paddle.regularizer.L2Decay(0.05)", "Momentum(0.1, 0.9, weight_decay=0.1",
]
CLIPS = ["nn.ClipGradByGlobalNorm(0.1)", "nn.ClipGradByNorm(0.1)", "nn.ClipGradByValue(0.05)"]
SCHEDULES = ["StepDecay(0.1, 1, 0.5)", "LambdaDecay(0.1, lambda epoch: 0.5**epoch)", "NoamDecay(4, 2, 0.1)",
             "LinearWarmup(0.1, 2, 0.0, 0.1)", "PolynomialDecay(0.1, 4)"]
FEED = '{{"x": drawn({0}, [4, {1}]), "y": drawn({0} + 9, [4, {2}]), "ids": np.arange(4) * ({0} + 1) % 4}}'


class Training:
    """Writes the lines behind the loss."""

    def __init__(self, body: Any, data: list[tuple[str, int]]):
        self.body, self.rng = body, body.rng
        self.sizes = [size for _, size in data]
        self.tests: list[str] = []
        self.values = [v for v, _ in body.found[2:]]
        self.more: list[str] = []  # what is fetched beside the loss
        self.average = self.trained = self.scheduled = False

    def write(self) -> None:
        line, chance = self.body.line, self.body.chance
        line("parameters = main.all_parameters()")
        if chance(0.5):
            self._clone("before")
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            self._slopes()
        judged = chance(0.35)
        if judged:
            line("wanted = [p for p in parameters if p.trainable]")
            line("exact = [(p, g) for p, g in zip(wanted, static.gradients([loss], wanted)) if g is not None]")
        elif chance(0.8):
            self._rule()
        if chance(0.3):
            self._clone("behind")
        if chance(0.15):
            self._average()
        self.body.indent = 1
        line("exe = static.Executor()")
        line(self.rng.choice(["exe.run(startup)", "exe.run(way(startup))"]))
        if judged:
            line(f"slopes(record, exe, way(main), {self._feed('2')}, loss, exact)")
        fetched = ["loss", *self.rng.sample(self.values, min(len(self.values), self.rng.randint(0, 3))), *self.more]
        line("for step in range(3):")
        line(f"for value in exe.run(way(main), feed={self._feed('step')}, fetch_list=[{', '.join(fetched)}]):", 1)
        line("    record('fetched', value)", 1)
        if self.scheduled:
            line("rate.step()", 1)
        if self.average:
            line("exe.run(way(averaged)) if averaged is not main else None", 1)
        for test in self.tests:
            if chance(0.5):
                line("if step == 1:", 1)
                self._run(test, 2)
        for _ in range(self.rng.choice([0, 1, 1, 2, 3])):
            self.rng.choice([self._save, self._save, self._state, self._pruned, self._compiled, self._set, self._part,
                             self._normalized])()
        for test in self.tests:
            self._run(test, 0)
        if self.average:
            line("with average.apply(exe):")
            self._run(self.tests[0] if self.tests else "main", 1)
            line("record('average', [np.array(static.global_scope().find_var(p.name).get_tensor()).sum() "
                 "for p in parameters])", 1)
        line("for p in parameters:|    record('parameter', np.array(static.global_scope().find_var(p.name)"
             ".get_tensor()))")

    def _feed(self, step: str) -> str:
        return FEED.format(step, *self.sizes)

    def _fetch(self) -> str:
        return ", ".join(["out", *self.rng.sample(self.values, min(len(self.values), self.rng.randint(0, 2)))])

    def _clone(self, when: str) -> None:
        self.body.line(f"{when} = main.clone(for_test={self.rng.choice(['True', 'True', 'False'])})")
        if when == "before" or "for_test=True" in self.body.lines[-1]:
            self.tests.append(when)

    def _run(self, program: str, more: int) -> None:
        self.body.line(f"for value in exe.run(way({program}), feed={self._feed('5')}, fetch_list=[{self._fetch()}]):|"
                       f"    record('{program}', value)", more)

    def _slopes(self) -> None:
        """Gradients as values that are fetched."""
        line, rng = self.body.line, self.rng
        name = self.body.fresh("slopes")
        targets = rng.choice(["loss", "[loss]", f"[{rng.choice(self.values)}]", "[out]"])
        wanted = rng.sample([*self.values, "x", "y", "parameters[0]", "parameters[-1]"], rng.randint(1, 2))
        options = ""
        if self.body.chance(0.25):
            options = f", no_grad_set={{{rng.choice(self.values)}.name}}"
        line(f"{name} = [g for g in static.gradients({targets}, [{', '.join(wanted)}]{options}) if g is not None]")
        self.more.append(f"*{name}")
        if self.body.chance(0.3):
            line(f"if {name}:|    loss = loss + paddle.mean({name}[0] * {name}[0]) * 0.1")

    def _rule(self) -> None:
        line, rng, chance = self.body.line, self.rng, self.body.chance
        head = rng.choice(RULES)
        if chance(0.25):
            line(f"rate = paddle.optimizer.lr.{rng.choice(SCHEDULES)}")
            first, _, rest = head.partition("(")
            head = f"{first}(rate{rest[len(rest.split(',')[0]):]}"
            self.scheduled = True
        if chance(0.3):
            head += f", grad_clip={rng.choice(CLIPS)}"
        line(f"rule = paddle.optimizer.{head})")
        way = rng.randrange(5)
        part = rng.choice(["parameters[:1]", "parameters[1:] or None", "[p.name for p in parameters[:2]]"])
        without = rng.choice(["{parameters[0].name}", "{parameters[-1]}", f"{{{rng.choice(self.values)}.name}}"])
        options = rng.choice(["", "", "", f"parameters={part}, ", f"no_grad_set={without}, "])
        self.trained = True
        if way == 2:
            options = options.replace("parameters=", "parameter_list=")
        if way < 2:
            startup = rng.choice(["", "startup, "])
            line(f"_, pairs = rule.minimize(loss, {startup}{options})")
        elif way == 2:
            line(f"pairs = static.append_backward(loss, {options})|pairs = [(p, g) for p, g in pairs if g is not None]")
            self._changed()
            line("rule.apply_gradients(pairs)")
        elif way == 3:
            line(f"pairs = rule.backward(loss, {options})")
            self._changed()
            line("rule.apply_gradients(pairs)")
        else:
            line("wanted = [p for p in parameters if p.trainable]")
            line("pairs = [(p, g) for p, g in zip(wanted, static.gradients([loss], wanted)) if g is not None]")
            self._changed()
            line("rule.apply_gradients(pairs)")
        if chance(0.5) and "weight_decay" not in head + str(self.body.lines) + head and "regularizer" not in str(
                self.body.lines) and "grad_clip" not in head:
            self.more.append("*[g for p, g in pairs if not p.name.startswith('embedding')]")

    def _changed(self) -> None:
        if self.body.chance(0.4):
            self.body.line(self.rng.choice([
                "pairs = [(p, g * 0.5) for p, g in pairs]", "pairs = [(p, paddle.tanh(g)) for p, g in pairs]",
                "pairs = pairs[::-1]", "pairs = pairs[:1]", "pairs = [(p, g + p * 0.1) for p, g in pairs]",
            ]))

    def _average(self) -> None:
        self.body.line("average = static.ExponentialMovingAverage(0.8)|average.update()|averaged = main")
        self.average = True

    # Behind the steps

    def _save(self) -> None:
        """A file of a part of the Program, run here."""
        line, rng = self.body.line, self.rng
        fetched = rng.sample(["out", *self.values], min(1 + len(self.values), rng.randint(1, 2)))
        options = rng.choice(["", ", program=main"] + [f", program={t}" for t in self.tests])
        line("with static.program_guard(main):")
        line(f"static.save_inference_model(path, [x, y, ids], [{', '.join(fetched)}, every], exe{options})", 1)
        again = self.body.chance(0.3)
        line("with static.scope_guard(static.Scope()):")
        line("program, feeds, fetches = static.load_inference_model(path, exe)", 1)
        if again:
            line("static.save_inference_model(path + '2', [program.global_block().var(n) for n in feeds], fetches, "
                 "exe, program=program)|program, feeds, fetches = static.load_inference_model(path + '2', exe)", 1)
        line(f"given = {self._feed('6')}|record('feeds', len(feeds))", 1)
        line("for value in exe.run(way(program), feed={n: given[n] for n in feeds}, fetch_list=fetches):|"
             "    record('file', value)", 1)

    def _state(self) -> None:
        line = self.body.line
        if self.body.chance(0.5):
            line("static.save(main, path)|static.load(main, path, exe)")
        else:
            line("static.save(main, path)|static.set_program_state(main, {name: value * 0.9 for name, value in "
                 "static.load_program_state(path).items() if name in [p.name for p in parameters]})")
        self._run("main", 0)

    def _pruned(self) -> None:
        self.body.line(f"for value in exe.run(main, feed={self._feed('7')}, fetch_list=[{self._fetch()}], "
                       "use_prune=True):|    record('pruned', value)")

    def _compiled(self) -> None:
        self.body.line("compiled = static.CompiledProgram(main)")
        self.body.line(f"for value in exe.run(compiled, feed={self._feed('8')}, fetch_list=[{self._fetch()}]):|"
                       "    record('compiled', value)")

    def _set(self) -> None:
        self.body.line(self.rng.choice([
            "static.global_scope().find_var(parameters[0].name).get_tensor().set(np.array(static.global_scope()"
            ".find_var(parameters[0].name).get_tensor()) * 0.5, paddle.CPUPlace())",
            "parameters[-1].set_value(np.array(parameters[-1].get_value()) * 0.5)",
        ]))
        self._run("main", 0)

    def _part(self) -> None:
        """More of the Program behind runs of it."""
        name = self.body.fresh("later")
        self.body.line(f"with static.program_guard(main, startup):|    {name} = paddle.tanh(out) * 2.0")
        self.body.line(f"record('later', exe.run(way(main), feed={self._feed('3')}, fetch_list=[{name}])[0])")

    def _normalized(self) -> None:
        self.body.line("normal = static.normalize_program(main, [x, y, ids], [out, every])")
        self.body.line(f"record('normal', exe.run(way(normal), feed={self._feed('4')}, fetch_list=[out.name])[0])")
