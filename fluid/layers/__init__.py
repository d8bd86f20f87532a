"""The layers of Paddle 1.x: functions that append operators to the default Program; under `dygraph.guard`, compute."""
