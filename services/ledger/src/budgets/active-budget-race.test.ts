/** Concurrent activations of budgets for the same property and fiscal year, and a control without the unique index. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { aBudget } from "./budgets.fixtures.ts";

const DRAFTS = 8;

/** Runs two writers that both find no active budget before either of them activates its own, without the index. Returns the number of active budgets. */
async function activateWithoutIndex(): Promise<number> {
  const schema = `unindexed_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(await anOffice(), async (owner) => {
    await owner.query(
      `create schema ${schema}; create table ${schema}.budget (id int, status text); insert into ${schema}.budget values (0, 'draft'), (1, 'draft')`,
    );
    const clients = [0, 1].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    const countActive = async (client: pg.Client) => (await client.query(`select from ${schema}.budget where status = 'active'`)).rowCount!;
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const found = await Promise.all(clients.map(countActive));
      for (const [id, client] of clients.entries()) if (found[id] === 0) await client.query(`update ${schema}.budget set status = 'active' where id = ${id}`);
      return await countActive(owner);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

describe("concurrent activations", () => {
  test("leave one active budget of a property, and one of the portfolio, unlike code without the index", async () => {
    const office = await anOffice();
    const { propertyId } = await aTenancy(office);
    for (const terms of [{ propertyId }, { propertyId: null }]) {
      const drafts = await Promise.all(Array.from({ length: DRAFTS }, () => aBudget(office, terms)));
      const responses = await Promise.all(drafts.map(({ id }) => office.attempt("activateBudget", { params: { id } })));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status, body }) => status === 409 && body.code === "duplicate")).toHaveLength(DRAFTS - 1);
    }
    const { budgets } = await office.call("listBudgets", { query: { status: "active" } });
    expect(new Set(budgets.map((budget) => budget.propertyId))).toEqual(new Set([propertyId, null]));
    // Control: both writers find no active budget, otherwise the test would prove nothing.
    expect(await activateWithoutIndex()).toBe(2);
  });
});
