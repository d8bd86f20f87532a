"""Updates of parameters, one operator a rule, and what goes with them."""
