"""Lines of text that could change how other lines are read: what a csv file may hold beside honest records.

Each is one line of a table of three columns, whose honest lines have three cells. A reader reads it by itself.
"""

from __future__ import annotations

HOSTILE_LINES: dict[str, bytes] = {
    "short": b"7",
    "two cells": b"7,a",
    "long": b"7,a,b,c,d",
    "empty": b"",
    "blank": b"   ",
    "separators": b",,",
    "one separator too many": b",,,",
    "quoted": b'7,"a,b",x',
    "doubled quote": b'7,"a""b",x',
    "quoted empty": b'"","",""',
    "quoted quote": b'7,"""",x',
    "stray quote": b'7,a"b,x',
    "two stray quotes": b'7,a"b"c,x',
    "stray, then open": b'7,a"b,"x',
    "open quote": b'7,"ab,x',
    "open quote in the last cell": b'7,ab,"x',
    "open quote in the first cell": b'"7,ab,x',
    "only a quote": b'"',
    "two quotes": b'""',
    "three quotes": b'"""',
    "closed, then text": b'7,"ab"c,x',
    "closed, then a blank": b'7,"ab" ,x',
    "closed, then open": b'7,"a"b,"x',
    "blank, then quoted": b'7, "a,b",x',
    "quote at the end": b'7,ab,x"',
    "backslash before a quote": b'7,"a\\"b",x',
    "backslash at the end": b"7,ab,x\\",
    "single quotes": b"7,'a,b',x",
    "NUL": b"7,a\0b,x",
    "only NUL": b"\0",
    "not UTF-8": b"7,\xff\xfe,x",
    "half of a letter": b"7,\xe2\x82,x",
    "a mark of UTF-8": b"\xef\xbb\xbf7,a,x",
    "UTF-16": "7,a,x".encode("utf-16"),
    "CRLF": b"7,ab,x\r",
    "form feed": b"7,a\x0cb,x",
    "line separators of Unicode": "7,a\u2028b\u0085c,x".encode(),
    "comment": b"#7,a,x",
    "a header again": b"id,g,v",
    "a formula": b"7,=1+1,x",
    "numbers that overflow": b"1e999,-1e999,9" + b"9" * 400,
    "a cell of 200 kB with an open quote": b'7,"' + b"z" * 200_000 + b",x",
    "a cell of 5 MB": b"7," + b"z" * (5 * 2**20) + b",x",
    "a thousand quotes": b"7," + b'"' * 1001 + b",x",
    "a thousand cells": b"," * 1000,
}
# Two lines each, as one cell with a line break in it: two records unless the table says that cells have line breaks.
BROKEN_LINES: dict[str, bytes] = {
    "a quoted line break": b'7,"a\nb",x',
    "a carriage return": b"7,a\rb,x",
    "a quoted carriage return": b'7,"a\rb",x',
    "quotes that open and close elsewhere": b'7,"a,x\n8,"b,x',
}
