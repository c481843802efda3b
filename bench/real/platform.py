#!/usr/bin/env python3
"""Hosts as they were calibrated, as a platform for SimGrid.

    bench/real/platform.py NODE.json CORES > hosts.xml

NODE-between.json (dlsbench calibrate --nodes 2) says what lies between the
hosts: the latency from short messages, the bandwidth from the longest, of
16 MiB, which a shaped link takes at its rate (short ones fit into its bucket).
Two hosts of CORES cores.
"""
import json
import sys

HOST = """\
    <host id="dls{n}" speed="1Gf" core="{cores}">
      <prop id="smpi/os" value="0:{send:.6g}:0"/>
      <prop id="smpi/ois" value="0:{send:.6g}:0"/>
      <prop id="smpi/or" value="0:{receive:.6g}:0"/>
    </host>
"""
# Ranks of a host are near each other: 1 us, 1 GB/s.
NETWORK = """\
    <link id="memory" bandwidth="1GBps" latency="1us"
          sharing_policy="FATPIPE"/>
    <link id="to-1" bandwidth="{bandwidth:.6g}Bps" latency="{latency:.6g}s"/>
    <link id="to-2" bandwidth="{bandwidth:.6g}Bps" latency="{latency:.6g}s"/>
"""
ROUTE = """\
    <route src="dls{a}" dst="dls{b}" symmetrical="NO">
      <link_ctn id="{link}"/>
    </route>
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} NODE.json CORES")
    between = sys.argv[1].removesuffix(".json") + "-between.json"
    with open(between, encoding="utf-8") as file:
        ranks = json.load(file)["kinds"]["ranks"]
    charges, (transfer,) = ranks["charges"], ranks["transfers"]
    longest = transfer["sizes"][-1]
    send, receive = charges["send_s"] or 0, charges["receive_s"] or 0
    latency = max((charges["one_way_s"] or transfer["g_s"]) - send - receive,
                  1e-9)
    print('<?xml version="1.0"?>\n'
          '<!DOCTYPE platform SYSTEM '
          '"https://simgrid.org/simgrid.dtd">\n'
          '<!-- Two hosts on one machine, as they were calibrated. -->\n'
          '<platform version="4.1">\n'
          '  <config>\n'
          '    <prop id="smpi/send-is-detached-thresh" value="1000000000"/>\n'
          '  </config>\n'
          '  <zone id="hosts" routing="Full">')
    for number in (1, 2):
        print(end=HOST.format(n=number, cores=sys.argv[2], send=send,
                              receive=receive))
    print(end=NETWORK.format(latency=latency, bandwidth=longest["bytes"]
                             / longest["one_way_s"]))
    for a, b in ((1, 1), (2, 2), (1, 2), (2, 1)):
        print(end=ROUTE.format(a=a, b=b,
                               link="memory" if a == b else f"to-{b}"))
    print("  </zone>\n</platform>")


if __name__ == "__main__":
    main()
