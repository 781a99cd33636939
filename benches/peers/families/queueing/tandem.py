"""The tandem network (Hermanns, Meyer-Kayser and Siegle 1999), as in the benchmark suite of PRISM: two queues in a line.

Customers arrive at the rate `4 c`. The first queue has `c` places; its service has one phase of rate 2 with the
probability 0.9, and two phases otherwise. Who leaves it goes on to the second queue, of `c` places, too, whose server
has the rate 4. So the first queue is nearly always full, and most states are very rare: probabilities go far below
`1e-300`. There are `2 c + 1` states of the first queue for each of the `c + 1` of the second.
"""

from __future__ import annotations

from case import Case


def case(places: int) -> Case:
    """Two queues of so many places."""
    return Case(
        name=f"tandem c={places}",
        pepa=pepa(places),
        prism=prism(places),
        action="serve",
        states=(2 * places + 1) * (places + 1),
    )


def pepa(places: int) -> str:
    """A derivative for each number of customers, and for the first queue for each phase."""
    lines = [f"lambda = 4 * {places}; mu1a = 0.2; mu1b = 1.8; mu2 = 2; kappa = 4;"]
    for count in range(places + 1):
        arrives = [f"(arrive, lambda).First{{}}x{count + 1}"] if count < places else []
        one = list(arrives)
        if count > 0:
            one += [f"(route, mu1b).First1x{count - 1}", f"(second_phase, mu1a).First2x{count}"]
            two = [*arrives, f"(route, mu2).First1x{count - 1}"]
            lines.append(f"First2x{count} = {' + '.join(two)};".replace("{}", "2"))
        lines.append(f"First1x{count} = {' + '.join(one)};".replace("{}", "1"))
        enters = [f"(route, infty).Second{count + 1}"] if count < places else []
        leaves = [f"(serve, kappa).Second{count - 1}"] if count > 0 else []
        lines.append(f"Second{count} = {' + '.join([*enters, *leaves])};")
    lines.append("First1x0 <route> Second0")
    return "\n".join(lines) + "\n"


def prism(places: int) -> str:
    """The model of the suite."""
    return f"""ctmc
const int c = {places};
const double lambda = 4*c;
const double mu1a = 0.2;
const double mu1b = 1.8;
const double mu2 = 2;
const double kappa = 4;
module first
  sc : [0..c] init 0;
  ph : [1..2] init 1;
  [] sc<c -> lambda : (sc'=sc+1);
  [route] sc>0 & ph=1 -> mu1b : (sc'=sc-1);
  [] sc>0 & ph=1 -> mu1a : (ph'=2);
  [route] sc>0 & ph=2 -> mu2 : (ph'=1) & (sc'=sc-1);
endmodule
module second
  sm : [0..c] init 0;
  [route] sm<c -> 1 : (sm'=sm+1);
  [] sm>0 -> kappa : (sm'=sm-1);
endmodule
rewards "throughput"
  sm>0 : kappa;
endrewards
"""
