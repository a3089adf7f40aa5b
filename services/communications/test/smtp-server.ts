/** A mail server for tests: takes what it is sent, and refuses what it is told to refuse. */
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface SmtpServer {
  url: string;
  /** The mails that were accepted, as they came over the wire. */
  mails: string[];
  /** Answers `RCPT TO` with this line until it is undefined again. */
  refuseRecipients(line: string | undefined): void;
  close(): Promise<void>;
}

export async function anSmtpServer(): Promise<SmtpServer> {
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  let refusal: string | undefined;

  const server = createServer((socket) => {
    sockets.add(socket);
    let received = "";
    let isReadingMail = false;
    const answer = (line: string) => socket.write(`${line}\r\n`);
    const onLine = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "DATA") isReadingMail = true;
      if (verb === "RCPT" && refusal) answer(refusal);
      else answer(verb === "DATA" ? "354 go on" : verb === "QUIT" ? "221 bye" : "250 ok");
    };
    const read = (): void => {
      const end = isReadingMail ? "\r\n.\r\n" : "\r\n";
      const at = received.indexOf(end);
      if (at < 0) return;
      const found = received.slice(0, at);
      received = received.slice(at + end.length);
      if (isReadingMail) {
        isReadingMail = false;
        mails.push(found);
        answer("250 taken");
      } else onLine(found);
      read();
    };
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      read();
    });
    socket.on("error", () => undefined);
    answer("220 test");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refuseRecipients: (line) => (refusal = line),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
