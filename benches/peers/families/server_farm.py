"""A farm of servers that are switched on and off: jobs wait in a queue, and servers take a while to start.

With five jobs or more a server is woken now and then, and while there are none one is sent to sleep. Servers are
counted. Long queues are rare, so that a large share of the states is, along one dimension of three.
"""

from __future__ import annotations

from case import Case

SERVICE, STARTS = 1.0, 0.1
WAKING, SLEEPING = 0.5, 0.2
LONG = 5  # the jobs from which on servers are woken


def case(jobs: int, servers: int, arrivals: float) -> Case:
    """Room for so many jobs."""
    # All servers of a farm sleep until there are jobs enough, so few jobs and starting servers alone aren't met.
    states = (jobs + 1) * (servers + 1) * (servers + 2) // 2 - LONG
    return Case(
        name=f"server farm {jobs}, {servers}",
        pepa=pepa(jobs, servers, arrivals),
        prism=prism(jobs, servers, arrivals),
        action="serve",
        states=states,
        lumped=states,
        is_counted=True,
    )


def pepa(jobs: int, servers: int, arrivals: float) -> str:
    """The queue, and servers that are counted."""
    lines = []
    for count in range(jobs + 1):
        ways = [f"(arrive, {arrivals}).Jobs{count + 1}"] if count < jobs else []
        ways += [f"(serve, infty).Jobs{count - 1}"] if count > 0 else [f"(sleep, {SLEEPING}).Jobs0"]
        ways += [f"(wake, {WAKING}).Jobs{count}"] if count >= LONG else []
        lines.append(f"Jobs{count} = {' + '.join(ways)};")
    lines += [
        "Off = (wake, infty).Starting;",
        f"Starting = (start, {STARTS}).On;",
        f"On = (serve, {SERVICE}).On + (sleep, infty).Off;",
        f"Jobs0 <serve, wake, sleep> Off[{servers}]",
    ]
    return "\n".join(lines) + "\n"


def prism(jobs: int, servers: int, arrivals: float) -> str:
    """A module with the jobs, the servers that start and those that work."""
    lines = ["ctmc", f"const int K = {jobs};", f"const int S = {servers};", "module farm"]
    lines += [
        "  j : [0..K] init 0;",
        "  t : [0..S] init 0;",
        "  o : [0..S] init 0;",
        f"  [] j<K -> {arrivals} : (j'=j+1);",
        f"  [] j>0 & o>0 -> {SERVICE}*o : (j'=j-1);",
        f"  [] j>={LONG} & o+t<S -> {WAKING} : (t'=t+1);",
        f"  [] t>0 -> {STARTS}*t : (t'=t-1) & (o'=o+1);",
        f"  [] j=0 & o>0 -> {SLEEPING} : (o'=o-1);",
    ]
    lines.append(f'endmodule\nrewards "throughput"\n  j>0 & o>0 : {SERVICE}*o;\nendrewards')
    return "\n".join(lines) + "\n"
