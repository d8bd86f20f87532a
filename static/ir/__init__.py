"""The intermediate representation: Program, Block, Operation, Variable, and Programs made from Programs."""
