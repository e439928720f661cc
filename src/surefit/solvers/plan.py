"""Layer solvers: what a fit will need, said before it starts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """The method that will run, its peak memory, its floating-point operations, and why it was chosen."""

    method: str
    memory_bytes: int
    operations: float
    reason: str
