/** Attacks on the base of fees with the role of the service. All statements are rolled back. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../../../../test/support/running.ts";
import { aManagedProperty, aRun } from "../management-fees.fixtures.ts";

const references = ["fee_id", "charge_id", "payment_id", "allocation_id", "credit_id"] as const;

let service: pg.Client;
beforeAll(async () => {
  const { office } = await aManagedProperty();
  await aRun(office);
  service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
});
afterAll(() => service.end());

/** Copies the rows of a base with other references, and returns the constraint that refuses it, or undefined. */
async function refusalOf(changes: Partial<Record<(typeof references)[number], string>>): Promise<string | undefined> {
  const columns = references.map((name) => (changes[name] ? `'${changes[name]}'::uuid` : name));
  await service.query("begin");
  try {
    const { rowCount } =
      await service.query(`insert into management_fee_base (organization_id, id, created_at, updated_at, ${references.join(", ")}, amount_cents)
      select organization_id, gen_random_uuid(), now(), now(), ${columns.join(", ")}, amount_cents from management_fee_base`);
    expect(rowCount).toBeGreaterThan(0);
    return undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.constraint;
  } finally {
    await service.query("rollback");
  }
}

test("control: a row of a base that names existing rows is accepted", async () => {
  expect(await refusalOf({})).toBeUndefined();
});

test.each(references)("a row of a base is refused when its %s names no row", async (reference) => {
  expect(await refusalOf({ [reference]: randomUUID() })).toBe("management_fee_base_references");
});
