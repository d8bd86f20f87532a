"""What only Programs need: control flow, lists of tensors, Python inside, gradients of the user's own."""
