/** Free TCP ports of this machine. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Range below the ephemeral ports, which outgoing connections may take before a process listens on them. */
const [LOWEST, HIGHEST] = [12_000, 32_000];

/** Returns true if no process listens on a port. */
export const isPortFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });

/** Returns distinct free ports, drawn at random so that systems that start concurrently get different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port, "127.0.0.1")) ports.add(port);
  }
  return [...ports];
}
