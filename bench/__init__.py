"""Side by side with other learners, in one run: ``python -m bench`` (``make bench``).

sets      the data, generated from fixed seeds
learners  every library as an object with ``fit`` and ``predict``
cases     what is measured, against whom, and the ratio aimed at
worker    one library on one set, in a process of its own
table     the figures as text
scaling   how the cost grows with rows, columns and classes
versions  two versions of bosco by turns
engines   the hash of a model by who holds the rows
cluster   one tree from Dask beside the peers there
"""
