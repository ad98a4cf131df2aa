"""What lies in the folder of each role: small files, the same in every run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

STATUS = ("angestellt", "selbst", "rente")


def of_curator(folder: Path) -> None:
    """A table of an office, several rows per person, its public lists, and descriptions that are right and wrong."""
    rows = ["person;straße;region;alter;einkommen;status"]
    for row in range(1200):
        north = row % 3 != 0
        # Incomes around 30000: in the South most are 40000.
        income = (20000 if row % 2 else 30000) if north else 40000
        status = STATUS[0] if row % 5 else STATUS[2]
        age = 25 + row % 20 if row % 5 else 70 + row % 15
        rows.append(f"p{row // 2};Höhe {row % 7};{'Nord' if north else 'Süd'};{age};{income},5;{status}")
    rows.append(";;;;;")
    (folder / "people.csv").write_bytes("\n".join(rows).encode("cp1252"))
    (folder / "status.txt").write_text("\n".join(STATUS), encoding="utf-8")
    (folder / "votes.csv").write_text("page,votes\nhome,900\nnews,400\n", encoding="utf-8")
    shared = f'region = ["Nord", "Süd"]\nstatus = ["{STATUS[0]}", "{STATUS[2]}"]\n'
    written = 'source = "people.csv"\nseparator = ";"\ndecimal = ","\nencoding = "cp1252"\n[columns]\n'
    for name, columns in (
        ("people", "alter = {lower = 18, upper = 90}\n" + shared),
        ("ends", "alter = {low = 18, high = 90}\n" + shared),
        ("broken", "alter = {lower = 18, upper = 90}\nregion = [Nord]\n"),
    ):
        (folder / f"{name}.toml").write_text(written + columns, encoding="utf-8")


def of_network_scientist(folder: Path) -> None:
    """A star with semicolons and names."""
    leaves = [f"n{leaf}" for leaf in range(30)]
    edges = [f"anna;{leaf}" for leaf in leaves]
    (folder / "edges.csv").write_text("\n".join(["from;to", *edges]), encoding="utf-8")
    (folder / "names.txt").write_text("\n".join(["anna", *leaves]), encoding="utf-8")


def of_privacy_engineer(folder: Path) -> None:
    """Events of persons."""
    rows = [f"p{row},{'milk' if row % 9 == 0 else 'tea'}" for row in range(400)]
    (folder / "events.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")


def people(rows: int = 3000) -> dict[str, np.ndarray]:
    """Return the columns of a table of people."""
    row = np.arange(rows)
    age = 18 + row % 73
    return {
        "age": age,
        "job": np.array(["nurse", "smith", "cook"], dtype=object)[row % 3],
        "income": 1000 * (row % 90),
        "person": row // 2,
        "rich": np.where(age > 50, "yes", "no").astype(object),
    }


def of_data_engineer(folder: Path) -> None:
    """A table in three parts."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for part in range(3):
        parquet.write_table(pa.table(people()), folder / f"part-{part}.parquet")
    columns = '[columns]\nage = {lower = 18, upper = 90}\njob = ["nurse", "smith", "cook"]\nrich = ["no", "yes"]\n'
    (folder / "people.toml").write_text(f'source = "part-*.parquet"\nin_place = true\n{columns}', encoding="utf-8")
