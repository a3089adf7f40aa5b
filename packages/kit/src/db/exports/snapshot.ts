/**
 * Reads of one organization on a snapshot of the database, for exports of long lists: a repeatable-read transaction that takes no row
 * locks and writes nothing, so its reads may be minutes apart.
 */
import { unavailable } from "../../errors.ts";
import { isConnectionLost, translateDatabaseError } from "../database-error.ts";
import type { Holder, Turn } from "../../fair-turns.ts";
import { OrgDb } from "../org-db.ts";
import { BEGIN_SNAPSHOT, COMMIT, send, setAccess, type Compiled } from "../statement.ts";

/** Maximum time of a snapshot: PostgreSQL keeps the rows that it sees, and other exports wait for its turn. */
const MAX_SNAPSHOT_MS = 300_000;
/**
 * Plans of a snapshot's statements are made for reading a whole list. The connection may wait longer than others for the next statement,
 * since the rows go to a client.
 */
const SETTINGS: Compiled = {
  text: `select set_config('enable_seqscan', 'on', true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('cursor_tuple_fraction', '1', true),
    set_config('work_mem', '16MB', true), set_config('idle_in_transaction_session_timeout', '${MAX_SNAPSHOT_MS}', true)`,
  values: [],
};

/**
 * Runs an action whose reads see one snapshot, those of the `OrgDb` that it receives and of every `OrgDb` made of its database. Waits for
 * a turn of the holder; throws 503 when too many exports run, and after five minutes, when the action has not ended.
 */
export const readOnSnapshot = <T>(db: OrgDb, holder: Holder, action: (db: OrgDb, turn: Turn) => Promise<T>): Promise<T> =>
  db.database.exportTurns.run(holder, async (turn) => {
    const connection = await db.database.pool.connect();
    const snapshot = { connection, lists: new Map(), fetched: new Map(), isOpen: true };
    const deadline = rejectionAfter(MAX_SNAPSHOT_MS);
    let broken: Error | undefined;
    try {
      await Promise.all([BEGIN_SNAPSHOT, SETTINGS, setAccess(db)].map((statement) => send(connection, statement)));
      return await Promise.race([action(new OrgDb({ ...db.database, snapshot }, db.principal, db.request, db.portalUser), turn), deadline.rejection]);
    } catch (error) {
      if (isConnectionLost(error)) broken = error as Error;
      throw translateDatabaseError(error, db.database.constraints);
    } finally {
      deadline.cancel();
      // An action whose caller has left may still be at work. It must send nothing more on a connection that others use.
      snapshot.isOpen = false;
      // Nothing was written, so the end of the transaction is the same after a failure.
      await send(connection, COMMIT).catch((error: Error) => (broken = error));
      connection.release(broken);
    }
  });

function rejectionAfter(ms: number): { rejection: Promise<never>; cancel(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const timeout = setTimeout(() => reject(unavailable(new Error("An export has exceeded its maximum time."))), ms);
  return { rejection: promise, cancel: () => clearTimeout(timeout) };
}
