/**
 * Reads of one organization on a snapshot of the database, for exports of long lists: a repeatable-read transaction that takes no row
 * locks and writes nothing, so its reads may be minutes apart.
 */
import { isConnectionLost } from "../database-error.ts";
import { OrgDb } from "../org-db.ts";
import { BEGIN_SNAPSHOT, COMMIT, send, setAccess, type Compiled } from "../statement.ts";

/** Maximum time of a snapshot, after which it serves no further read: PostgreSQL keeps the rows that a snapshot sees. */
const MAX_SNAPSHOT_MS = 300_000;
/**
 * Plans of a snapshot's statements are made for reading a whole list. The connection may wait longer than others for the next statement,
 * since the rows go to a client.
 */
const SETTINGS: Compiled = {
  text: `select set_config('enable_seqscan', 'on', true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('cursor_tuple_fraction', '1', true),
    set_config('work_mem', '16MB', true), set_config('idle_in_transaction_session_timeout', '60s', true)`,
  values: [],
};

/**
 * Runs an action whose reads see one snapshot, those of the `OrgDb` that it receives and of every `OrgDb` made of its database. Waits for
 * a turn; throws 503 when too many exports run, and in a read after five minutes.
 */
export const readOnSnapshot = <T>(db: OrgDb, action: (db: OrgDb) => Promise<T>): Promise<T> =>
  db.database.exportTurns.run({ group: db.organizationId, member: db.organizationId }, () =>
    db.read(async () => {
      const connection = await db.database.pool.connect();
      let broken: Error | undefined;
      try {
        await Promise.all([BEGIN_SNAPSHOT, SETTINGS, setAccess(db)].map((statement) => send(connection, statement)));
        const snapshot = { connection, lists: new Map(), endsAt: performance.now() + MAX_SNAPSHOT_MS };
        return await action(new OrgDb({ ...db.database, snapshot }, db.principal, db.request, db.portalUser));
      } catch (error) {
        if (isConnectionLost(error)) broken = error as Error;
        throw error;
      } finally {
        // Nothing was written, so the end of the transaction is the same after a failure.
        await send(connection, COMMIT).catch((error: Error) => (broken = error));
        connection.release(broken);
      }
    }),
  );
