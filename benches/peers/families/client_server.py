"""K clients and S servers that are alike: a client thinks, asks any free server, and waits for the answer.

    Client = (think, 1).Wait;      Wait = (request, infty).Busy;    Busy = (serve, infty).Client;
    Server = (request, 5).Work;    Work = (serve, 3).Reset;         Reset = (reset, 20).Server;
    Client[K] <request, serve> Server[S]

An answer may come from any working server to any busy client, so that there are as many busy clients as working
servers and no pairs to remember. Clients think at rate 1: the throughput of `think` is the mean number of clients that
think. Whole states tell the copies apart. Lumped states count them: `b` busy clients leave `K - b` that think or wait
and `S - b` servers that are free or reset, so that there are `(K - b + 1) (S - b + 1)` for each `b`.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from case import Case

# The last three by elimination in 40 digits, on the chain of counted copies written down by hand.
ANSWERS = {
    (3, 1): Fraction(678804, 455969),
    (10, 2): Fraction("3.426349362078492"),
    (10, 4): Fraction("6.143736626611053"),
    (14, 2): Fraction("3.428570149392373"),
}


def case(clients: int, servers: int, lumped: bool = False) -> Case:
    """So many clients at so many servers, their copies told apart or counted."""
    busy = range(min(clients, servers) + 1)
    # The other clients think or wait, the other servers are free or reset: two choices for each.
    whole = (comb(clients, b) * 2 ** (clients - b) * comb(servers, b) * 2 ** (servers - b) for b in busy)
    counted = ((clients - b + 1) * (servers - b + 1) for b in busy)
    return Case(
        name=f"client/server K={clients} S={servers}" + (", lumped" if lumped else ""),
        pepa=pepa(clients, servers),
        prism=prism(clients, servers),
        action="think",
        states=sum(whole),
        lumped=sum(counted) if lumped else None,
        answer=ANSWERS.get((clients, servers)),
    )


def pepa(clients: int, servers: int) -> str:
    """The model above, with arrays."""
    return (
        "Client = (think, 1).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client;\n"
        "Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server;\n"
        f"Client[{clients}] <request, serve> Server[{servers}]\n"
    )


def prism(clients: int, servers: int) -> str:
    """A module for each copy and an action for each pair, whose rate is shared among the clients that can take it."""
    all_clients, all_servers = range(1, clients + 1), range(1, servers + 1)
    lines = ["ctmc", counting("thinking", 0, clients), counting("waiting", 1, clients), counting("busy", 2, clients)]
    for i in all_clients:
        lines.append(f"module client{i}\n  c{i} : [0..2] init 0;\n  [] c{i}=0 -> 1 : (c{i}'=1);")
        lines += [f"  [request_{i}_{j}] c{i}=1 -> 1 : (c{i}'=2);" for j in all_servers]
        lines += [f"  [serve_{i}_{j}] c{i}=2 -> 1 : (c{i}'=0);" for j in all_servers]
        lines.append("endmodule")
    for j in all_servers:
        lines.append(f"module server{j}\n  s{j} : [0..2] init 0;\n  [] s{j}=2 -> 20 : (s{j}'=0);")
        lines += [f"  [request_{i}_{j}] s{j}=0 & waiting>0 -> 5/waiting : (s{j}'=1);" for i in all_clients]
        lines += [f"  [serve_{i}_{j}] s{j}=1 & busy>0 -> 3/busy : (s{j}'=2);" for i in all_clients]
        lines.append("endmodule")
    lines.append('rewards "throughput"\n  true : thinking;\nendrewards')
    return "\n".join(lines) + "\n"


def counting(name: str, value: int, clients: int) -> str:
    """How many clients are in a local state, as a formula."""
    return f"formula {name} = " + " + ".join(f"(c{i}={value}?1:0)" for i in range(1, clients + 1)) + ";"
