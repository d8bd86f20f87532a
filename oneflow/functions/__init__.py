"""Functions of values with OneFlow's names and arguments, near to PyTorch's; Tensor's methods are made of them."""
