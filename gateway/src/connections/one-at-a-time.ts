/**
 * Pipelined requests. They are handled one at a time, so that a connection whose client does not read holds one response and no
 * more. A connection with too many requests in its pipeline is closed.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const MAX_WAITING = 32;

export function oneAtATime(handle: RequestListener): RequestListener {
  /** Requests of a connection that wait for the response of the one in progress. */
  const waitingBySocket = new WeakMap<Socket, (() => void)[]>();

  function run(waiting: (() => void)[], req: IncomingMessage, res: ServerResponse): void {
    res.once("close", () => {
      // After a response with `Connection: close` nobody receives the response to a further request.
      const next = req.socket.writable ? waiting.shift() : undefined;
      if (next) next();
      else waitingBySocket.delete(req.socket);
    });
    handle(req, res);
  }

  return (req, res) => {
    const { socket } = req;
    if (socket.destroyed) return;
    const waiting = waitingBySocket.get(socket);
    if (!waiting) {
      const queue: (() => void)[] = [];
      waitingBySocket.set(socket, queue);
      run(queue, req, res);
    } else if (waiting.length < MAX_WAITING) waiting.push(() => run(waiting, req, res));
    else socket.destroy();
  };
}
