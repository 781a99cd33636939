"""The cluster of workstations (Haverkort, Hermanns and Katoen 2000), as in the benchmark suite of PRISM.

Two groups of N workstations have a switch each, and a backbone joins the switches. All of them fail, and one repairman
repairs them one at a time. Mean times are in hours: a workstation fails after 500, a switch after 4000, the backbone
after 5000; repairs take 0.5, 4 and 8. What belongs to the right group fails a little less often here, since skel would lump
the two groups otherwise.
"""

from __future__ import annotations

from case import Case

PARTS = {"ToLeft": (1 / 4000, 0.25), "ToRight": (0.00024, 0.25), "Line": (1 / 5000, 0.125)}
START, REPAIR_STATION, FAIL_STATION = 10, 2, {"Left": 0.002, "Right": 0.0019}


def case(stations: int) -> Case:
    """Two groups of so many workstations."""
    # Nothing is repaired, or a workstation of one of the groups, or one of the three other parts.
    states = 8 * (stations + 1) ** 2 + 2 * 8 * stations * (stations + 1) + 3 * 4 * (stations + 1) ** 2
    return Case(
        name=f"cluster N={stations}",
        pepa=pepa(stations),
        prism=prism(stations),
        action="repairLeft",
        states=states,
        lumped=states,
        is_counted=True,
    )


def pepa(stations: int) -> str:
    """Workstations that are counted, and a component for each other part and for the repairman."""
    lines = []
    for name in ("Left", "Right"):
        lines.append(
            f"Up{name} = (fail{name}, {FAIL_STATION[name]}).Down{name}; Down{name} = (start{name}, infty).Repaired{name};\n"
            f"Repaired{name} = (repair{name}, infty).Up{name};"
        )
    for name, (fail, _) in PARTS.items():
        lines.append(
            f"Up{name} = (fail{name}, {fail}).Down{name}; Down{name} = (start{name}, infty).Repaired{name};\n"
            f"Repaired{name} = (repair{name}, infty).Up{name};"
        )
    repairs = {"Left": REPAIR_STATION, "Right": REPAIR_STATION} | {name: rate for name, (_, rate) in PARTS.items()}
    idle = [f"(start{name}, {START}).Busy" for name in repairs]
    busy = [f"(repair{name}, {rate}).Idle" for name, rate in repairs.items()]
    lines.append(f"Idle = {' + '.join(idle)};\nBusy = {' + '.join(busy)};")
    shared = ", ".join(f"start{name}, repair{name}" for name in repairs)
    parts = " || ".join([f"UpLeft[{stations}]", f"UpRight[{stations}]", *(f"Up{name}" for name in PARTS)])
    lines.append(f"Idle <{shared}> ({parts})")
    return "\n".join(lines) + "\n"


def prism(stations: int) -> str:
    """The model of the suite."""
    lines = ["ctmc", f"const int N = {stations};"]
    for name in ("Left", "Right"):
        lines.append(
            f"module {name}\n  n{name} : [0..N] init N;\n  r{name} : bool init false;\n"
            f"  [start{name}] !r{name} & n{name}<N -> 1 : (r{name}'=true);\n"
            f"  [repair{name}] r{name} & n{name}<N -> 1 : (n{name}'=n{name}+1) & (r{name}'=false);\n"
            f"  [] n{name}>0 -> {FAIL_STATION[name]}*n{name} : (n{name}'=n{name}-1);\nendmodule"
        )
    for name, (fail, _) in PARTS.items():
        lines.append(
            f"module {name}\n  n{name} : bool init true;\n  r{name} : bool init false;\n"
            f"  [start{name}] !r{name} & !n{name} -> 1 : (r{name}'=true);\n"
            f"  [repair{name}] r{name} & !n{name} -> 1 : (n{name}'=true) & (r{name}'=false);\n"
            f"  [] n{name} -> {fail} : (n{name}'=false);\nendmodule"
        )
    repairs = {"Left": REPAIR_STATION, "Right": REPAIR_STATION} | {name: rate for name, (_, rate) in PARTS.items()}
    lines.append("module repairman\n  busy : bool init false;")
    for name, rate in repairs.items():
        lines.append(f"  [start{name}] !busy -> {START} : (busy'=true);\n  [repair{name}] busy -> {rate} : (busy'=false);")
    lines.append(f'endmodule\nrewards "throughput"\n  rLeft : {REPAIR_STATION};\nendrewards')
    return "\n".join(lines) + "\n"
