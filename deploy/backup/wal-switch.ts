/** End of WAL files that are not full, so that their changes are archived soon. */
import { Client } from "pg";
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum age of changes that are not archived, and so the maximum data loss when the machine is lost. */
export const ARCHIVE_AFTER_MS = 30_000;

/**
 * Ends the WAL file of a server when it contains transactions of up to 30 seconds ago, until the server ends. PostgreSQL's own
 * `archive_timeout` also ends a file that contains only checkpoints and marks on pages that were read, and writes 16 MiB each time; an
 * idle system would write them every few minutes.
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

/** A file is ended at the second look at it, if a transaction has ended since the last one that is known to be in an earlier file. */
async function switchUntilDisconnected(client: Client, archiveAfterMs: number): Promise<never> {
  let [archivedTransaction, lastFile] = ["", ""];
  for (;;) {
    await sleep(archiveAfterMs / 2, undefined, { ref: false });
    const { rows } = await client.query<{ transaction: string; file: string }>(
      "select pg_snapshot_xmax(pg_current_snapshot())::text as transaction, pg_walfile_name(pg_current_wal_insert_lsn()) as file",
    );
    const { transaction, file } = rows[0]!;
    if (file === lastFile && transaction !== archivedTransaction) {
      await client.query("select pg_switch_wal()");
      archivedTransaction = transaction;
    }
    lastFile = file;
  }
}
