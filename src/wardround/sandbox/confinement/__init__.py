"""The start program of the back end ``namespaces``.

It runs in a separate interpreter without site packages, so that it imports the standard library and this
package only. It is started for every run, so it loads no module that takes milliseconds.
"""
