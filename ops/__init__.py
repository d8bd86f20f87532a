"""Every operator, declared once; the registry, the trace protocol and the backward walk.

Knows nothing of a Tensor, a Program or a mode: `apply` hands a call to the thread's innermost trace.
"""
