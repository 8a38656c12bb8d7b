#!/usr/bin/env bash
# Three hosts on one machine: network namespaces joined by veth pairs, like two machines at a third one that is the switch.
#
#     xpass-h1  10.77.1.2 ---- 10.77.1.1  xpass-sw  10.77.2.1 ---- 10.77.2.2  xpass-h2
#
# Needs root and iproute2. What it makes is gone after `down`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly spaces=(xpass-sw xpass-h1 xpass-h2)

usage() {
  cat <<'TEXT'
Usage: deploy/netns-lab.sh up                make the three hosts
       deploy/netns-lab.sh exec sw|h1|h2 COMMAND...   run a command on one of them; `xpass` is the one of this folder
       deploy/netns-lab.sh try [FILE]        make them, send FILE (Node's executable) from h1 to h2, show the ports, take them down
       deploy/netns-lab.sh beside KERNEL FLOWS [OPTION...]   make them, with a token bucket of RATE (100mbit) and LATENCY (20ms) before h2; FLOWS flows
                                             of xpass to `xpass perf -s OPTION...` beside as many of the kernel's TCP with KERNEL (cubic, bbr, dctcp) for SPAN (10)
                                             seconds after 5; one line with what each flow got
       deploy/netns-lab.sh down              take them down
TEXT
}

# A veth pair between the switch and host number $1.
join_host() {
  local host=xpass-h$1
  ip link add "veth-h$1" netns xpass-sw type veth peer name veth0 netns "$host"
  ip -n xpass-sw address add "10.77.$1.1/24" dev "veth-h$1"
  ip -n "$host" address add "10.77.$1.2/24" dev veth0
  ip -n xpass-sw link set "veth-h$1" up
  ip -n "$host" link set veth0 up
}

must_be_down() {
  local space
  for space in "${spaces[@]}"; do
    if [[ -e /run/netns/$space ]]; then
      echo "netns-lab: $space exists already: run \`$0 down\` first" >&2
      exit 2
    fi
  done
}

up() {
  local space
  must_be_down
  for space in "${spaces[@]}"; do
    ip netns add "$space"
    ip -n "$space" link set lo up
  done
  join_host 1
  join_host 2
}

# Takes the veth pairs with it. Processes inside keep running without a network: end them first.
down() {
  local space
  for space in "${spaces[@]}"; do
    if [[ -e /run/netns/$space ]]; then ip netns delete "$space"; fi
  done
}

# Becomes a command on a host, so that its process is the one that the shell knows.
become() {
  local space=xpass-$1
  shift
  if [[ $1 == xpass ]]; then
    shift
    set -- node "$here/../bin/xpass.mjs" "$@"
  fi
  exec ip netns exec "$space" "$@"
}

on() {
  (become "$@")
}

# Waits until the file of output $1 says that the process is ready.
await_ready() {
  local tries
  for ((tries = 0; tries < 200; tries++)); do
    if grep -qs listening "$1"; then return; fi
    sleep 0.05
  done
  echo "netns-lab: nothing is ready after ten seconds; see above" >&2
  return 1
}

try() {
  local file=${1:-$(command -v node)}
  must_be_down
  scratch=$(mktemp -d)
  children=()
  trap clean_up EXIT
  up
  # One core for three hosts, maybe: none of them may spin.
  become sw xpass switch --insecure --listen 0.0.0.0 --hosts 2 --link-rate 100mbit --spin never >"$scratch/switch" &
  children+=($!)
  await_ready "$scratch/switch"
  become h2 xpass daemon --switch 10.77.2.1 --host-id 2 --directory "$scratch/received" --spin never >"$scratch/daemon" &
  children+=($!)
  await_ready "$scratch/daemon"
  on h1 xpass send "$file" --switch 10.77.1.1 --host-id 1 --to 2 --spin never
  on sw xpass switch ctl ports
  cmp "$file" "$scratch/received/$(basename "$file")"
  echo "netns-lab: $(basename "$file") arrived identical"
}

# One path from h1 to h2 through sw, whose token bucket holds what is not yet due for $LATENCY.
route_hosts() {
  local host
  ip netns exec xpass-sw sysctl -qw net.ipv4.ip_forward=1
  for host in 1 2; do
    ip -n "xpass-h$host" route add default via "10.77.$host.1"
    # Packets of the size of the path, as between machines: the bucket would take 64 KiB for one.
    ip -n "xpass-h$host" link set veth0 gso_max_segs 1
  done
  tc -n xpass-sw qdisc add dev veth-h2 root tbf rate "$RATE" burst 16kb latency "$LATENCY"
}

# A network namespace may choose only what the machine allows; `clean_up` takes that back.
choose_tcp() {
  local -r allowed=/proc/sys/net/ipv4/tcp_allowed_congestion_control
  was_allowed=$(<"$allowed")
  echo "$was_allowed $1" >"$allowed"
  on h1 sysctl -qw "net.ipv4.tcp_congestion_control=$1"
}

# Ticks that the machine's host gave to others, and all ticks.
steal() {
  awk '/^cpu / { sum = 0; for (i = 2; i <= NF; i++) sum += $i; print $9, sum }' /proc/stat
}

beside() {
  local kernel=$1 flows=$2 before after
  local -r RATE=${RATE:-100mbit} LATENCY=${LATENCY:-20ms} SPAN=${SPAN:-10}
  shift 2
  if ! grep -qw "$kernel" /proc/sys/net/ipv4/tcp_available_congestion_control; then
    echo "netns-lab: this kernel has no $kernel; it has $(cat /proc/sys/net/ipv4/tcp_available_congestion_control)" >&2
    return 3
  fi
  must_be_down
  scratch=$(mktemp -d)
  children=()
  trap clean_up EXIT
  up
  route_hosts
  choose_tcp "$kernel"
  become h2 xpass perf -s --insecure --listen 10.77.2.2:28400 --rate "$RATE" --spin never "$@" >"$scratch/server" &
  children+=($!)
  become h2 node "$here/tcp-load.mjs" receive 5201 5 "$SPAN" >"$scratch/tcp" &
  children+=($!)
  await_ready "$scratch/server"
  await_ready "$scratch/tcp"
  before=$(steal)
  become h1 node "$here/tcp-load.mjs" send 10.77.2.2 5201 "$flows" &
  children+=($!)
  on h1 xpass perf -c 10.77.2.2:28400 --rate "$RATE" --spin never -P "$flows" -O 5s -t "${SPAN}s" --json >"$scratch/xpass"
  after=$(steal)
  wait "${children[1]}"
  node "$here/tcp-load.mjs" compare "$scratch/xpass" "$scratch/tcp" "$before $after" "$kernel" "$flows" "$*"
}

clean_up() {
  if ((${#children[@]} > 0)); then
    kill "${children[@]}" 2>/dev/null || true
    wait "${children[@]}" || true
  fi
  down
  if [[ -n ${was_allowed:-} ]]; then echo "$was_allowed" >/proc/sys/net/ipv4/tcp_allowed_congestion_control; fi
  rm -rf "$scratch"
}

if ((EUID != 0)); then
  echo "netns-lab: making network namespaces needs root" >&2
  exit 2
fi
case ${1:-} in
  up | down) "$1" ;;
  try) try "${@:2}" ;;
  beside)
    if (($# < 3)); then usage >&2 && exit 2; fi
    beside "${@:2}"
    ;;
  exec)
    if (($# < 3)); then usage >&2 && exit 2; fi
    on "${@:2}"
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
