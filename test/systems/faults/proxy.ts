/** TCP proxy between two processes that can inject network faults. */
import { createConnection, createServer, type Server, type Socket } from "node:net";

/**
 * Mode of a proxy. `cut` resets open connections and refuses new ones; `blackHole` drops the bytes of both directions and keeps
 * connections open; `loseReplies` forwards requests, drops the replies and then resets the connection.
 */
export type ProxyMode = "pass" | "cut" | "blackHole" | "loseReplies";

export interface Proxy {
  readonly port: number;
  /** Changes the mode at once. Connections that lost bytes are reset. */
  setMode(mode: ProxyMode): Promise<void>;
  close(): Promise<void>;
}

/** Delay between a lost reply and the reset, in which the server completes the request. */
const RESET_MS = 50;

interface Pair {
  client: Socket;
  server: Socket;
  hasLostBytes: boolean;
}

/** Starts a proxy for a local port on a port of its own. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<Pair>();
  let mode: ProxyMode = "pass";

  const listener = createServer((client) => {
    client.setNoDelay(true);
    const server = createConnection({ host: "127.0.0.1", port: targetPort, noDelay: true });
    const pair: Pair = { client, server, hasLostBytes: false };
    pairs.add(pair);
    forward(pair, client, server, () => mode === "blackHole");
    forward(pair, server, client, () => mode === "blackHole" || dropsReply(pair));
  });

  function dropsReply(pair: Pair): boolean {
    if (mode !== "loseReplies") return false;
    if (!pair.hasLostBytes) setTimeout(() => reset(pair), RESET_MS);
    return true;
  }

  function forward(pair: Pair, from: Socket, to: Socket, drops: () => boolean): void {
    from.on("data", (chunk: Buffer) => {
      if (drops()) {
        pair.hasLostBytes = true;
        return;
      }
      if (to.write(chunk)) return;
      from.pause();
      to.once("drain", () => from.resume());
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      // A black hole also hides that the other side closed the connection.
      if (mode === "blackHole") pair.hasLostBytes = true;
      else end(pair);
    });
  }

  function end(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
  function reset(pair: Pair): void {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  }

  const port = await listenOnFreePort(listener);
  const shut = () => new Promise<void>((resolve) => listener.close(() => resolve()));
  return {
    port,
    async setMode(next) {
      const before = mode;
      mode = next;
      if (next === "cut") {
        const refused = shut();
        for (const pair of pairs) reset(pair);
        await refused;
      } else {
        for (const pair of pairs) if (pair.hasLostBytes) reset(pair);
        if (before === "cut") await listen(listener, port);
      }
    },
    async close() {
      const closed = listener.listening ? shut() : undefined;
      for (const pair of pairs) end(pair);
      await closed;
    },
  };
}

/** Listens on a random port below the ephemeral range, so that no port is taken that was found free for another process. */
async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isOurs = await listen(server, port).then(
      () => true,
      () => false,
    );
    if (isOurs) return port;
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
