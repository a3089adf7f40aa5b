/** TCP proxy between two processes that can inject network faults. */
import { createConnection, createServer, type Server, type Socket } from "node:net";

/**
 * Mode of a proxy. `cut` resets open connections and refuses new ones; `blackHole` drops the bytes in both directions and keeps
 * connections open; `loseReplies` forwards requests, drops the replies and then resets the connection.
 */
export type ProxyMode = "pass" | "cut" | "blackHole" | "loseReplies";

export interface Proxy {
  readonly port: number;
  /** Changes the mode, also of open connections. `cut` resets all connections, every other mode those that have lost bytes. */
  setMode(mode: ProxyMode): Promise<void>;
  close(): Promise<void>;
}

/** Delay between a lost reply and the reset, which gives the target time to complete the request. */
const RESET_DELAY_MS = 50;

interface ProxiedConnection {
  client: Socket;
  target: Socket;
  hasLostBytes: boolean;
}

/** Starts a proxy that forwards connections to a local port. It listens on a free port, which stays the same after `cut`. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const connections = new Set<ProxiedConnection>();
  let mode: ProxyMode = "pass";

  const listener = createServer((client) => {
    client.setNoDelay(true);
    const target = createConnection({ host: "127.0.0.1", port: targetPort, noDelay: true });
    const connection: ProxiedConnection = { client, target, hasLostBytes: false };
    connections.add(connection);
    forward(connection, client, target, () => mode === "blackHole");
    forward(connection, target, client, () => mode === "blackHole" || losesReply(connection));
  });

  function losesReply(connection: ProxiedConnection): boolean {
    if (mode !== "loseReplies") return false;
    if (!connection.hasLostBytes) setTimeout(() => reset(connection), RESET_DELAY_MS);
    return true;
  }

  function forward(connection: ProxiedConnection, from: Socket, to: Socket, drops: () => boolean): void {
    from.on("data", (chunk: Buffer) => {
      if (drops()) {
        connection.hasLostBytes = true;
        return;
      }
      if (to.write(chunk)) return;
      from.pause();
      to.once("drain", () => from.resume());
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      // A black hole also hides the close of a connection from the other side.
      if (mode === "blackHole") connection.hasLostBytes = true;
      else end(connection);
    });
  }

  function end(connection: ProxiedConnection): void {
    connections.delete(connection);
    connection.client.destroy();
    connection.target.destroy();
  }
  function reset(connection: ProxiedConnection): void {
    connections.delete(connection);
    connection.client.resetAndDestroy();
    connection.target.resetAndDestroy();
  }

  const port = await listenOnFreePort(listener);
  const stopListening = () => new Promise<void>((resolve) => listener.close(() => resolve()));
  return {
    port,
    async setMode(nextMode) {
      const formerMode = mode;
      mode = nextMode;
      if (nextMode === "cut") {
        const stopped = stopListening();
        for (const connection of connections) reset(connection);
        await stopped;
      } else {
        for (const connection of connections) if (connection.hasLostBytes) reset(connection);
        if (formerMode === "cut") await listen(listener, port);
      }
    },
    async close() {
      const stopped = listener.listening ? stopListening() : undefined;
      for (const connection of connections) end(connection);
      await stopped;
    },
  };
}

/** Listens on a random free port and returns it. The port is below the ephemeral range, whose ports outgoing connections may take. */
async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isListening = await listen(server, port).then(
      () => true,
      () => false,
    );
    if (isListening) return port;
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
