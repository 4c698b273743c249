"""Tests with the real server, real sockets and crowds of players."""
