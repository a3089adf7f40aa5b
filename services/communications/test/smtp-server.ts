/** SMTP server for tests: records accepted mails, and rejects recipients on request. */
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface SmtpServer {
  url: string;
  /** Number of connections since the start. */
  readonly connectionCount: number;
  /** Accepted mails, as received. */
  mails: string[];
  /** Sets the response to `RCPT TO` that rejects recipients, by default all; undefined accepts them again. */
  refuseRecipients(response: string | undefined, recipients?: RegExp): void;
  /** Lets the sender of each received mail wait for the answer until the returned function is called. */
  holdAnswers(): () => void;
  close(): Promise<void>;
}

export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  let rejection: { response: string; recipients: RegExp } | undefined;
  let heldAnswers: (() => void)[] | undefined;
  let connectionCount = 0;

  const server = createServer((socket) => {
    sockets.add(socket);
    connectionCount++;
    let buffer = "";
    let isReceivingMail = false;
    const respond = (line: string) => socket.write(`${line}\r\n`);
    const onCommand = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "DATA") isReceivingMail = true;
      if (verb === "RCPT" && rejection?.recipients.test(line)) respond(rejection.response);
      else respond(verb === "DATA" ? "354 go on" : verb === "QUIT" ? "221 bye" : "250 ok");
    };
    const readBuffer = (): void => {
      const terminator = isReceivingMail ? "\r\n.\r\n" : "\r\n";
      const end = buffer.indexOf(terminator);
      if (end < 0) return;
      const content = buffer.slice(0, end);
      buffer = buffer.slice(end + terminator.length);
      if (isReceivingMail) {
        isReceivingMail = false;
        mails.push(content);
        if (heldAnswers) heldAnswers.push(() => respond("250 accepted"));
        else respond("250 accepted");
      } else onCommand(content);
      readBuffer();
    };
    socket.on("data", (chunk) => {
      buffer += chunk.toString("latin1");
      readBuffer();
    });
    socket.on("error", () => undefined);
    respond("220 test");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connectionCount() {
      return connectionCount;
    },
    mails,
    refuseRecipients: (response, recipients = /^/) => (rejection = response === undefined ? undefined : { response, recipients }),
    holdAnswers() {
      const answers: (() => void)[] = (heldAnswers = []);
      return () => {
        heldAnswers = undefined;
        for (const answer of answers) answer();
      };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
