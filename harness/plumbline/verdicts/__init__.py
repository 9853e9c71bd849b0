"""What a number is worth: statistics, the contract that answers are held against, figures, and the referee."""
