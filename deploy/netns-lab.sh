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
  become sw xpass switch --listen 0.0.0.0 --hosts 2 --link-rate 100mbit --spin never >"$scratch/switch" &
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

clean_up() {
  if ((${#children[@]} > 0)); then
    kill "${children[@]}" 2>/dev/null || true
    wait "${children[@]}" || true
  fi
  down
  rm -rf "$scratch"
}

if ((EUID != 0)); then
  echo "netns-lab: making network namespaces needs root" >&2
  exit 2
fi
case ${1:-} in
  up | down) "$1" ;;
  try) try "${@:2}" ;;
  exec)
    if (($# < 3)); then usage >&2 && exit 2; fi
    on "${@:2}"
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
