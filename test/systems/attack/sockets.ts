/** Raw connections of an attacker, who does not behave like an HTTP client. */
import { connect, type Socket } from "node:net";

export interface Connections {
  /** Opens connections that send a text each. A client that does not read leaves the responses in the buffers of the connection. */
  open(count: number, text: (index: number) => string, options?: { isReading?: boolean }): Socket[];
  close(): void;
}

export function connectionsTo(baseUrl: string): Connections {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  return {
    open: (count, text, { isReading = false } = {}) =>
      Array.from({ length: count }, (_, index) => {
        const socket = connect(Number(port), hostname);
        sockets.add(socket);
        socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
        if (isReading) socket.resume();
        else socket.pause();
        socket.write(text(index));
        return socket;
      }),
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** Returns the text of a request with an incomplete or a complete body. */
export function requestText(method: string, path: string, headers: Record<string, string> = {}, body = ""): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: freehold.example", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
