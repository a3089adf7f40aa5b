/** A wire between two processes that can be spoilt: everything between them goes through here. */
import { createConnection, createServer, type Server, type Socket } from "node:net";

/**
 * What the wire does. `cut` resets what is open and refuses what comes; `blackHole` swallows both ways and closes
 * nothing; `loseReplies` carries requests and drops what comes back, then resets.
 */
export type ProxyMode = "pass" | "cut" | "blackHole" | "loseReplies";

export interface Proxy {
  readonly port: number;
  /** Takes effect at once. A connection that lost bytes is reset when the wire is whole again. */
  setMode(wire: ProxyMode): Promise<void>;
  close(): Promise<void>;
}

/** How long after a lost reply its connection breaks: by then the other end has done what it was asked. */
const RESET_MS = 50;

interface Pair {
  near: Socket;
  far: Socket;
  hasLost: boolean;
}

/** A proxy on a port of its own, in front of a port of this machine. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<Pair>();
  let wire: ProxyMode = "pass";

  const server = createServer((near) => {
    near.setNoDelay(true);
    const far = createConnection({ host: "127.0.0.1", port: targetPort, noDelay: true });
    const pair: Pair = { near, far, hasLost: false };
    pairs.add(pair);
    carry(pair, near, far, () => wire === "blackHole");
    carry(pair, far, near, () => wire === "blackHole" || loses(pair));
  });

  function loses(pair: Pair): boolean {
    if (wire !== "loseReplies") return false;
    if (!pair.hasLost) setTimeout(() => reset(pair), RESET_MS);
    return true;
  }

  function carry(pair: Pair, from: Socket, to: Socket, swallows: () => boolean): void {
    from.on("data", (chunk: Buffer) => {
      if (swallows()) {
        pair.hasLost = true;
        return;
      }
      if (to.write(chunk)) return;
      from.pause();
      to.once("drain", () => from.resume());
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      // Behind a black hole nobody hears that the other end has gone.
      if (wire === "blackHole") pair.hasLost = true;
      else end(pair);
    });
  }

  function end(pair: Pair): void {
    pairs.delete(pair);
    pair.near.destroy();
    pair.far.destroy();
  }
  function reset(pair: Pair): void {
    pairs.delete(pair);
    pair.near.resetAndDestroy();
    pair.far.resetAndDestroy();
  }

  const port = await listenAnywhere(server);
  const shut = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    port,
    async setMode(next) {
      const before = wire;
      wire = next;
      if (next === "cut") {
        const refused = shut();
        for (const pair of pairs) reset(pair);
        await refused;
      } else {
        for (const pair of pairs) if (pair.hasLost) reset(pair);
        if (before === "cut") await listen(server, port);
      }
    },
    async close() {
      const closed = server.listening ? shut() : undefined;
      for (const pair of pairs) end(pair);
      await closed;
    },
  };
}

/** Below the ports that the system hands out by itself: none that was found free for another process is taken from it. */
async function listenAnywhere(server: Server): Promise<number> {
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
