"""PostgreSQL: one service over three servers (embedded, in a container, given by address)."""
