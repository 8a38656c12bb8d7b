// Tested by test/loopback/tunnel.test.ts

import type { Socket } from 'node:net';
import { XpassError } from '../../../core/errors.js';
import type { Message } from '../files/message.js';
import { resetSocket, type TunnelStream } from './join.js';
import { TunnelKind } from './messages.js';
import { Refusal, readAnswer, sendHeader } from './refusal.js';
import type { TunnelName, Tunnels } from './tunnels.js';

export interface OpenTunnelParts {
  readonly tunnels: Tunnels;
  readonly name: TunnelName;
  /** A connection of a program's. */
  readonly socket: Socket;
  readonly header: Message;
  /** Opens the stream. May throw XpassError. */
  openStream(): TunnelStream;
}

/**
 * Carries a connection to the far side: the header goes first and the program's bytes follow at once, so that opening costs one round trip. A refusal resets
 * the connection.
 */
export async function openTunnel({ tunnels, name, socket, header, openStream }: OpenTunnelParts): Promise<void> {
  const stream = tryOpen(openStream);
  if (stream instanceof Refusal) {
    tunnels.refuse(name, stream);
    resetSocket(socket);
    return;
  }
  sendHeader(stream, header);
  const pending = tunnels.join(name, socket, stream);
  const answer = await readAnswer(stream, TunnelKind.open);
  if (answer instanceof Refusal) pending.refuse(answer);
  else pending.open();
}

/** The stream, or why there is none. */
export function tryOpen(openStream: () => TunnelStream): TunnelStream | Refusal {
  try {
    return openStream();
  } catch (error) {
    if (error instanceof XpassError) return new Refusal(error.code, error.message);
    throw error;
  }
}
