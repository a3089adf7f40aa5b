/** Attack on the search entries of another organization, with the role of the service and a function that runs as the owner. */
import { expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

test.each(["ledger", "portfolio"] as const)(
  "the service's role of %s cannot rebuild search entries, which could be those of another organization",
  async (name) => {
    const foreign = await anOffice();
    const service = new pg.Client({ connectionString: running().databaseUrls[name].service });
    await service.connect();
    try {
      await expect(service.query("select refresh_search($1, 'tenant', '{}')", [foreign.organizationId])).rejects.toMatchObject({ code: "42501" });
    } finally {
      await service.end();
    }
  },
);

test("the owner rebuilds a search entry, as the triggers do", async () => {
  const office = await anOffice();
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(await aTenancy(office), 100), checkNumber: "98712" } });
  await withOwnerConnection(office, async (owner) => {
    await owner.query("select refresh_search($1, 'payment', $2)", [office.organizationId, [payment.id]]);
    const { rowCount } = await owner.query("select from search_entry where organization_id = $1 and entity_id = $2", [office.organizationId, payment.id]);
    expect(rowCount).toBe(1);
  });
});
