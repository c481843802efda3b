"""What Andronikos et al. do not print: our values and why, and how many of the
claims on the best interval hold with others."""


def place(reading, protocol):
    """Where a claim in a reading of the messages and a protocol is."""
    return f"table 2; {protocol}, messages: {reading}"


def holding(report, reading, protocol):
    mine = [c for c in report.claims
            if c["where"] == place(reading, protocol)]
    return (f"{sum(bool(c['holds']) for c in mine)} of {len(mine)} claims on "
            "h_theory")


def add(report, simulated, readings, ours):
    """simulated: [(reading, protocol)]; readings: their words; ours: the
    paper's own reading and protocol."""
    one, other = ([(reading, protocol) for reading, protocol in simulated
                   if (protocol == ours[1]) == same and
                   (reading, protocol) != ours] for same in (True, False))
    report.assume(
        "what a message costs processors", readings[ours[0]],
        "formula 1 lets a worker receive, compute and send one after the "
        "other, and c_d and c_c were measured as half a round trip",
        [(readings[reading], holding(report, reading, protocol))
         for reading, protocol in one])
    report.assume(
        "when a boundary leaves (protocol)", "subproblem: that of every NP-th "
        "chunk once, at its end",
        "formulas 5 and 10 fill the pipeline once for each of the k rounds of "
        "chunks",
        [(f"dmps, as its authors define it; {readings[reading]}",
          holding(report, reading, protocol) + ", of that protocol's model")
         for reading, protocol in other])
    report.assume(
        "bytes of an element", "8",
        "a double takes 0.64 us on 100 Mbit/s, c_c of table 1 is 0.65 and "
        "0.69 us")
    report.assume(
        "form of sub-chunks", "rectangles (shape=paper)",
        "figure 3 draws them, though they break the dependences of Floyd and "
        "Steinberg",
        [("skewed, as the dependences ask (shape=exact)",
          "no claim is counted; their best intervals are in a table")])
    report.assume("the switch", "does not limit",
                  "each worker talks to its two neighbours")
