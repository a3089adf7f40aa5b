/** Archives recent changes by switching the WAL file. */
import { Client } from "pg";
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum age of changes that are not archived, and so the maximum data loss when the machine is lost. */
const ARCHIVE_AFTER_MS = 30_000;

/**
 * Switches the WAL file within 30 seconds after a transaction. Returns when the server stops. PostgreSQL's own `archive_timeout` would
 * also switch for checkpoints and hint bits, so an idle system would archive a file of 16 MiB every few minutes.
 */
export async function switchWalAfterChanges(connect: () => Promise<Client>, archiveAfterMs = ARCHIVE_AFTER_MS): Promise<void> {
  let serverStart: string | undefined;
  for (;;) {
    // A connection that was terminated is replaced; a server that was started again has a loop of its own.
    const client = await connect().catch(() => undefined);
    if (!client) return;
    const startedAt = await startOf(client).catch(() => undefined);
    serverStart ??= startedAt;
    if (startedAt === serverStart) await switchUntilDisconnected(client, archiveAfterMs).catch(() => undefined);
    await client.end().catch(() => undefined);
    if (startedAt !== serverStart) return;
  }
}

const startOf = async (client: Client): Promise<string> =>
  (await client.query<{ startedAt: string }>(`select pg_postmaster_start_time()::text as "startedAt"`)).rows[0]!.startedAt;

/**
 * Switches at the second poll that sees the same file, if a transaction has completed since the last switch. The snapshot names the
 * running transactions, so it also changes when a long one commits after many that began later.
 */
async function switchUntilDisconnected(client: Client, archiveAfterMs: number): Promise<never> {
  let [archivedSnapshot, lastFile] = ["", ""];
  for (;;) {
    await sleep(archiveAfterMs / 2, undefined, { ref: false });
    const { rows } = await client.query<{ snapshot: string; file: string }>(
      "select pg_current_snapshot()::text as snapshot, pg_walfile_name(pg_current_wal_insert_lsn()) as file",
    );
    const { snapshot, file } = rows[0]!;
    if (file === lastFile && snapshot !== archivedSnapshot) {
      await client.query("select pg_switch_wal()");
      archivedSnapshot = snapshot;
    }
    lastFile = file;
  }
}
