// Tested by test/loopback/live-page.test.ts
/** What the process tells the page, and what the page asks of it. The connection comes back by itself. */
import type { LiveCommand, LiveMark, LiveSample, LiveScene } from '../report/live-data.js';

export interface StreamHearer {
  scene(scene: LiveScene): void;
  sample(sample: LiveSample): void;
  mark(mark: LiveMark): void;
  /** Whether samples come. */
  state(isLive: boolean): void;
}

/** Browsers give up on a server that answers wrongly; this tries again (ours), ms. */
const AGAIN_MS = 1_000;
/** Samples come ten times a second: none for so long is no connection (ours), ms. */
const SILENT_MS = 3_000;

/** In the part of the address that is sent nowhere. */
const token = (): string => location.hash.slice(1);

export function openStream(hearer: StreamHearer): void {
  const events = new EventSource(`/events?token=${encodeURIComponent(token())}`);
  let silence: ReturnType<typeof setTimeout> | undefined;
  const again = (): void => {
    clearTimeout(silence);
    hearer.state(false);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => openStream(hearer), AGAIN_MS);
  };
  const restart = (): void => {
    events.close();
    again();
  };
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(restart, SILENT_MS);
  };
  const on = (name: string, take: (data: never) => void): void =>
    events.addEventListener(name, (event) => {
      heard();
      take(JSON.parse((event as MessageEvent<string>).data) as never);
    });
  on('scene', (scene) => hearer.scene(scene));
  on('mark', (mark) => hearer.mark(mark));
  on('sample', (sample) => {
    hearer.state(true);
    hearer.sample(sample);
  });
  events.addEventListener('open', heard);
  events.addEventListener('error', again);
}

/** Resolves with why it was not done; null if it was. */
export async function sendCommand(command: LiveCommand): Promise<string | null> {
  try {
    const response = await fetch('/control', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token()}` },
      body: JSON.stringify(command),
    });
    const { error = null } = (await response.json()) as { error?: string };
    return response.ok ? null : (error ?? `status ${response.status}`);
  } catch {
    return 'the process does not answer';
  }
}

/** Whether the address has a token at all. */
export function hasToken(): boolean {
  return token() !== '';
}
