import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The Message-IDs in a mailbox, over as much of IMAP4rev1 as it takes to log in and search for them. */
export class ScriptedImap {
  readonly seen: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(
    private readonly account: { readonly user: string; readonly password: string },
    private readonly messageIds: () => readonly string[],
  ) {
    this.server = createServer((socket) => this.accept(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.write('* OK ready\r\n');
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (more: string) => {
      text += more;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        socket.write(this.answer(line));
      }
    });
  }

  private answer(line: string): string {
    const [, tag = '*', command = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? [];
    this.seen.push(command.toUpperCase());
    const done = `${tag} OK done\r\n`;
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        return `* CAPABILITY IMAP4rev1\r\n${done}`;
      case 'LOGIN': {
        const { user, password } = this.account;
        return rest.replaceAll('"', '') === `${user} ${password}`
          ? done
          : `${tag} NO [AUTHENTICATIONFAILED] ${rest}\r\n`;
      }
      case 'EXAMINE':
        if (!/^"?INBOX"?$/i.test(rest)) return `${tag} NO [NONEXISTENT] no such folder\r\n`;
        return `* ${this.messageIds().length} EXISTS\r\n* FLAGS ()\r\n* OK [UIDVALIDITY 1] -\r\n${tag} OK [READ-ONLY] done\r\n`;
      case 'UID SEARCH': {
        const [, wanted = ''] = /HEADER "?MESSAGE-ID"? "?([^"]*)"?/i.exec(rest) ?? [];
        const found = this.messageIds().flatMap((id, index) => (id.includes(wanted) ? [index + 1] : []));
        return `* SEARCH${found.map((uid) => ` ${uid}`).join('')}\r\n${done}`;
      }
      case 'LIST':
      case 'LSUB':
        return `* ${command.toUpperCase()} () "/" INBOX\r\n${done}`;
      case 'NOOP':
      case 'CLOSE':
        return done;
      case 'LOGOUT':
        return `* BYE\r\n${done}`;
      default:
        return `${tag} BAD ${command} is not known\r\n`;
    }
  }
}
