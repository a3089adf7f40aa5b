/** Responses that hold a turn, such as a connection, for as long as their clients need to read them. */
import type { ServerResponse } from "node:http";
import { isPortalRole } from "@freehold/contract/roles";
import type { Principal } from "../auth/principal.ts";
import type { Holder, Turn } from "../fair-turns.ts";

export interface ReadingLimits {
  windowMs: number;
  /** Bytes that a client must read in a window while others wait for its turn. */
  minBytes: number;
}

const CHECKS_PER_WINDOW = 10;
const DEFAULT_LIMITS: ReadingLimits = { windowMs: 10_000, minBytes: 1_000_000 };

/** Returns the holder of a transfer's turn. The portal users of an organization are a group of their own, so that the office does not wait for them. */
export const transferHolderOf = (principal: Principal): Holder => ({
  group: isPortalRole(principal.role) ? `${principal.organizationId} portals` : principal.organizationId,
  member: principal.userId ?? principal.organizationId,
});

/**
 * Sends a response in a turn. While another request waits for the turn, a client that reads less than 100 kB/s is disconnected. Time in
 * which the response does not wait for its client does not count.
 */
export async function sendInTurn<T>(res: ServerResponse, turn: Turn, send: () => Promise<T>, { windowMs, minBytes } = DEFAULT_LIMITS): Promise<T> {
  let waiting: { since: number; bytes: number } | undefined;
  const check = setInterval(() => {
    const now = performance.now();
    if (!res.writableNeedDrain) waiting = undefined;
    else if (waiting === undefined) waiting = { since: now, bytes: bytesRead(res) };
    else if (now - waiting.since >= windowMs) {
      const isSlow = bytesRead(res) - waiting.bytes < minBytes;
      waiting = undefined;
      if (isSlow && turn.isWanted()) res.destroy();
    }
  }, windowMs / CHECKS_PER_WINDOW);
  try {
    return await send();
  } finally {
    clearInterval(check);
  }
}

/** Returns the number of bytes that have left the process on the connection of a response. */
const bytesRead = ({ socket }: ServerResponse): number => (socket ? socket.bytesWritten - socket.writableLength : 0);
