/** Limit of the open connections of one network. Connections of trusted proxies, which carry the requests of many, do not count. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientNetwork } from "@freehold/kit/http/client-network";

/** Closes new connections of a network that has its maximum; 0 for no limit. */
export function limitConnections(server: Server, perNetwork: number, isTrustedProxy: (address: string) => boolean): void {
  if (perNetwork === 0) return;
  const connectionsByNetwork = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrustedProxy(remoteAddress)) return;
    const network = clientNetwork(remoteAddress);
    const connections = (connectionsByNetwork.get(network) ?? 0) + 1;
    if (connections > perNetwork) {
      socket.destroy();
      return;
    }
    connectionsByNetwork.set(network, connections);
    socket.once("close", () => {
      const left = connectionsByNetwork.get(network)! - 1;
      if (left > 0) connectionsByNetwork.set(network, left);
      else connectionsByNetwork.delete(network);
    });
  });
}
