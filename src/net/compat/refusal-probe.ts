// Tested by test/loopback/net-conformance.test.ts
import { createSocket } from 'node:dgram';
import type { UdpAddress } from '../../udp/address.js';

/** Ours: a peer on loopback or in the same rack has answered by then, so that only few connections need a probe. */
const PROBE_AFTER_MS = 10;
/** Ours: far apart enough for the kernels' limits on ICMP (net.ipv4.icmp_ratelimit is one a second for a peer, but not on loopback). */
const PROBE_EVERY_MS = 300;
/** Shorter than any frame: who has the port drops it. */
const PROBE = Uint8Array.of(0);

/**
 * Asks whether anybody has a UDP port. The kernel tells only a connected socket of ICMP's "port unreachable", and a host's socket has many peers; so the
 * probe is a connected socket of its own. Returns a function that stops it.
 */
export function probeRefusal(remote: UdpAddress, onRefused: () => void): () => void {
  let stopProbe = (): void => {};
  const timer = setTimeout(() => {
    stopProbe = startProbe(remote, onRefused);
  }, PROBE_AFTER_MS);
  return () => {
    clearTimeout(timer);
    stopProbe();
  };
}

function startProbe(remote: UdpAddress, onRefused: () => void): () => void {
  const socket = createSocket(remote.family === 6 ? 'udp6' : 'udp4').unref();
  let repeat: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    clearInterval(repeat);
    socket.close();
  };
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const isRefused = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET';
    if (!isStopped && isRefused) onRefused();
    stop();
  });
  socket.connect(remote.port, remote.address, () => {
    if (isStopped) return;
    socket.send(PROBE);
    repeat = setInterval(() => socket.send(PROBE), PROBE_EVERY_MS).unref();
  });
  return stop;
}
