"""Results to text: the only writer to the terminal."""
