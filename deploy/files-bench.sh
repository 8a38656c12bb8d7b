#!/usr/bin/env bash
# rsync over TCP (its own protocol, no ssh), `xpass send` and the least that a Node.js program does for the same (measurements/bare-files.mjs), in turns, on
# loopback. Prints MB/s of each, how many times as long as rsync they take by the medians, and what skipping costs beside hashing.
#   FILES=100 BYTES=200000 TURNS=1 deploy/files-bench.sh      a smoke test; 10,000 files of 200,000 B (2 GB) and 3 turns without
# OPTIONS go to both sides of xpass, DAEMON to the daemon: DAEMON=--unsynced compares what rsync does by default; RSYNC=--fsync what xpass does.
set -euo pipefail
FILES=${FILES:-10000} BYTES=${BYTES:-200000} TURNS=${TURNS:-3}
OPTIONS=${OPTIONS:---datapath mmsg --frame-size 60000} DAEMON=${DAEMON:-} RSYNC=${RSYNC:-}
PORT=${PORT:-28773}
XPASS="$(cd "$(dirname "$0")/.." && pwd)/bin/xpass.mjs"
FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/xpass-files-XXXXXX")
CHILDREN=()
finish() {
  for child in "${CHILDREN[@]}"; do kill "$child" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$FOLDER"
}
trap finish EXIT
trap 'exit 1' INT TERM

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
address = 127.0.0.1
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
rsync --daemon --no-detach --config="$FOLDER/rsyncd.conf" </dev/null &
CHILDREN+=($!)
# shellcheck disable=SC2086
node "$XPASS" daemon -l "127.0.0.1:$((PORT + 1))" -d "$FOLDER/xpass" --log-level warn $OPTIONS $DAEMON >/dev/null &
CHILDREN+=($!)
node "$BARE" receive $((PORT + 2)) "$FOLDER/bare" &
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
}
RSYNC_US=() XPASS_US=() BARE_US=() AGAIN_US=() HASH_US=()
for ((turn = 1; turn <= TURNS; turn++)); do
  # shellcheck disable=SC2086
  RSYNC_US+=("$(timed rsync -r $RSYNC "$FOLDER/source/" "rsync://127.0.0.1:$PORT/in/$turn/")")
  # shellcheck disable=SC2086
  mv "$FOLDER/source" "$FOLDER/$turn"
  # shellcheck disable=SC2086
  XPASS_US+=("$(timed node "$XPASS" send "$FOLDER/$turn" --to "127.0.0.1:$((PORT + 1))" $OPTIONS)")
  # shellcheck disable=SC2086
  AGAIN_US+=("$(timed node "$XPASS" send "$FOLDER/$turn" --to "127.0.0.1:$((PORT + 1))" $OPTIONS)")
  mkdir "$FOLDER/files"
  mv "$FOLDER/$turn" "$FOLDER/files"
  BARE_US+=("$(timed node "$BARE" send $((PORT + 2)) "$FOLDER/files")")
  mv "$FOLDER/files/$turn" "$FOLDER/source"
  rmdir "$FOLDER/files"
  HASH_US+=("$(timed find "$FOLDER/source" -type f -exec sha256sum {} +)")
done
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
awk -v again="$(median "${AGAIN_US[@]}")" -v hash="$(median "${HASH_US[@]}")" -v bytes=$((FILES * BYTES)) -v rsync="$(median "${RSYNC_US[@]}")" \
  -v xpass="$(median "${XPASS_US[@]}")" -v bare="$(median "${BARE_US[@]}")" -v options="$OPTIONS $DAEMON" -v peer="rsync -r ${RSYNC}" '
  function line(what, us) { printf "%s  %.1f MB/s, %.2f times as long as rsync\n", what, bytes / us, us / rsync }
  BEGIN {
    printf "%s  %.1f MB/s\n", peer, bytes / rsync
    line("xpass send " options, xpass)
    line("bare Node.js over node:net, not synced", bare)
    printf "all of it sent again, and skipped  %.2f s; sha256sum alone  %.2f s\n", again / 1e6, hash / 1e6
  }'
