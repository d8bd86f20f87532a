"""The seed that Programs begin with, `Program.global_seed`; a module of its own, as what is kept on disk goes by it."""

global_seed = [0]
