"""The files that the commands on the pages read, small: as the pages describe them."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

EDGES = [(node, (node * step) % 97) for node in range(97) for step in (2, 5) if node != (node * step) % 97]
SALARIES = [20_000 + 5_000 * (row * 7 % 20) for row in range(1_000)]
PEOPLE = [(age, job, "yes" if age >= 50 else "no") for age in range(100) for job in ("farmer", "nurse", "smith")]


def write(folder: Path) -> None:
    """Write every input that some page names."""
    _lines(folder / "salaries.csv", ["salary", *map(str, SALARIES)])
    _lines(folder / "public.csv", ["salary", *map(str, SALARIES)])
    parquet.write_table(pa.table({"salary": SALARIES}), folder / "salaries.parquet")
    _lines(folder / "study.csv", ["snp,b,c", "rs1,139,57", "rs2,150,69", "rs3,160,72", "rs4,100,99"])
    edges = [f"{source},{target}" for source, target in EDGES]
    _lines(folder / "edges.csv", ["source,target", *edges])
    _lines(folder / "follows.csv", ["source,target", *edges])
    _lines(folder / "calls.csv", ["source,target,minutes", *(f"{edge},7" for edge in edges)])
    parquet.write_table(
        pa.table({"source": [s for s, _ in EDGES], "target": [t for _, t in EDGES]}), folder / "edges.parquet"
    )
    with gzip.open(folder / "edges.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(edge.replace(",", " ") for edge in edges))
    _lines(folder / "web.txt", ["100 2000", "100 30000", "2000 30000"])
    _lines(folder / "names.txt", map(str, range(97)))
    people = [f"{age},{job},{rich}" for age, job, rich in PEOPLE]
    _lines(folder / "people.csv", ["age,job,rich", *people])
    domains = ["age = {lower = 0, upper = 100}", 'job = ["farmer", "nurse", "smith"]', 'rich = ["no", "yes"]']
    _lines(folder / "people.toml", ['source = "people.csv"', "[columns]", *domains])
    columns = {name: [person[place] for person in PEOPLE] for place, name in enumerate(("age", "job", "rich"))}
    parquet.write_table(pa.table(columns), folder / "people.parquet")
    parquet.write_table(pa.table({"page": [3, 5, 8], "score": [40, 90, 12]}), folder / "scores.parquet")
    _lines(folder / "counts.csv", ["name,count,limit", "flu,4021,3000", "pox,12,100", "cold,55,1000", "mumps,2900,9"])
    np.save(folder / "public.npy", np.arange(64).reshape(8, 8) ** 2)
    patients = [f"{age},{'ill' if age >= 70 else 'well'}" for age in range(100) for _ in range(3)]
    _lines(folder / "patients.csv", ["age,state", *patients])
    _lines(
        folder / "patients.toml",
        ['source = "patients.csv"', "[columns]", "age = {lower = 0, upper = 100}", 'state = ["well", "ill"]'],
    )
    _lines(folder / "new.csv", ["age,job", "30,smith", "80,nurse"])
    seen = [
        (user, ("de", "fr", "it")[user % 3], ("search", "export", "share")[user % 2], user % 60) for user in range(90)
    ]
    visits = [f"2026-10,{user},{country},{feature},{minutes}" for user, country, feature, minutes in seen]
    _lines(folder / "visits.csv", ["month,user,country,feature,minutes", *visits, "2026-11,1,de,search,9"])
    shelf = ["bread", "milk", "tea", "rice", "salt", "soap", "yeast", "figs"]
    bought = [(user, shelf[place]) for user in range(200) for place in range(1 + user % len(shelf))]
    events = [f"u{user},{product},{'north' if user % 4 else 'south'}" for user, product in bought]
    _lines(folder / "events.csv", ["user,product,region", *events])
    _lines(folder / "products.txt", shelf)


def _lines(path: Path, lines) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
