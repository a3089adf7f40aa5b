import { newId } from "@freehold/kit/db/entity";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aBillPayment, anExpense, aVendor } from "../../payables/payables.fixtures.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aContribution, anOwnedProperty, anOwner } from "../owners.fixtures.ts";

/** An office with a property of Ann (60 %) and Ben, with rent, a bill, a management fee and a contribution of Ann in January. */
async function aMonth() {
  const office = await anOffice();
  const [ann, ben] = [await anOwner(office, "Ann"), await anOwner(office, "Ben")];
  const property = await anOwnedProperty(office, { rentCents: 1_001, shares: { [ann]: 6_000, [ben]: 4_000 } });
  const { propertyId, bankAccountId } = property;
  await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 50) });
  for (const [category, cents] of [
    ["maintenance", 100],
    ["management", 80],
  ] as const) {
    const expense = await anExpense(office, propertyId, cents, { category });
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, cents, [{ expenseId: expense.id, amountCents: cents }]) });
  }
  return { office, ann, ben, ...property };
}

const JANUARY = { periodStart: "2026-01-01", periodEnd: "2026-01-31" };

describe("createOwnerStatement", () => {
  test("has the owner's part of each entry, and figures that add up to the ending balance", async () => {
    const { office, ann, propertyId } = await aMonth();
    await office.call("updateProperty", {
      params: { id: propertyId },
      body: { reserveCents: 30, additionalReserveCents: 20, additionalReserveNote: "New roof" },
    });
    const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: JANUARY });
    const figures = {
      beginningCents: 0,
      incomeCents: 601,
      expenseCents: 60,
      feesCents: 48,
      contributionsCents: 50,
      distributionsCents: 0,
      endingCents: 543,
      reserveCents: 30,
      additionalReserveCents: 20,
    };
    expect(ownerStatement).toMatchObject({ ownerId: ann, ownerName: "Ann", basis: "cash", ...figures });
    expect(ownerStatement.properties).toHaveLength(1);
    expect(ownerStatement.properties[0]).toMatchObject({ propertyId, ...figures, additionalReserveNote: "New roof" });
    const pdf = await office.raw("GET", `/api/owner-statements/${ownerStatement.id}/download`);
    const text = pageTexts(Buffer.from(await pdf.arrayBuffer())).join(" ");
    for (const part of ["Additional reserve of the property", "$0.20", "New roof"]) expect(text).toContain(part);
    expect(
      ownerStatement.properties[0]!.entries.map(({ date, accountCode, amountCents, balanceCents }) => [date, accountCode, amountCents, balanceCents]),
    ).toEqual([
      ["2026-01-05", "4000", 601, 601],
      ["2026-01-08", "3100", 50, 651],
      ["2026-01-20", "5000", -60, 591],
      ["2026-01-20", "5040", -48, 543],
    ]);
  });

  test("names the vendor of each expense on both bases, and the vendors of a payment of several expenses", async () => {
    const { office, ann, propertyId, bankAccountId } = await aMonth();
    const bills = [];
    for (const name of ["Zeta Plumbing", "Acme Roofing"]) bills.push(await anExpense(office, propertyId, 50, { vendorId: await aVendor(office, name) }));
    const allocations = bills.map(({ id }) => ({ expenseId: id, amountCents: 50 }));
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 100, allocations, { paidAt: "2026-01-21T17:00:00.000Z" }) });
    const vendorsOn = async (basis: "accrual" | "cash") => {
      const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: { ...JANUARY, basis } });
      return ownerStatement.properties[0]!.entries.filter(({ accountCode }) => accountCode === "5000").map((entry) => [entry.vendorName, entry.amountCents]);
    };
    expect(await vendorsOn("cash")).toEqual([
      [null, -60],
      ["Acme Roofing, Zeta Plumbing", -60],
    ]);
    expect(await vendorsOn("accrual")).toEqual([
      [null, -60],
      ["Zeta Plumbing", -30],
      ["Acme Roofing", -30],
    ]);
  });

  test("names no vendor of an expense of another owner that the same payment settles", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aMonth();
    const bills = [
      await anExpense(office, propertyId, 30, { vendorId: await aVendor(office, "Acme Roofing"), ownerId: ann }),
      await anExpense(office, propertyId, 20, { vendorId: await aVendor(office, "Zeta Plumbing"), ownerId: ben }),
    ];
    const allocations = bills.map(({ id, amountCents }) => ({ expenseId: id, amountCents }));
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 50, allocations, { paidAt: "2026-01-21T17:00:00.000Z" }) });
    for (const [id, vendorName] of [
      [ann, "Acme Roofing"],
      [ben, "Zeta Plumbing"],
    ] as const) {
      const { ownerStatement } = await office.call("createOwnerStatement", { params: { id }, body: { ...JANUARY, basis: "cash" } });
      expect(ownerStatement.properties[0]!.entries.flatMap((entry) => entry.vendorName ?? [])).toEqual([vendorName]);
    }
  });

  test("is stored: entries that are posted later change a new statement only", async () => {
    const { office, ann, propertyId, bankAccountId } = await aMonth();
    const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: JANUARY });
    await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 7) });
    expect((await office.call("getOwnerStatement", { params: { id: ownerStatement.id } })).ownerStatement).toEqual(ownerStatement);
    const { ownerStatement: again } = await office.call("createOwnerStatement", { params: { id: ann }, body: JANUARY });
    expect([again.endingCents, again.ledgerVersion > ownerStatement.ledgerVersion]).toEqual([550, true]);
    const next = { periodStart: "2026-02-01", periodEnd: "2026-02-28" };
    const { ownerStatement: february } = await office.call("createOwnerStatement", { params: { id: ann }, body: next });
    expect([february.beginningCents, february.endingCents, february.properties[0]!.entries]).toEqual([550, 550, []]);
    const { ownerStatements, total } = await office.call("listOwnerStatements", { params: { id: ann } });
    expect([total, ownerStatements[0]!.id]).toEqual([3, february.id]);
  });

  test("stored by an earlier version has no additional reserve and no names of vendors", async () => {
    const { office, ann } = await aMonth();
    const earlierId = newId();
    const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: JANUARY });
    await withOwnerConnection(office, (owner) =>
      owner.query(
        `with earlier as (select id, figures - 'additionalReserveCents' as figures, (select jsonb_agg(property - 'additionalReserveCents' - 'additionalReserveNote'
            || jsonb_build_object('entries', (select jsonb_agg(entry - 'vendorName') from jsonb_array_elements(property -> 'entries') entry)))
            from jsonb_array_elements(properties::jsonb) property) as properties
          from (select id, figures::jsonb as figures, properties from owner_statement where id = $1) stored)
        insert into owner_statement (organization_id, id, created_at, updated_at, version, owner_id, organization_name, owner_name, period_start, period_end, basis, ledger_version, figures, properties)
          select organization_id, $2, created_at, updated_at, version, owner_id, organization_name, owner_name, period_start, period_end, basis, ledger_version, earlier.figures, earlier.properties
          from owner_statement s join earlier on earlier.id = s.id`,
        [ownerStatement.id, earlierId],
      ),
    );
    const { ownerStatement: read } = await office.call("getOwnerStatement", { params: { id: earlierId } });
    expect(read).toEqual({ ...ownerStatement, id: earlierId });
  });

  test("names the field of a period that has not ended or is reversed", async () => {
    const { office, ann } = await aMonth();
    const attempt = async (body: { periodStart: string; periodEnd: string }) =>
      (await office.attempt("createOwnerStatement", { params: { id: ann }, body })).body.errors?.map(({ path, code }) => [path, code]);
    expect(await attempt({ periodStart: "2026-01-01", periodEnd: "2199-01-31" })).toEqual([["periodEnd", "not_allowed"]]);
    expect(await attempt({ periodStart: "2026-02-01", periodEnd: "2026-01-31" })).toEqual([["periodEnd", "before_start"]]);
  });
});

