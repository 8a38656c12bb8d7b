// Flows of the kernel's TCP beside those of xpass, for `netns-lab.sh beside`: a receiver that counts, a sender without end, and the line that compares.
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const CHUNK = Buffer.alloc(64 * 1024);
const [verb, ...words] = process.argv.slice(2);

/** Counts what each connection brings in `span` seconds, `omit` seconds after the first one opened; then writes it and ends. */
function receive(port, omit, span) {
  const bytes = [];
  let isOpen = false;
  const server = createServer((socket) => {
    const at = bytes.push(0) - 1;
    socket.on('data', (chunk) => {
      bytes[at] += chunk.length;
    });
    socket.on('error', () => {});
    if (isOpen) return;
    isOpen = true;
    setTimeout(() => measure(bytes, span), 1e3 * omit);
  });
  server.listen(port, () => console.log('listening'));
}

function measure(bytes, span) {
  const before = [...bytes];
  const startMs = performance.now();
  setTimeout(() => {
    const seconds = (performance.now() - startMs) / 1e3;
    console.log(JSON.stringify(bytes.map((count, at) => (8 * (count - before[at])) / seconds)));
    process.exit(0);
  }, 1e3 * span);
}

function send(host, port, flows) {
  for (let flow = 0; flow < flows; flow++) {
    const socket = connect({ host, port });
    const fill = () => {
      while (socket.write(CHUNK));
    };
    socket.on('connect', fill);
    socket.on('drain', fill);
    // The receiver ends first.
    socket.on('error', () => {});
  }
}

const mean = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;

/** Mbit/s of each flow of xpass and of TCP, and the part of the machine's time that its host gave to others. */
function compare([xpassFile, tcpFile, ticks, kernel, flows, options]) {
  const xpass = JSON.parse(readFileSync(xpassFile, 'utf8')).end.sum_received.bits_per_second / flows;
  const tcp = mean(JSON.parse(readFileSync(tcpFile, 'utf8').trim().split('\n').at(-1)));
  const [stolen, all, stolenThen, allThen] = ticks.split(/\s+/).map(Number);
  const steal = (100 * (stolenThen - stolen)) / (allThen - all);
  const mbit = (bps) => (bps / 1e6).toFixed(1);
  console.log(
    `${options || 'steady'} beside ${kernel}, ${flows} flows each: xpass ${mbit(xpass)} Mbit/s, tcp ${mbit(tcp)} Mbit/s a flow, ratio ${(xpass / tcp).toFixed(2)}, steal ${steal.toFixed(1)} %`,
  );
}

if (verb === 'receive') receive(...words.map(Number));
else if (verb === 'send') send(words[0], Number(words[1]), Number(words[2]));
else compare(words);
