#!/usr/bin/env bash
# rsync over TCP (its own protocol, no ssh), `xpass send` and the least that a Node.js program does for the same (measurements/bare-files.mjs), in turns, on
# loopback or over a link. Prints MB/s of each, how many times as long as rsync they take by the medians, the processor time of xpass, and what skipping
# costs beside hashing.
#   FILES=100 BYTES=200000 TURNS=1 deploy/files-bench.sh      a smoke test; 10,000 files of 200,000 B (2 GB) and 3 turns without
#   sudo LINK=1gbit FILES=3000 deploy/files-bench.sh          over a link of this rate between two network namespaces, sealed by keys; needs root, iproute2
# OPTIONS go to both sides of xpass, DAEMON to the daemon: DAEMON=--unsynced compares what rsync does by default; RSYNC=--fsync what xpass does. OPTIONS of
# your own over a link want a key or DAEMON=--insecure.
set -euo pipefail
FILES=${FILES:-10000} BYTES=${BYTES:-200000} TURNS=${TURNS:-3} LINK=${LINK:-}
DAEMON=${DAEMON:-} RSYNC=${RSYNC:-}
PORT=${PORT:-28773}
XPASS="$(cd "$(dirname "$0")/.." && pwd)/bin/xpass.mjs"
FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/xpass-files-XXXXXX")
CHILDREN=()
finish() {
  for child in "${CHILDREN[@]}"; do kill "$child" 2>/dev/null || true; done
  wait 2>/dev/null || true
  if [[ -n $LINK ]]; then for host in 1 2; do ip netns delete "xpass-f$host" 2>/dev/null || true; done; fi
  rm -rf "$FOLDER"
}
trap finish EXIT
trap 'exit 1' INT TERM

# What a command of the sender and one of the receiver begins with, and where the latter listens.
SEND=() RECEIVE=() HOST=127.0.0.1
join_hosts() {
  local host
  for host in 1 2; do ip netns add "xpass-f$host"; done
  ip link add veth0 netns xpass-f1 type veth peer name veth0 netns xpass-f2
  for host in 1 2; do
    ip -n "xpass-f$host" address add "10.79.0.$host/30" dev veth0
    ip -n "xpass-f$host" link set veth0 mtu 1500 up
    # A bucket of one large segment of TCP, and a queue as of a switch.
    tc -n "xpass-f$host" qdisc add dev veth0 root tbf rate "$LINK" burst 64kb latency 10ms
  done
  SEND=(ip netns exec xpass-f1) RECEIVE=(ip netns exec xpass-f2) HOST=10.79.0.2
}
if [[ -n $LINK ]]; then
  join_hosts
  node "$XPASS" key new "$FOLDER/key"
  OPTIONS=${OPTIONS:---rate $LINK --key $FOLDER/key}
else
  OPTIONS=${OPTIONS:---frame-size 60000}
fi

BARE="$(dirname "$0")/measurements/bare-files.mjs"
mkdir "$FOLDER/source" "$FOLDER/rsync" "$FOLDER/xpass" "$FOLDER/bare"
node --input-type=module - "$FOLDER/source" "$FILES" "$BYTES" <<'JS'
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
const [root, files, bytes] = process.argv.slice(2);
for (let file = 0; file < Number(files); file++) {
  const folder = `${root}/${Math.floor(file / 100)}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${file}`, randomBytes(Number(bytes)));
}
JS
cat >"$FOLDER/rsyncd.conf" <<CONF
address = $HOST
port = $PORT
use chroot = no
lock file = $FOLDER/rsyncd.lock
log file = $FOLDER/rsyncd.log
[in]
path = $FOLDER/rsync
read only = no
uid = $(id -u)
gid = $(id -g)
CONF
"${RECEIVE[@]}" rsync --daemon --no-detach --config="$FOLDER/rsyncd.conf" </dev/null &
CHILDREN+=($!)
# shellcheck disable=SC2086
"${RECEIVE[@]}" node "$XPASS" daemon -l "$HOST:$((PORT + 1))" -d "$FOLDER/xpass" --log-level warn $OPTIONS $DAEMON >/dev/null &
CHILDREN+=($!)
RECEIVER=$!
"${RECEIVE[@]}" node "$BARE" receive $((PORT + 2)) "$FOLDER/bare" "$HOST" &
CHILDREN+=($!)
sleep 2

