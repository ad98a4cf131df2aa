"""The explorer: pages that show exact laws of public or made-up data while one changes epsilon, counts and mechanism.

It draws nothing at random and spends nothing. Private data is only named, by the commands that pages show.

Limits: The explorer is for one person and public data. It listens on 127.0.0.1 and knows its user by a cookie, which
every account on the machine that can read that browser's files has too. Cookies do not tell ports apart, so another
server on 127.0.0.1 that you open in the same browser receives it too. It shows what you name as it is. A page is drawn
when something changes and nothing is kept, so a large table is counted again where a page cannot remember it. Charts
show at most a few dozen candidates by themselves; the others share a bar.
"""
