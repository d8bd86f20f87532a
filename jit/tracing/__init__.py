"""From a converted function to a Program, and a Program run as a function on Tensors."""
