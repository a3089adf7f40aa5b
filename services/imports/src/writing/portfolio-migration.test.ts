/** A property manager moves in from another system: the exports come in, rent is posted and paid, and the same exports change nothing any more. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { inAppfolio, inBuildium, inGeneric } from "../../../../test/fixtures/portfolio/exports.ts";
import { aPortfolio } from "../../../../test/fixtures/portfolio/portfolio.ts";
import { anOffice, type Office } from "../../../../test/office.ts";
import { closing } from "../../../../test/tenancy.ts";
import { aBundle, upload, validated } from "../../test/bundles.ts";
import { NAMESPACE, written } from "../../test/writing.ts";

const portfolio = aPortfolio();
const units = portfolio.flatMap((property) => property.units);
const leases = units.flatMap(({ lease }) => lease ?? []);
const sum = (amounts: readonly number[]) => amounts.reduce((one, other) => one + other, 0);
const forms = { appfolio: inAppfolio, buildium: inBuildium, generic: inGeneric };

async function comeIn(office: Office, provider: keyof typeof forms) {
  const { id } = await aBundle(office, provider, NAMESPACE);
  await upload(office, id, ...forms[provider](portfolio));
  return validated(office, id, 120_000);
}

/** Receivables are the open charges, cash is what was paid, and all of it comes to nothing. */
async function booksAreRight(office: Office): Promise<Record<string, number>> {
  const balances = await closing(office);
  const { totals } = await office.call("listCharges", { query: { pageSize: 1 } });
  expect([sum(Object.values(balances)), balances["1100"]]).toEqual([0, totals.balanceCents]);
  return balances;
}

describe.each(["appfolio", "buildium", "generic"] as const)("a property manager who moves in with the files of %s", (provider) => {
  let office: Office;
  beforeAll(async () => {
    office = await anOffice();
  });

  test("finds every property, home, lease and deposit, and who owes what", async () => {
    const bundle = await comeIn(office, provider);
    expect(await written(office, bundle.id, 120_000)).toMatchObject({ status: "completed", error: null });
    const totals = await Promise.all((["listProperties", "listUnits", "listLeases"] as const).map(async (list) => (await office.call(list)).total));
    expect(totals).toEqual([portfolio.length, units.length, leases.length]);
    const balances = await booksAreRight(office);
    expect([balances["2100"], balances["1100"]]).toEqual([0 - sum(leases.map(({ deposit }) => deposit)), sum(leases.map(({ balance }) => balance))]);
    expect((await office.call("listLeases", { query: { status: "active" } })).total).toBe(leases.length);
  }, 180_000);

  test("posts three months of rent, and takes payments", async () => {
    const day = today("America/New_York");
    await office.call("postDueCharges", { body: { throughDate: addMonths(startOfMonth(day), 3) } });
    const rents = await office.call("listCharges", { query: { chargeType: "rent", pageSize: 30 } });
    expect([rents.total, rents.totals.amountCents]).toEqual([3 * leases.length, 3 * sum(leases.map(({ rent }) => rent))]);
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
    await booksAreRight(office);
  });

  test("brings the same exports again, and nothing has changed by them", async () => {
    const again = await comeIn(office, provider);
    const { unchanged, duplicate_merged: merged, byEntity: _, ...others } = again.counts;
    // In our own templates each thing stands once; the others say of one in several places.
    expect([unchanged > 4 * units.length, merged > 0, Object.values(others)]).toEqual([true, provider !== "generic", Object.values(others).map(() => 0)]);
    expect(await written(office, again.id, 60_000)).toMatchObject({ status: "completed" });
    expect((await office.call("listLeases")).total).toBe(leases.length);
    await booksAreRight(office);
  });
});
