"""Block: a list of operations and the variables that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...core.errors import user_line
from ...core.var_type import VarType
from ...ops.array.full import empty
from ...ops.core.trace import current_trace
from .operation import Operation
from .variable import ParameterVariable, Variable, class_of_kind

if TYPE_CHECKING:
    from ...ops.core.decomposition import Decomposition
    from .descriptions import BlockDesc
    from .program import Program

_OF_TENSORS = ("persistable", "stop_gradient")
_OF_PARAMETERS = ("trainable", "optimize_attr", "regularizer", "need_clip", "do_model_average")


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _waiting(name: str | None, dtype: Any, attributes: Mapping[str, Any]) -> Any:
    """A Tensor that becomes the result of an operator."""
    tensor = empty([0], dtype)
    tensor.name = name or tensor.name
    for key in attributes.keys() & _OF_TENSORS:
        setattr(tensor, key, attributes[key])
    return tensor


class Block:
    """A list of operations and the variables they name; a name not found here is looked up in the parent block."""

    repeats = False  # whether it is the body of a loop

    def __init__(self, program: Program, idx: int, parent_idx: int = -1):
        self.program, self.idx, self.parent_idx = program, idx, parent_idx
        self.forward_block_idx = -1
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operation] = []

    @property
    def parent(self) -> Block | None:
        """The enclosing block; None for the outermost."""
        return self.program.blocks[self.parent_idx] if self.parent_idx >= 0 else None

    def find_var(self, name: str) -> Variable | None:
        """The variable of this name here or in an enclosing block; None when there is none."""
        block: Block | None = self
        while block is not None:
            if name in block.vars:
                return block.vars[name]
            block = block.parent
        return None

    def var(self, name: str) -> Variable:
        """As `find_var`; ValueError when there is none."""
        found = self.find_var(name)
        if found is None:
            raise ValueError(f"Block {self.idx} has no variable {name!r}.")
        return found

    _var_recursive = var
    _find_var_recursive = find_var

    def has_var(self, name: str) -> bool:
        """True when this very block has the variable."""
        return name in self.vars

    def create_var(self, name: str | None = None, shape: Any = (), dtype: Any = None, type: VarType | None = None,
                   error_clip: Any = None, **attributes: Any) -> Any:
        """A new variable here; without a name it gets one of its own.

        `type`: what it holds, a tensor by default. `error_clip`: what clips its gradient (`fluid.clip`). Where
        `stop_gradient` is not given, the operation that makes its value says whether gradients stop there; at a value
        that none makes they do not. Where nothing but the name of one that is there is given, it is that one. Of the
        default Program, while eager code runs, a Tensor that waits for the result of `append_op`, as in Paddle.
        What is not given of one that is there stays what it is. Raises ValueError where there is a variable of this
        name with another shape, dtype, type or `persistable`.
        """
        if current_trace().computes and self.program.own_trace().is_default:
            return _waiting(name, dtype, attributes)
        if name in self.vars:
            return self._declared_again(self.vars[name], shape, dtype, type, error_clip, attributes)
        made = self.new_var(name, shape, dtype, type, error_clip, **attributes)
        if made.undecided and made.kind == "tensor" and (made._dtype is None or made._dtype.is_differentiable):
            made.stop_gradient = False
        return made

    def new_var(self, name: str | None = None, shape: Any = (), dtype: Any = None, type: VarType | None = None,
                error_clip: Any = None, **attributes: Any) -> Variable:
        """As `create_var`, a variable whatever code runs; gradients stop at a value that no operation makes."""
        from ...core.dtype import convert_dtype

        if name in self.vars and not shape and dtype is None and type is None and not attributes:
            return self.vars[name]
        name = name or self.program.draw_name("_generated_var")
        dtype = None if dtype is None else convert_dtype(dtype)
        if type is not None:
            attributes["kind"] = VarType(type).kind
        made = class_of_kind(attributes.get("kind", "tensor"), self.program.variable_class)
        variable = self.vars[name] = made(self, name, shape or (), dtype, **attributes)
        variable.undecided = "stop_gradient" not in attributes and not attributes.get("is_data")
        if error_clip is not None:
            variable._set_error_clip(error_clip)
        return variable

    def create_parameter(self, shape: Any, dtype: Any, name: str | None = None, initializer: Any = None,
                         **attributes: Any) -> ParameterVariable:
        """A new parameter of the outermost block; with an initializer this block begins to fill it.

        Of the other attributes those that a ParamAttr has are looked at: `trainable`, `optimize_attr`, `regularizer`,
        `need_clip`, `do_model_average`.
        Raises ValueError where there is a variable of this name that is another one.
        """
        from ...core.dtype import convert_dtype

        if shape is None or dtype is None or any(size is None or size < 0 for size in shape):
            raise ValueError(f"create_parameter(shape, dtype): sizes, and a dtype, must be given. Received {shape} and "
                             f"{dtype}.")
        home = self.program.global_block()
        name, dtype = name or self.program.draw_name("_generated_var"), convert_dtype(dtype)
        home.check_redeclared("create_parameter(name)", name, shape, dtype, persistable=True)
        begun = any(name in op.output_arg_names for op in self.ops)  # a parameter that two layers share begins once
        known = {key: attributes[key] for key in _OF_PARAMETERS if attributes.get(key) is not None}
        parameter = ParameterVariable(home, name, shape, dtype, **known)
        home.add_var(parameter)
        if initializer is not None and not begun:
            self.program.initialize(self, parameter, initializer)
        return parameter

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        return self.new_var(var.name, var.shape, var._dtype, kind=var.kind, lod_level=var.lod_level,
                            persistable=force_persistable or var.persistable, is_data=var.is_data,
                            stop_gradient=var.stop_gradient)

    def _remove_var(self, name: str, sync: bool = True) -> None:
        del self.vars[self.var(name).name]
        self.program.version += 1

    def _rename_var(self, name: str, new_name: str) -> Variable:
        name, new_name = _text(name), _text(new_name)
        if not self.has_var(name):
            raise ValueError(f"_rename_var(name): block {self.idx} has no variable {name!r}.")
        variable = self.vars[name]
        variable.name = new_name
        self.vars = {new_name if key == name else key: value for key, value in self.vars.items()}
        for op in self.ops:
            op.rename_input(name, new_name)
            op.rename_output(name, new_name)
        return variable

    def _declared_again(self, old: Variable, shape: Any, dtype: Any, type: VarType | None, error_clip: Any,
                        attributes: dict[str, Any]) -> Variable:
        """The variable that is there, where nothing that is said of it is something else than it is."""
        self._check_same(old, shape, dtype)
        levels = attributes.get("lod_level")
        if levels not in (None, old.lod_level):
            raise ValueError(f"create_var(name): the block has a variable {old.name!r} already, of lod_level "
                             f"{old.lod_level}. Received lod_level={levels}. Give it another name, or declare it as it "
                             "was.")
        kept = attributes.get("persistable")
        if kept not in (None, old.persistable) or type is not None and VarType(type).kind != old.kind:
            raise ValueError(f"create_var(name): the block has a variable {old.name!r} already, a {old.kind} that is "
                             f"{'' if old.persistable else 'not '}persistable. Received {type=}, persistable={kept}. "
                             f"Give it another name, or declare it as it was.")
        if "stop_gradient" in attributes:
            old.stop_gradient = attributes["stop_gradient"]
        elif old.undecided and old.kind == "tensor" and (old._dtype is None or old._dtype.is_differentiable):
            old.stop_gradient = False
        if error_clip is not None:
            old._set_error_clip(error_clip)
        return old

    def _check_same(self, old: Variable, shape: Any, dtype: Any) -> None:
        """Raises ValueError where `create_var` would make another variable of one that operations may have."""
        from ...core.dtype import convert_dtype

        sizes = tuple(-1 if size is None else int(size) for size in shape or ())
        if (not sizes or sizes == old.shape) and (dtype is None or convert_dtype(dtype) is old._dtype):
            return
        raise ValueError(f"create_var(name): the block has a variable {old.name!r} already, of shape {list(old.shape)} "
                         f"and dtype {old._dtype and old._dtype.name}. Received shape {list(sizes)} and dtype "
                         f"{dtype and convert_dtype(dtype).name}. Give it another name, or declare it as it was.")

    def check_redeclared(self, what: str, name: str, shape: Any, dtype: Any, persistable: bool) -> None:
        """Raises ValueError where there is a variable of this name that is another one than `what` would make."""
        old = self.vars.get(name)
        shape = tuple(-1 if size is None else int(size) for size in shape)
        if old is None or (old.shape, old._dtype, old.persistable) == (shape, dtype, persistable):
            return
        kinds = {True: "a value that is kept between runs", False: "a value of one run"}
        raise ValueError(
            f"{what}: the Program has a variable {name!r} already: {kinds[old.persistable]}, shape {list(old.shape)}, "
            f"dtype {old._dtype and old._dtype.name}. Received {kinds[persistable]}, shape {list(shape)}, dtype "
            f"{dtype.name}. Give it another name, or declare it as it was.")

    def add_var(self, variable: Variable) -> Variable:
        """Puts a variable made elsewhere into this block."""
        variable.block = self
        self.vars[variable.name] = variable
        return variable

    @property
    def desc(self) -> BlockDesc:
        """This block as Paddle's desc."""
        from .descriptions import BlockDesc  # for who asks

        return BlockDesc(self)

    def iter_parameters(self) -> Iterator[ParameterVariable]:
        """The parameters, one after the other."""
        return iter(self.all_parameters())

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The block as text: what stands of it in a file."""
        return self.program.text_of(self)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return repr(self)

    def all_parameters(self) -> list[ParameterVariable]:
        """The parameters of this block, in the order they were made."""
        return [v for v in self.vars.values() if isinstance(v, ParameterVariable)]

    def append(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], attrs: dict[str, Any],
               source: str = "", inferred: tuple[tuple, tuple] | None = None) -> Operation:
        """Appends an operation."""
        operation = Operation(self, type, inputs, outputs, attrs, source, inferred)
        self.ops.append(operation)
        self.program.version += 1
        return operation

    def give_as(self, made: Variable, name: str) -> None:
        """Lets the operation that makes a value give it to the variable of another name."""
        next(op for op in reversed(self.ops) if made.name in op.output_arg_names).rename_output(made.name, name)
        del self.vars[made.name]

    def append_op(self, type: str | None = None, inputs: Any = None, outputs: Any = None, attrs: Any = None,
                  **others: Any) -> Operation:
        """Appends an operation: `inputs` and `outputs` are Variables or names by slot, one or a list each.

        The variables of `outputs` are there before, and take the shapes and dtypes of the results. Attributes that are
        not given have their defaults; what the operator does not have is passed over. With Tensors in their place it is
        computed at once, and nothing is appended. Raises ValueError for slots that do not fit, for variables that are
        not there, and for inputs that the operator refuses.

        >>> import proa as paddle
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2, 3])
        >>> block = main.global_block()
        >>> y = block.create_var(name="y")
        >>> block.append_op(type="relu", inputs={"X": x}, outputs={"Out": y}).type, y.shape
        ('relu', (2, 3))
        """
        return self._insert_op(len(self.ops), type=type, inputs=inputs, outputs=outputs, attrs=attrs)

    def _prepend_op(self, *args: Any, **kwargs: Any) -> Operation:
        return self._insert_op(0, *args, **kwargs)

    def _insert_op(self, index: int, type: Any = None, inputs: Any = None, outputs: Any = None, attrs: Any = None,
                   **others: Any) -> Operation:
        # For who appends operations so; Programs that are read or traced do without.
        from ...ops.core.decomposition import find_decomposition
        from .append_op import described
        from .applied_op import apply_by_slots, holds_tensors, known_attributes
        from .name_scopes import ATTRIBUTE, OUTSIDE, current_path

        if holds_tensors(inputs, outputs):  # as initializers of users apply operators to what they fill
            apply_by_slots(type, inputs, outputs, known_attributes(type, attrs), bool(others.get("stop_gradient")))
            return Operation(self, type, {}, {}, dict(attrs or {}), user_line())
        if isinstance(type, str) and (made_of := find_decomposition(type)) is not None:
            return self._insert_parts(index, made_of, inputs, outputs, attrs)
        found = described(self, type, inputs, outputs, attrs)
        if self.program._op_role:
            found.attrs.setdefault("op_role", self.program._op_role)
        if current_path() != OUTSIDE:
            found.attrs.setdefault(ATTRIBUTE, current_path())
        operation = Operation(self, found.type, found.inputs, found.outputs, found.attrs, user_line(), found.inferred)
        self.ops.insert(index, operation)
        self.program.version += 1
        return operation

    _insert_op_without_sync = _insert_op

    def _insert_empty_op(self, index: int) -> Operation:
        """An operation without a type, which its `desc` gives it."""
        operation = Operation(self, "", {}, {}, {}, user_line())
        self.ops.insert(index, operation)
        self.program.version += 1
        return operation

    def _insert_parts(self, index: int, made_of: Decomposition, inputs: Any, outputs: Any, attrs: Any) -> Operation:
        """Inserts what an operator stands for that is several here; gives the last of these, or it alone."""
        from .append_op import slots_by_name
        from .decomposed import append_parts

        given, made = slots_by_name(self, made_of, inputs, outputs)
        op = Operation(self, made_of.type, given, made, dict(attrs or {}), user_line())
        behind, self.ops = self.ops[index:], self.ops[:index]
        try:
            append_parts(op, made_of, self.program.own_trace())
        finally:
            self.ops += behind
        self.program.version += 1
        last = len(self.ops) - len(behind)
        return self.ops[last - 1] if last > index else op

    def _remove_op(self, index: int, sync: bool = True) -> None:
        if not 0 <= index < len(self.ops):
            raise IndexError(f"_remove_op(index): the block has {len(self.ops)} operations. Received {index}.")
        del self.ops[index]
        self.program.version += 1

    def _slice_ops(self, start: int, end: int) -> list[Operation]:
        return self.ops[start:end]

    def _set_forward_block_idx(self, idx: int) -> None:
        self.forward_block_idx = idx

    backward_block_idx = -1

    def _sync_with_cpp(self) -> None:
        """Nothing: this is the block itself, and no copy of it."""

    def __str__(self) -> str:
        return self.to_string() if self.program.printed_as_in_files else repr(self)

    def __repr__(self) -> str:
        variables = "\n".join(f"    {v!r}" for v in self.vars.values())
        operations = "\n".join(f"    {op!r}" for op in self.ops)
        return (f"{{ // block_idx:{self.idx}  parent_idx:{self.parent_idx}  forward_idx:{self.forward_block_idx}  "
                f"backward_idx:{self.backward_block_idx}\n{variables}\n\n{operations}\n}}")
