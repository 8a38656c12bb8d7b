import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Tables of UDP sockets that Linux has; proc(5). */
const TABLES = ['/proc/net/udp', '/proc/net/udp6'];

/** One line of such a table. */
export interface UdpSocketRow {
  port: number;
  inode: string;
  /** Datagrams that found the receive buffer full, since the socket was made. */
  drops: number;
}

/** Reads a table of `/proc/net/udp`'s shape; lines that do not fit are left out. */
export function parseUdpTable(text: string): UdpSocketRow[] {
  const [heading = '', ...lines] = text.split('\n');
  if (!/\bdrops\b/.test(heading)) return [];
  return lines.flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    const port = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
    const drops = Number(columns[columns.length - 1]);
    return columns.length < 13 || Number.isNaN(port) || Number.isNaN(drops)
      ? []
      : [{ port, inode: columns[9]!, drops }];
  });
}

/** How `KernelDrops` sees the system; a test gives files of its own. */
export interface ProcFiles {
  tables(): string[];
  /** Inodes of the sockets that this process has open. */
  socketInodes(): ReadonlySet<string>;
}

const LINUX_PROC: ProcFiles = {
  tables: () => TABLES.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'latin1')),
  socketInodes: () => {
    const targets = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
    return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  },
};

/** The descriptor that listed the folder is closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Datagrams that the kernel dropped at this process's sockets, told apart by inode. A read takes 30 us and more: for statistics only. */
export class KernelDrops {
  private readonly files: ProcFiles;
  private readonly inodes: ReadonlySet<string> | null;

  /** `ports` are those of this process's sockets, which are bound already. */
  constructor(ports: readonly number[], files: ProcFiles = LINUX_PROC) {
    this.files = files;
    this.inodes = this.attempt(() => {
      const own = files.socketInodes();
      const rows = this.rows().filter(({ port, inode }) => ports.includes(port) && own.has(inode));
      return rows.length === 0 ? null : new Set(rows.map(({ inode }) => inode));
    });
  }

  /** Drops of all the sockets together since they were made; null where the system does not tell. */
  read(): number | null {
    const { inodes } = this;
    if (inodes === null) return null;
    return this.attempt(() =>
      this.rows()
        .filter(({ inode }) => inodes.has(inode))
        .reduce((sum, { drops }) => sum + drops, 0),
    );
  }

  private rows(): UdpSocketRow[] {
    return this.files.tables().flatMap(parseUdpTable);
  }

  private attempt<T>(read: () => T): T | null {
    try {
      return read();
    } catch {
      return null;
    }
  }
}
