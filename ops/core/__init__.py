"""What every operator is made of: declaration, shape inference, traces, gradient rules, the backward walk."""
