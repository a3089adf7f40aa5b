/** Ports of this machine. */
import { createServer } from "node:net";

const open = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });

export const isFree = (port: number, host: string): Promise<boolean> =>
  open(port, host).then(
    () => true,
    () => false,
  );

/** So many ports that nobody uses, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await open(0, "127.0.0.1"));
  return [...ports];
}
