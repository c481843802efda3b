"""The figures of a report, one module for each kind.

Every module has draw(results, frame), which yields Drawings where the data
exist and nothing where they do not.
"""
