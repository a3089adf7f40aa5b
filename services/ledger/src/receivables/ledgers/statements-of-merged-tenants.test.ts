/** Ledgers and statements of tenants in versions from before a merge. */
import { expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

/** Records a payment of a tenant without a lease. */
async function pay(office: Office, tenantId: string, amountCents: number): Promise<void> {
  const payment = { tenantId, amountCents, paymentMethod: "cash" as const, receivedAt: "2026-01-05T15:00:00.000Z" };
  await office.call("recordPayment", { body: { ...payment, idempotencyKey: randomUUID() } });
}

const createTenantId = async (office: Office) => (await office.call("createTenant", { body: { fullName: "Tess Tenant" } })).tenant.id;

/** Returns the statement of a tenant, without the time at which it was generated. */
async function read(office: Office, tenantId: string, ledgerVersion?: number) {
  const query = { from: "2026-01-01", to: "2026-12-31", ...(ledgerVersion !== undefined && { ledgerVersion }) };
  const { generatedAt: _, ...statement } = (await office.call("getTenantStatement", { params: { id: tenantId }, query })).statement;
  return statement;
}

// Tess owes 400, and her duplicate record has paid 70. After the merge she owes 330; the statement in the earlier version still shows 400.
test("the statement of an earlier version is the same after a tenant was merged", async () => {
  const office = await anOffice();
  const { tenantId, leaseId } = await aTenancy(office);
  await aCharge(office, leaseId, 40_000);
  const duplicateId = await createTenantId(office);
  await pay(office, duplicateId, 7_000);
  const before = await read(office, tenantId);
  const duplicateBefore = await read(office, duplicateId);
  await office.call("mergeTenants", { params: { id: tenantId }, body: { duplicateTenantId: duplicateId } });
  const merged = await eventually("the payment of the duplicate", async () => {
    const statement = await read(office, tenantId);
    return statement.closingBalanceCents === 33_000 ? statement : undefined;
  });
  expect(await read(office, tenantId, before.ledgerVersion)).toEqual(before);
  expect(await read(office, duplicateId, before.ledgerVersion)).toEqual(duplicateBefore);
  expect(merged.ledgerVersion).toBeGreaterThan(before.ledgerVersion);
  await aCharge(office, leaseId, 1_000);
  expect(await read(office, tenantId, merged.ledgerVersion)).toEqual(merged);
  expect((await read(office, duplicateId, merged.ledgerVersion)).entries).toEqual([]);
});

test("after two consecutive merges, each version shows the payment under the tenant that had it in that version", async () => {
  const office = await anOffice();
  const [first, second, third] = [await createTenantId(office), await createTenantId(office), await createTenantId(office)];
  await pay(office, first, 5_000);
  const tenantIds = [first, second, third];
  const readAll = async (ledgerVersion?: number) => {
    const statements: Awaited<ReturnType<typeof read>>[] = [];
    for (const tenantId of tenantIds) statements.push(await read(office, tenantId, ledgerVersion));
    return statements;
  };
  const versions = [await readAll()];
  for (const [survivorId, duplicateTenantId] of [
    [second, first],
    [third, second],
  ] as const) {
    await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId } });
    await eventually("the payment of the survivor", async () => (await read(office, survivorId)).closingBalanceCents === -5_000);
    versions.push(await readAll());
  }
  expect(versions.map((statements) => statements.map(({ closingBalanceCents }) => closingBalanceCents))).toEqual([
    [-5_000, 0, 0],
    [0, -5_000, 0],
    [0, 0, -5_000],
  ]);
  for (const statements of versions) expect(await readAll(statements[0]!.ledgerVersion)).toEqual(statements);
});
