import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addMonths, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { queryRows, queryRowsAsService } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, anOwner, createLeaseReferences, aProperty, aTenant, aUnit, aVendor } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
type Filters = Record<string, string | number>;
const find = async (q: string, filters: Filters = {}) => (await office.call("search", { query: { q, ...filters } })).results;
const findTitles = async (q: string, filters?: Filters) => (await find(q, filters)).map(({ title }) => title);
const findIds = async (q: string, filters?: Filters) => (await find(q, filters)).map(({ id }) => id);

/** Creates an active lease, without recurring rent by default, of a new tenant with the name. */
async function aTenancyOf(fullName: string, terms: Parameters<typeof aLease>[2] = {}): Promise<Tenancy> {
  const [newReferences, tenant] = await Promise.all([createLeaseReferences(office), aTenant(office, { fullName })]);
  const references = { ...newReferences, tenantId: tenant.id };
  return { ...references, leaseId: (await aLease(office, references, { createRecurringRent: false, ...terms })).id };
}

describe("search", () => {
  test("finds records of seven types by their own name or that of a related record, highest score first", async () => {
    const property = await aProperty(office, { name: "Zephyr Lofts", streetLine1: "77 Zephyr Way" });
    const unit = await aUnit(office, property.id, { unitNumber: "ZQ-1" });
    const tenant = await aTenant(office, { fullName: "Zephyrine Azar" });
    const lease = await aDraftLease(office, { propertyId: property.id, unitId: unit.id, tenantId: tenant.id });
    await Promise.all([
      anOwner(office, { fullName: "Olaf Zephyr" }),
      aVendor(office, { name: "Zephyr HVAC" }),
      office.call("createWorkOrder", { body: { propertyId: property.id, title: "Draught in the hall" } }),
    ]);
    const { results, counts } = await office.call("search", { query: { q: "zephyr" } });
    expect(counts).toEqual({ property: 1, unit: 1, tenant: 1, lease: 1, owner: 1, vendor: 1, work_order: 1 });
    expect(new Set(results.map(({ type }) => type)).size).toBe(7);
    expect(results[0]!.title.startsWith("Zephyr")).toBe(true);
    expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).toSorted((a, b) => b - a));
    expect(results.find(({ type }) => type === "lease")).toMatchObject({
      id: lease.id,
      title: "Zephyrine Azar",
      subtitle: "Zephyr Lofts, Unit ZQ-1",
      url: `/api/leases/${lease.id}`,
      highlights: ["Zephyrine", "Zephyr"],
    });
    expect(await findTitles("zephyr", { types: "owner,vendor" })).toEqual(["Zephyr HVAC", "Olaf Zephyr"]);
    expect(await find("zephyr", { limit: 2 })).toHaveLength(2);
  });

  test("ignores case and accents, requires every word, and finds terms of one or two letters only at the start of a word", async () => {
    await Promise.all([aTenant(office, { fullName: "Ana María Xóchitl" }), aTenant(office, { fullName: "Bob Xochitl" })]);
    expect(await findTitles("XOCHITL maria")).toEqual(["Ana María Xóchitl"]);
    expect(await findTitles("xo b")).toEqual(["Bob Xochitl"]);
    expect(await findTitles("xochitl oc")).toEqual([]);
    expect(await findTitles("xochitl och")).toHaveLength(2);
    expect(await findTitles("xochitl pqpqpqpqpqpqpq")).toEqual([]);
  });

  test("finds phones by their digits and rents by their amount", async () => {
    const tenant = await aTenant(office, { fullName: "Phone Person", phone: "(518) 555-0177" });
    expect(await findIds("518-555-0177")).toEqual([tenant.id]);
    expect(await findIds("5550177")).toEqual([tenant.id]);
    const lease = await aDraftLease(office, await createLeaseReferences(office), { rentCents: 123_457 });
    expect(await findIds("1234.57", { types: "lease" })).toEqual([lease.id]);
    expect(await findIds("$1,234.57", { types: "lease" })).toEqual([lease.id]);
    expect(await find("$1,234.5", { types: "lease" })).toEqual([]);
  });

  test("finds renamed records by their new names and omits deleted ones", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aDraftLease(office, references);
    await office.call("updateProperty", { params: { id: references.propertyId }, body: { name: "Quillon House" } });
    await office.call("updateTenant", { params: { id: references.tenantId }, body: { fullName: "Quinta Renamed" } });
    await office.call("updateUnit", { params: { id: references.unitId }, body: { unitNumber: "Q77" } });
    expect((await findIds("quillon", { types: "unit,lease" })).toSorted()).toEqual([references.unitId, lease.id].toSorted());
    expect(await findIds("quinta renamed", { types: "lease" })).toEqual([lease.id]);
    expect(await findIds("q77", { types: "lease" })).toEqual([lease.id]);
    const vendor = await aVendor(office, { name: "Vanishing Vendor" });
    expect(await findTitles("vanishing")).toEqual(["Vanishing Vendor"]);
    await office.call("deleteVendor", { params: { id: vendor.id } });
    expect(await findTitles("vanishing")).toEqual([]);
  });

  test("falls back to similar words, with a score of at most 0.3, when no entry matches", async () => {
    await aTenant(office, { fullName: "Wolfgang Szczepanski" });
    const { results, counts } = await office.call("search", { query: { q: "szczepansky", types: "tenant" } });
    expect([results.map(({ title }) => title), counts]).toEqual([["Wolfgang Szczepanski"], { tenant: 1 }]);
    expect(results[0]!.score).toBeLessThanOrEqual(0.3);
  });

  test("ranks titles that start with the query first and counts all hits, including those beyond the ranking limit", async () => {
    const largeOffice = await anOffice();
    await queryRows(
      largeOffice.organizationId,
      "insert into search_entry select $1, 'tenant', gen_random_uuid(), 'Stenton ' || n, null, ' stenton ' || n || ' ' from generate_series(1, 6000) as n",
      [largeOffice.organizationId],
    );
    for (const fullName of ["Tennant Hall", "Ten"]) await aTenant(largeOffice, { fullName });
    const { results, counts } = await largeOffice.call("search", { query: { q: "ten", limit: 3 } });
    expect(results.map(({ title, score }) => [title, score])).toEqual([
      ["Ten", 1],
      ["Tennant Hall", 0.9],
      [expect.stringMatching(/^Stenton/), 0.3],
    ]);
    expect(counts).toEqual({ tenant: 6_002 });
  });

  test("treats wildcard characters literally", async () => {
    await aProperty(office, { name: "100% Elm_Court\\" });
    expect(await findTitles("100%", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await findTitles("m_c", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await findTitles("%%%")).toEqual([]);
    expect(await findTitles("court\\", { types: "property" })).toEqual(["100% Elm_Court\\"]);
  });

  test("finds payments by amount, check number and tenant, newest first", async () => {
    const tenancy = await aTenancyOf("Ulrike Zähler");
    const pay = async (amountCents: number, overrides: object = {}) =>
      (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...overrides } })).payment;
    const checkPayment = await pay(234_567, { paymentMethod: "check", checkNumber: "CHK-10457", receivedAt: "2026-02-03T03:00:00.000Z" });
    const newerPayment = await pay(234_567, { receivedAt: "2026-02-05T15:00:00.000Z" });
    await pay(100);
    const findPaymentIds = (q: string, filters: Filters = {}) => findIds(q, { types: "payment", ...filters });
    await eventually("three payments by the name of the tenant", async () => (await findPaymentIds("zahler")).length === 3);

    const { results, counts } = await office.call("search", { query: { q: "2345.67", types: "payment,charge" } });
    expect(counts).toEqual({ payment: 2 });
    expect(results.map(({ id }) => id)).toEqual([newerPayment.id, checkPayment.id]);
    expect(await findPaymentIds("$2,345.67", { limit: 1 })).toEqual([newerPayment.id]);
    expect(await find("10457", { types: "payment" })).toEqual([
      {
        type: "payment",
        id: checkPayment.id,
        title: "Payment of $2,345.67",
        subtitle: "Ulrike Zähler, check CHK-10457, 2026-02-02",
        url: `/api/payments/${checkPayment.id}`,
        highlights: ["CHK-10457"],
        score: expect.any(Number),
      },
    ]);
    expect((await find("2345.67", { types: "payment" }))[0]!.highlights).toEqual(["$2,345.67"]);
    for (const q of ["chk-10457", "chk-104 zahler", "chk-10457 2345.67", "ulrike chk"]) expect([q, await findPaymentIds(q)]).toEqual([q, [checkPayment.id]]);
    expect((await findPaymentIds("ulrike 2345.67")).toSorted()).toEqual([checkPayment.id, newerPayment.id].toSorted());
    for (const q of ["chk-10457 1.00", "$2,345.67 $1.00", "$2345", "ulrike 10458", "$99,999,999,999,999,999.99"])
      expect([q, await findPaymentIds(q)]).toEqual([q, []]);
    expect((await find("chk-10457")).map(({ type }) => type)).toEqual(["payment"]);
  });

  test("finds charges by name, memo, amount and tenant", async () => {
    // A lease that starts in the middle of a month is charged its prorated first month when it is activated.
    const startDate = withDayOfMonth(addMonths(today("America/New_York"), -1), 15);
    const { tenantId, leaseId } = await aTenancyOf("Yolanda Debtor", { rentCents: 198_765, createRecurringRent: true, startDate });
    const { charge } = await office.call("createCharge", {
      body: {
        leaseId,
        amountCents: 76_543,
        dueDate: "2026-03-01",
        chargeType: "damage",
        name: "Broken windowpane",
        memo: "Football, seen by Régine",
      },
    });
    const findCharges = (q: string) => find(q, { types: "charge" });
    const expected = {
      type: "charge",
      id: charge.id,
      title: "Broken windowpane",
      subtitle: "$765.43, Yolanda Debtor, due 2026-03-01",
      url: `/api/charges/${charge.id}`,
    };
    for (const q of ["windowpane", "football regine", "broken yolanda", "$765.43", "yolanda 765.43"])
      expect([q, await findCharges(q)]).toMatchObject([q, [expected]]);
    expect((await findCharges("windowpane"))[0]!.highlights).toEqual(["windowpane"]);
    await eventually("all charges of the lease by the name of the tenant", async () => {
      const { charges } = await office.call("listCharges", { query: { leaseId } });
      const chargeIds = charges.map(({ id }) => id).toSorted();
      const foundIds = (await findIds("debtor", { types: "charge" })).toSorted();
      return chargeIds.length > 1 && foundIds.join() === chargeIds.join();
    });
    await office.call("updateTenant", { params: { id: tenantId }, body: { fullName: "Yolanda Solvent" } });
    await eventually("charge by the new name of the tenant", async () => (await findCharges("windowpane solvent")).length === 1);
    expect(await findCharges("windowpane debtor")).toEqual([]);
  });

  test("finds expenses by name, description, invoice number, amount and vendor", async () => {
    const [property, vendor] = await Promise.all([aProperty(office), aVendor(office, { name: "Kestrel Roofing" })]);
    const { expense } = await office.call("createExpense", {
      body: {
        propertyId: property.id,
        vendorId: vendor.id,
        name: "Slates replaced",
        description: "After the storm, north side",
        invoiceNumber: "INV-77123",
        category: "maintenance",
        amountCents: 87_654,
        incurredOn: "2026-03-02",
      },
    });
    const findExpenses = (q: string) => find(q, { types: "expense" });
    const expected = { type: "expense", id: expense.id, title: "Slates replaced", url: `/api/expenses/${expense.id}` };
    const subtitle = "$876.54, Kestrel Roofing, invoice INV-77123, 2026-03-02";
    for (const q of ["slates", "storm north", "77123", "kestrel", "$876.54", "kestrel 876.54"])
      expect([q, await findExpenses(q)]).toMatchObject([q, [{ ...expected, subtitle }]]);
    await office.call("updateVendor", { params: { id: vendor.id }, body: { name: "Falcon Roofing" } });
    await eventually("expense by the new name of the vendor", async () => (await findExpenses("slates falcon")).length === 1);
    expect(await findExpenses("kestrel")).toEqual([]);
  });

  test("finds no transactions of another organization", async () => {
    const tenancy = await aTenancy(otherOffice);
    await aCharge(otherOffice, tenancy.leaseId, 4_321_987);
    await otherOffice.call("recordPayment", { body: { ...aPayment(tenancy, 4_321_987), checkNumber: "STRANGE-1" } });
    for (const q of ["43219.87", "strange-1"]) expect(await find(q)).toEqual([]);
    expect((await otherOffice.call("search", { query: { q: "$43,219.87" } })).counts).toEqual({ payment: 1, charge: 1 });
  });

  test("fails for payments, charges and expenses, but not for other types, while the ledger is unavailable", async () => {
    await aTenant(office, { fullName: "Ludmila Offline" });
    const replica = await startReplica(office, { reachable: "identity" });
    try {
      for (const query of ["q=offline", "q=offline&types=tenant,payment"])
        expect(await replica.request("GET", `/api/search?${query}`)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
      expect(await replica.request("GET", "/api/search?q=offline&types=tenant,lease")).toMatchObject({ status: 200, body: { counts: { tenant: 1 } } });
    } finally {
      await replica.stop();
    }
  });

  test("finds nothing of another organization, and the service's database role reads search entries only in the scope of their organization", async () => {
    await aTenant(otherOffice, { fullName: "Secretive Stranger" });
    expect(await find("secretive")).toEqual([]);
    expect((await otherOffice.call("search", { query: { q: "secretive" } })).counts).toEqual({ tenant: 1 });
    const statements = [
      "select title from search_entry where title = 'Secretive Stranger'",
      "select title from best_search_entries('{%secretive%}', null, 'secretive', 500)",
      "select title from find_like_search_entries('secretive', '{secretive}', '{tenant}', 50)",
    ];
    for (const statement of statements) {
      expect(await queryRowsAsService(office.organizationId, statement)).toEqual([]);
      expect(await queryRowsAsService(otherOffice.organizationId, statement)).toEqual([{ title: "Secretive Stranger" }]);
    }
  });

  test("is allowed for staff and rejects empty and long queries, unknown types and a limit above 50", async () => {
    expect((await office.attempt("search", { query: { q: " " } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "x".repeat(101) } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", types: "haunted" } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", limit: 51 } })).status).toBe(400);
    expect((await (await office.colleague("staff")).attempt("search", { query: { q: "elm" } })).status).toBe(200);
  });
});
