/** Ports of this machine. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below those that outgoing connections take, which may be gone by the time a process wants to listen. */
const [LOWEST, HIGHEST] = [12_000, 32_000];

/** Whether nobody listens there. */
export const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });

/** So many ports that nobody uses, all different; drawn at random, so that systems that start together take different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port, "127.0.0.1")) ports.add(port);
  }
  return [...ports];
}
