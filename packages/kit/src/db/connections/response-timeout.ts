/**
 * Detects a PostgreSQL server that vanished without closing its connections, for example because its host lost power. The limits of
 * statements are enforced by the server, and TCP retries for a quarter of an hour.
 */
import type { Socket } from "node:net";
import type pg from "pg";

/** Longest silence of the server during a statement: somewhat longer than `statement_timeout`, after which the server responds in any case. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Time in which a process that stood still reads the responses that have arrived meanwhile. */
const READ_MS = 250;

/** Number of statements on each connection that have no response yet. */
const unanswered = new WeakMap<pg.ClientBase, number>();

const adjust = (client: pg.ClientBase, by: number): void => void unanswered.set(client, (unanswered.get(client) ?? 0) + by);

/** Counts a statement as unanswered until its promise settles. Returns the promise. */
export function trackResponse<T>(client: pg.ClientBase, response: Promise<T>): Promise<T> {
  adjust(client, 1);
  const onSettled = () => adjust(client, -1);
  response.then(onSettled, onSettled);
  return response;
}

/** Closes an open connection when the server is silent for too long while a statement has no response: it fails like on a lost connection. */
export function closeWhenSilent(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const isWaiting = () => (unanswered.get(client) ?? 0) > 0;
  stream.setTimeout(RESPONSE_TIMEOUT_MS, () => {
    if (!isWaiting()) return;
    const { bytesRead } = stream;
    const closeUnlessRead = () => {
      if (isWaiting() && stream.bytesRead === bytesRead) stream.destroy(Object.assign(new Error("PostgreSQL does not respond."), { code: "ETIMEDOUT" }));
    };
    setTimeout(closeUnlessRead, READ_MS).unref();
  });
}