# What the turn before left for the disk is not this one's. Files stay until the end: for a minute ext4 skips each inode that was removed, one by one, when
# it makes another.
timed() {
  local begin
  sync
  begin=$(date +%s%N)
  "$@" >/dev/null
  echo $((($(date +%s%N) - begin) / 1000))
  times >"$FOLDER/times"
}
# Processor time in hundredths of a second: of a process, and of the command that was timed last.
ticks_of() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
ticks_timed() { awk -F '[ms ]+' 'NR == 2 { print int(100 * ($1 * 60 + $2 + $3 * 60 + $4)) }' "$FOLDER/times"; }
RSYNC_US=() XPASS_US=() BARE_US=() AGAIN_US=() HASH_US=() SEND_TICKS=() DAEMON_TICKS=()
for ((turn = 1; turn <= TURNS; turn++)); do
  # shellcheck disable=SC2086
  RSYNC_US+=("$(timed "${SEND[@]}" rsync -r $RSYNC "$FOLDER/source/" "rsync://$HOST:$PORT/in/$turn/")")
  # shellcheck disable=SC2086
  mv "$FOLDER/source" "$FOLDER/$turn"
  ticks=$(ticks_of "$RECEIVER")
  # shellcheck disable=SC2086
  XPASS_US+=("$(timed "${SEND[@]}" node "$XPASS" send "$FOLDER/$turn" --to "$HOST:$((PORT + 1))" $OPTIONS)")
  SEND_TICKS+=("$(ticks_timed)") DAEMON_TICKS+=($(($(ticks_of "$RECEIVER") - ticks)))
  # shellcheck disable=SC2086
  AGAIN_US+=("$(timed "${SEND[@]}" node "$XPASS" send "$FOLDER/$turn" --to "$HOST:$((PORT + 1))" $OPTIONS)")
  mkdir "$FOLDER/files"
  mv "$FOLDER/$turn" "$FOLDER/files"
  BARE_US+=("$(timed "${SEND[@]}" node "$BARE" send $((PORT + 2)) "$FOLDER/files" "$HOST")")
  mv "$FOLDER/files/$turn" "$FOLDER/source"
  rmdir "$FOLDER/files"
  HASH_US+=("$(timed find "$FOLDER/source" -type f -exec sha256sum {} +)")
done
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
awk -v again="$(median "${AGAIN_US[@]}")" -v hash="$(median "${HASH_US[@]}")" -v bytes=$((FILES * BYTES)) -v rsync="$(median "${RSYNC_US[@]}")" \
  -v xpass="$(median "${XPASS_US[@]}")" -v bare="$(median "${BARE_US[@]}")" -v options="$OPTIONS $DAEMON" \
  -v send="$(median "${SEND_TICKS[@]}")" -v daemon="$(median "${DAEMON_TICKS[@]}")" -v peer="rsync -r ${RSYNC}" '
  function line(what, us) { printf "%s  %.1f MB/s, %.2f times as long as rsync\n", what, bytes / us, us / rsync }
  BEGIN {
    printf "%s  %.1f MB/s\n", peer, bytes / rsync
    line("xpass send " options, xpass)
    printf "  processor time: send %.1f s, daemon %.1f s\n", send / 100, daemon / 100
    line("bare Node.js over node:net, not synced", bare)
    printf "all of it sent again, and skipped  %.2f s; sha256sum alone  %.2f s\n", again / 1e6, hash / 1e6
  }'
