"""The start program of the back end ``namespaces``.

It runs as an interpreter of its own without site packages, so that it imports the standard library and this
package only. Starting it is part of every run: it loads no module that takes milliseconds.
"""
