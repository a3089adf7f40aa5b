/** Statements that wait for locks until a time limit of the database ends them. */
import { expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { database } from "../../database.ts";
import { Charge } from "../charges/charge.entity.ts";

/** A wait for several locks, each shorter than `lock_timeout`, reaches `statement_timeout`. */
test.each(["lock_timeout", "statement_timeout"])("a statement that waits for locked charges until its %s fails with 503 service_unavailable", async (limit) => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  const ids = [await aCharge(office, leaseId, 100), await aCharge(office, leaseId, 100)];
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 2);
  try {
    const db = new OrgDb(ledger, systemPrincipal(office.organizationId));
    const lockCharges = () =>
      transaction(db, async (tx) => {
        await tx.all(sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`);
        await tx.all(sql`select set_config(${limit}, '100ms', true)`);
        return tx.findAllForUpdate(Charge, ids);
      });
    const refused = await withLockedRow(office, "charge", ids[1]!, () => lockCharges().catch((error: unknown) => error));
    expect(refused).toMatchObject({ status: 503, code: "service_unavailable" });
  } finally {
    await ledger.close();
  }
});
