"""Players for a crowd: clients that play a tournament over real sockets and check every figure.

They know of the site only what a browser gets: its pages and `docs/protocol.md`. Nothing in this
package may import the engine, the models or the services, or the check would prove itself.
"""