describe("downloadOwnerStatement", () => {
  test("sends a PDF, or rows that begin and end with the balances as CSV", async () => {
    const { office, ann } = await aMonth();
    const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: JANUARY });
    const pdf = await office.raw("GET", `/api/owner-statements/${ownerStatement.id}/download`);
    expect([
      pdf.status,
      pdf.headers.get("content-type"),
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ]).toEqual([200, "application/pdf", "%PDF-"]);
    const [first, second] = await Promise.all(
      [1, 2].map(async () => Buffer.from(await (await office.raw("GET", `/api/owner-statements/${ownerStatement.id}/download`)).arrayBuffer())),
    );
    expect(first!.equals(second!)).toBe(true);
    // A PDF that has the time of its download would have other bytes a second later.
    expect(first!.toString("latin1")).toContain(`(D:${ownerStatement.createdAt.replaceAll(/\D/g, "").slice(0, 14)}Z)`);
    const csv = await office.raw("GET", `/api/owner-statements/${ownerStatement.id}/download?format=csv`);
    const rows = (await csv.text()).trim().split("\r\n");
    expect(rows[0]).toBe("propertyId,propertyName,date,accountCode,accountName,description,vendorName,shareBps,amountCents,balanceCents");
    expect([rows.length, rows.at(-1)!.endsWith(",543")]).toEqual([7, true]);
  });
});
