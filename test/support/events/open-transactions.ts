/** Transactions that insert events and that a test commits in an order of its choice. */
import type { Envelope } from "@freehold/contract/events";
import type { Database, OrgDb } from "@freehold/kit/db/org-db";
import { insertIntoOutbox } from "@freehold/kit/db/outbox";
import { compile } from "@freehold/kit/db/statement";
import type pg from "pg";

interface OpenTransaction {
  /** Assigns the transaction its id. */
  begin(): Promise<void>;
  insert(events: readonly Envelope[]): Promise<void>;
  commit(): Promise<void>;
}

/** Runs the work with two transactions that are open at the same time. */
export async function withTransactions(
  { database: { pool }, db }: { database: Database; db: OrgDb },
  work: (...transactions: [OpenTransaction, OpenTransaction]) => Promise<void>,
): Promise<void> {
  const clients = [await pool.connect(), await pool.connect()] as const;
  const toTransaction = (client: pg.PoolClient): OpenTransaction => ({
    begin: async () => void (await client.query("select pg_current_xact_id()")),
    insert: async (events) => {
      const { text, values } = compile(insertIntoOutbox(db, events));
      await client.query(text, values);
    },
    commit: async () => void (await client.query("commit")),
  });
  try {
    for (const client of clients) await client.query("begin");
    await work(toTransaction(clients[0]), toTransaction(clients[1]));
  } finally {
    for (const client of clients) client.release();
  }
}
