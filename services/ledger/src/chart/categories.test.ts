import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { database as definition } from "../database.ts";
import { getChart, listCategories } from "./categories.ts";
import { accountDefinitions } from "./chart.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.ledger.service, 4);
});
afterAll(() => database.close());

/** Returns the database of an organization that was set up before the accounts 5050 and 5090 were added to the standard chart. */
async function anEarlierOrganization(): Promise<OrgDb> {
  const office = await anOffice();
  await office.call("listCategories");
  await withOwnerConnection(office, (client) =>
    client.query(`delete from category where organization_id = $1 and code in ('5050', '5090')`, [office.organizationId]),
  );
  return new OrgDb(database, systemPrincipal(office.organizationId));
}

describe("accounts that were added to the standard chart", () => {
  test("are created for an earlier organization when its accounts are listed", async () => {
    const db = await anEarlierOrganization();
    expect((await listCategories(db)).map(({ code }) => code)).toEqual(accountDefinitions.map(({ code }) => code));
  });

  test("are created once by concurrent requests that post to them", async () => {
    const db = await anEarlierOrganization();
    const charts = await Promise.all(Array.from({ length: 8 }, () => getChart(db)));
    expect(new Set(charts.map((chart) => chart.accountId("5050"))).size).toBe(1);
  });

  test("are created anew after the transaction that created them was rolled back", async () => {
    const db = await anEarlierOrganization();
    const rolledBack = transaction(db, async (tx) => {
      await getChart(tx);
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    const categories = await listCategories(db);
    expect(categories.find(({ code }) => code === "5090")!.id).toBe((await getChart(db)).accountId("5090"));
  });
});
