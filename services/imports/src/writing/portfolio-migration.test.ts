/** Migration of a portfolio from each provider: import of its exports, rent charges and payments, and a repeated import without changes. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { localDateOf } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import type { ImportBundle } from "@freehold/contract/imports/import-bundles";
import { toAppfolioFiles, toBuildiumFiles, toGenericFiles } from "../../../../test/fixtures/portfolio/exports.ts";
import { createPortfolio } from "../../../../test/fixtures/portfolio/portfolio.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { createBundle, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { NAMESPACE, writeBundle } from "../../test/writing.ts";

const portfolio = createPortfolio();
const units = portfolio.flatMap((property) => property.units);
const leases = units.flatMap(({ lease }) => lease ?? []);
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
const exportsOf = { appfolio: toAppfolioFiles, buildium: toBuildiumFiles, generic: toGenericFiles };

async function validateExports(office: Office, provider: keyof typeof exportsOf) {
  const { id } = await createBundle(office, provider, NAMESPACE);
  await uploadFiles(office, id, ...exportsOf[provider](portfolio));
  return validateBundle(office, id);
}

/** Expects that the ledger balances and that receivables equal the open charges. Returns the balances by account. */
async function expectBalancedLedger(office: Office): Promise<Record<string, number>> {
  const balances = await closingBalances(office);
  const { totals } = await office.call("listCharges", { query: { pageSize: 1 } });
  expect([sum(Object.values(balances)), balances["1100"]]).toEqual([0, totals.balanceCents]);
  return balances;
}

describe.each(["appfolio", "buildium", "generic"] as const)("a portfolio from %s", (provider) => {
  let office: Office;
  let bundle: ImportBundle;
  beforeAll(async () => {
    office = await anOffice();
    bundle = await writeBundle(office, (await validateExports(office, provider)).id);
  }, 180_000);

  test("is imported with all properties, units, leases, deposits and balances", async () => {
    expect(bundle).toMatchObject({ status: "completed", error: null });
    const totals = await Promise.all((["listProperties", "listUnits", "listLeases"] as const).map(async (list) => (await office.call(list)).total));
    expect(totals).toEqual([portfolio.length, units.length, leases.length]);
    const balances = await expectBalancedLedger(office);
    expect([balances["2100"], balances["1100"]]).toEqual([
      0 - sum(leases.map(({ depositCents }) => depositCents)),
      sum(leases.map(({ balanceCents }) => balanceCents)),
    ]);
    expect((await office.call("listLeases", { query: { status: "active" } })).total).toBe(leases.length);
  });

  test("is charged the rents of the next three months, and accepts payments", async () => {
    const startDate = localDateOf(bundle.startedAt!, "America/New_York");
    // Rents are due on the first, so the rent of the current month is posted only when the import was started on the first.
    const months = startDate === startOfMonth(startDate) ? 4 : 3;
    await office.call("postDueCharges", { body: { throughDate: addMonths(startOfMonth(startDate), 3) } });
    const rents = await office.call("listCharges", { query: { chargeType: "rent", pageSize: 30 } });
    expect([rents.total, rents.totals.amountCents]).toEqual([months * leases.length, months * sum(leases.map(({ rentCents }) => rentCents))]);
    for (const { tenantId, leaseId, balanceCents } of rents.charges)
      await office.call("recordPayment", {
        body: {
          tenantId,
          leaseId,
          amountCents: balanceCents,
          paymentMethod: "ach",
          receivedAt: new Date().toISOString(),
          idempotencyKey: crypto.randomUUID(),
          autoAllocate: true,
        },
      });
    await expectBalancedLedger(office);
  });

  test("is unchanged by a repeated import", async () => {
    const repeated = await validateExports(office, provider);
    const { unchanged, duplicate_merged: merged, byEntity: _, ...others } = repeated.counts;
    // The generic templates contain each record once; the exports of other systems repeat records.
    expect([unchanged > 4 * units.length, merged > 0, Object.values(others)]).toEqual([true, provider !== "generic", Object.values(others).map(() => 0)]);
    expect(await writeBundle(office, repeated.id)).toMatchObject({ status: "completed" });
    expect((await office.call("listLeases")).total).toBe(leases.length);
    await expectBalancedLedger(office);
  });
});
