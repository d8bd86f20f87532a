"""Between Programs and the messages and streams of Paddle's files."""
