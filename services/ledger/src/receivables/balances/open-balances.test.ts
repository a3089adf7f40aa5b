import { expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { running } from "../../../../../test/support/running.ts";
import { database } from "../../database.ts";
import { aggregateBalances } from "./open-balances.queries.ts";

const COUNT = 120_000;

test("the balances of 120 000 debtors are all sent, in messages of at most 4 MiB", async () => {
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 1);
  try {
    const db = new OrgDb(ledger, systemPrincipal("0197a000-0000-7000-8000-000000000001"));
    const rows = sql`select gen_random_uuid() as id, 9007199254740991 as cents from generate_series(1, ${sql.lit(COUNT)})`;
    const messages = await aggregateBalances(db, rows);
    const ids = messages.flatMap((message) => message.ids.slice(1, -1).split(","));
    expect([ids.length, new Set(ids).size]).toEqual([COUNT, COUNT]);
    expect(messages.filter((message) => OpenBalances.encode(message).finish().length > 4 * 1_024 ** 2)).toEqual([]);
  } finally {
    await ledger.close();
  }
});
