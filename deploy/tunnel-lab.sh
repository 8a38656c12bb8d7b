#!/usr/bin/env bash
# Goodput of iperf3 through a tunnel, beside `xpass perf` and TCP of the kernel, over one path between two network namespaces.
# The path has a rate, a queue, a delay and random loss, from path.c. Needs root, iproute2, gcc and iperf3. What it makes is gone at its end.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly RATE_MBIT=${RATE_MBIT:-100} QUEUE_MS=${QUEUE_MS:-20} RTT_MS=${RTT_MS:-10} SPAN=${SPAN:-10} TURNS=${TURNS:-1} SEED=${SEED:-1} KERNEL=${KERNEL:-cubic}
children=()
path_pid=

usage() {
  cat <<'TEXT'
Usage: deploy/tunnel-lab.sh LOSS...   for each LOSS (0, 0.001, 0.01): goodput, Mbit/s, of TCP, of xpass perf, and of iperf3 through xpass tunnel
       deploy/tunnel-lab.sh limit     what the path itself carries: TCP without rate, delay and loss
Variables: RATE_MBIT (100), QUEUE_MS (20) and RTT_MS (10) of the path; SPAN (10) seconds of each measurement after 2; TURNS (1); SEED (1);
           KERNEL (cubic), the congestion control of TCP;
           OPTIONS, of all xpass commands (--spin never)
TEXT
}

# Becomes a command on a host, so that its process is the one that the shell knows.
become() {
  exec ip netns exec "xpass-t$1" "${@:2}"
}

# The same with a command of xpass.
become_xpass() {
  # shellcheck disable=SC2086
  become "$1" node "$here/../bin/xpass.mjs" "${@:2}" ${OPTIONS:---spin never}
}

await_ready() {
  local tries
  for ((tries = 0; tries < 200; tries++)); do
    if grep -qs listening "$1"; then return; fi
    sleep 0.05
  done
  echo "tunnel-lab: nothing is ready after ten seconds: $1" >&2
  return 1
}

up() {
  local host
  for host in 1 2; do
    if [[ -e /run/netns/xpass-t$host ]]; then
      echo "tunnel-lab: xpass-t$host exists already: remove it with \`ip netns delete\` first" >&2
      exit 2
    fi
  done
  for host in 1 2; do
    ip netns add "xpass-t$host"
    ip -n "xpass-t$host" link set lo up
  done
}

# A path with this rate (bit/s), one-way delay (ms) and loss.
open_path() {
  local host
  : >"$scratch/path.out"
  "$scratch/path" xpass-t1 xpass-t2 "$1" "$QUEUE_MS" "$2" "$3" "$SEED" >"$scratch/path.out" &
  path_pid=$!
  await_ready "$scratch/path.out"
  for host in 1 2; do
    ip -n "xpass-t$host" address add "10.78.0.$host/30" dev path0
    ip -n "xpass-t$host" link set path0 mtu 1500 txqueuelen 10000 up
  done
}

close_path() {
  if [[ -n $path_pid ]]; then
    kill "$path_pid" 2>/dev/null || true
    wait "$path_pid" || true
    path_pid=
  fi
}

# Ends what was started for one measurement.
end_children() {
  if ((${#children[@]} > 0)); then
    kill "${children[@]}" 2>/dev/null || true
    wait "${children[@]}" 2>/dev/null || true
  fi
  children=()
}

clean_up() {
  end_children
  close_path
  ip netns delete xpass-t1 2>/dev/null || true
  ip netns delete xpass-t2 2>/dev/null || true
  rm -rf "$scratch"
}

mbit() {
  node -e '
    const report = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    console.log((report.end.sum_received.bits_per_second / 1e6).toFixed(1));' "$1"
}

iperf() {
  timeout $((SPAN + 40)) ip netns exec xpass-t1 iperf3 -c "$1" -p "$2" -O 2 -t "$SPAN" -J "${@:3}" >"$scratch/iperf.json"
  mbit "$scratch/iperf.json"
}

serve_iperf() {
  become 2 iperf3 -s -p 5201 >/dev/null 2>&1 &
  children+=($!)
  sleep 0.5
}

measure_tcp() {
  serve_iperf
  iperf 10.78.0.2 5201 -C "$KERNEL"
  end_children
}

measure_perf() {
  become_xpass 2 perf -s --insecure --listen 10.78.0.2:28400 --rate "${RATE_MBIT}mbit" >"$scratch/server" 2>"$scratch/server.err" &
  children+=($!)
  await_ready "$scratch/server"
  (become_xpass 1 perf -c 10.78.0.2:28400 --rate "${RATE_MBIT}mbit" -O 2s -t "${SPAN}s" --json) >"$scratch/perf.json" 2>"$scratch/perf.err"
  mbit "$scratch/perf.json"
  end_children
}

measure_tunnel() {
  serve_iperf
  become_xpass 2 daemon --insecure --listen 10.78.0.2:28400 --rate "${RATE_MBIT}mbit" -d "$scratch/received" --tunnel 127.0.0.1:5201 >"$scratch/daemon" 2>"$scratch/daemon.err" &
  children+=($!)
  await_ready "$scratch/daemon"
  become_xpass 1 tunnel -L 5202:127.0.0.1:5201 --to 10.78.0.2:28400 --rate "${RATE_MBIT}mbit" >"$scratch/tunnel" 2>"$scratch/tunnel.err" &
  children+=($!)
  await_ready "$scratch/tunnel"
  iperf 127.0.0.1 5202
  end_children
}

compare() {
  local loss turn
  echo "path: ${RATE_MBIT} Mbit/s, queue ${QUEUE_MS} ms, RTT ${RTT_MS} ms; TCP with $KERNEL; ${SPAN} s after 2; goodput, Mbit/s"
  printf '%8s %6s %10s %12s %10s %14s\n' loss turn tcp 'xpass perf' tunnel 'tunnel/perf'
  for loss in "$@"; do
    open_path "$((RATE_MBIT * 1000000))" "$(awk "BEGIN { print $RTT_MS / 2 }")" "$loss"
    for ((turn = 1; turn <= TURNS; turn++)); do
      measure_tcp >"$scratch/a"
      measure_perf >"$scratch/b"
      measure_tunnel >"$scratch/c"
      printf '%8s %6s %10s %12s %10s %14s\n' "$loss" "$turn" "$(<"$scratch/a")" "$(<"$scratch/b")" "$(<"$scratch/c")" \
        "$(awk "BEGIN { printf \"%.3f\", $(<"$scratch/c") / $(<"$scratch/b") }")"
    done
    close_path
  done
}

if ((EUID != 0)); then
  echo "tunnel-lab: making network namespaces needs root" >&2
  exit 2
fi
if (($# < 1)) || [[ $1 == -* ]]; then
  usage >&2
  exit 2
fi
scratch=$(mktemp -d)
trap clean_up EXIT
gcc -O2 -o "$scratch/path" "$here/path.c"
up
if [[ $1 == limit ]]; then
  open_path 0 0 0
  echo "TCP over the path without rate, delay and loss: $(measure_tcp) Mbit/s"
else
  compare "$@"
fi
