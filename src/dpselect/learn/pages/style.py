"""How a page begins, with its style: for a screen, a phone and paper."""

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A private model, by dpselect</title><style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1b1b1b; background: #fff; }
main { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
p { max-width: 44rem; }
table { border-collapse: collapse; font-size: 14px; }
td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { font-weight: 600; } tr:nth-child(even) { background: #f4f4f4; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.promise { font-size: 1.15rem; font-weight: 600; }
.wide { overflow-x: auto; } .wide svg { display: block; max-width: none; }
.key { margin-right: 1rem; white-space: nowrap; }
.spot { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .35em; }
.bars { width: 100%; max-width: 40rem; } .bars tr { background: none; }
.bars th { overflow-wrap: break-word; max-width: 9rem; }
.bars .bar { width: 55%; } .bars .bar span { display: block; height: 1em; margin-top: .25em; background: #0072b2; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1.2rem 1.6rem; }
figure { margin: 0; break-inside: avoid; } figcaption { font-weight: 600; overflow-wrap: anywhere; }
figure svg { width: 100%; max-width: 26rem; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: #333; } svg .label { font-weight: 700; } svg .quiet { fill: #666; }
pre { overflow-x: auto; font-size: 13px; } summary { cursor: pointer; }
@media print { .wide { overflow: visible; } .wide svg { max-width: 100%; height: auto; } h2 { break-after: avoid; } }
</style></head><body><main>"""
