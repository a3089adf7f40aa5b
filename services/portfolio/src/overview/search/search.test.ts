import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addMonths, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/world.ts";
import { queryRows } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, anOwner, createLeaseReferences, aProperty, aTenant, aUnit, aVendor } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const find = async (q: string, query: Record<string, string | number> = {}) => (await office.call("search", { query: { q, ...query } })).results;
/** Creates a tenant with the name and a lease, without recurring rent by default. */
async function aTenancyFor(fullName: string, terms: Parameters<typeof aLease>[2] = {}): Promise<Tenancy> {
  const [place, tenant] = await Promise.all([createLeaseReferences(office), aTenant(office, { fullName })]);
  const named = { ...place, tenantId: tenant.id };
  return { ...named, leaseId: (await aLease(office, named, { createRecurringRent: false, ...terms })).id };
}
const titles = async (q: string, query: Record<string, string | number> = {}) => (await find(q, query)).map(({ title }) => title);

describe("search", () => {
  test("finds each type by its title, best first", async () => {
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
    expect(await titles("zephyr", { types: "owner,vendor" })).toEqual(["Zephyr HVAC", "Olaf Zephyr"]);
    expect(await find("zephyr", { limit: 2 })).toHaveLength(2);
  });

  test("ignores case and accents, requires every word, and matches word prefixes of one letter", async () => {
    await Promise.all([aTenant(office, { fullName: "Ana María Xóchitl" }), aTenant(office, { fullName: "Bob Xochitl" })]);
    expect(await titles("XOCHITL maria")).toEqual(["Ana María Xóchitl"]);
    expect(await titles("xo b")).toEqual(["Bob Xochitl"]);
    expect(await titles("xochitl ochi")).toHaveLength(2);
    expect(await titles("xochitl pqpqpqpqpqpqpq")).toEqual([]);
  });

  test("finds phones by their digits and rents by their amount", async () => {
    const tenant = await aTenant(office, { fullName: "Phone Person", phone: "(518) 555-0177" });
    expect((await find("518-555-0177")).map(({ id }) => id)).toEqual([tenant.id]);
    expect((await find("5550177")).map(({ id }) => id)).toEqual([tenant.id]);
    const place = await createLeaseReferences(office);
    const lease = await aDraftLease(office, place, { rentCents: 123_457 });
    expect((await find("1234.57", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    expect((await find("$1,234.57", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    expect(await find("$1,234.5", { types: "lease" })).toEqual([]);
  });

  test("follows renamed entries and omits deleted ones", async () => {
    const place = await createLeaseReferences(office);
    const lease = await aDraftLease(office, place);
    await office.call("updateProperty", { params: { id: place.propertyId }, body: { name: "Quillon House" } });
    await office.call("updateTenant", { params: { id: place.tenantId }, body: { fullName: "Quinta Renamed" } });
    await office.call("updateUnit", { params: { id: place.unitId }, body: { unitNumber: "Q77" } });
    expect((await find("quillon", { types: "unit,lease" })).map(({ id }) => id).toSorted()).toEqual([place.unitId, lease.id].toSorted());
    expect((await find("quinta renamed", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    expect((await find("q77", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    const vendor = await aVendor(office, { name: "Vanishing Vendor" });
    await office.call("deleteVendor", { params: { id: vendor.id } });
    expect(await titles("vanishing")).toEqual([]);
  });

  test("falls back to similar words without an exact match", async () => {
    await aTenant(office, { fullName: "Wolfgang Szczepanski" });
    expect(await titles("szczepansky", { types: "tenant" })).toEqual(["Wolfgang Szczepanski"]);
    const { results, counts } = await office.call("search", { query: { q: "szczepansky", types: "tenant" } });
    expect([results[0]!.score < 0.31, counts]).toEqual([true, { tenant: 1 }]);
  });

  test("ranks title matches first and counts all hits beyond the ranking limit", async () => {
    const crowded = await anOffice();
    await queryRows(
      crowded.organizationId,
      "insert into search_entry select $1, 'tenant', gen_random_uuid(), 'Stenton ' || n, null, ' stenton ' || n || ' ' from generate_series(1, 6000) as n",
      [crowded.organizationId],
    );
    for (const fullName of ["Tennant Hall", "Ten"]) await aTenant(crowded, { fullName });
    const { results, counts } = await crowded.call("search", { query: { q: "ten", limit: 3 } });
    expect(results.map(({ title, score }) => [title, score])).toEqual([
      ["Ten", 1],
      ["Tennant Hall", 0.9],
      [expect.stringMatching(/^Stenton/), 0.3],
    ]);
    expect(counts).toEqual({ tenant: 6_002 });
  });

  test("treats wildcard characters literally", async () => {
    await aProperty(office, { name: "100% Elm_Court\\" });
    expect(await titles("100%", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await titles("m_c", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await titles("%%%")).toEqual([]);
    expect(await titles("court\\", { types: "property" })).toEqual(["100% Elm_Court\\"]);
  });

  test("finds payments by amount, check number and tenant, newest first", async () => {
    const tenancy = await aTenancyFor("Ulrike Zähler");
    const pay = async (amountCents: number, more: object = {}) =>
      (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...more } })).payment;
    const byCheck = await pay(234_567, { paymentMethod: "check", checkNumber: "CHK-10457", receivedAt: "2026-02-03T03:00:00.000Z" });
    const later = await pay(234_567, { receivedAt: "2026-02-05T15:00:00.000Z" });
    await pay(100);
    const ids = async (q: string, query = {}) => (await find(q, { types: "payment", ...query })).map(({ id }) => id);

    const { results, counts } = await office.call("search", { query: { q: "2345.67", types: "payment,charge" } });
    expect(counts).toEqual({ payment: 2 });
    expect(results.map(({ id }) => id)).toEqual([later.id, byCheck.id]);
    expect(await ids("$2,345.67", { limit: 1 })).toEqual([later.id]);
    expect(await find("10457", { types: "payment" })).toEqual([
      {
        type: "payment",
        id: byCheck.id,
        title: "Payment of $2,345.67",
        subtitle: "Ulrike Zähler, check CHK-10457, 2026-02-02",
        url: `/api/payments/${byCheck.id}`,
        highlights: ["CHK-10457"],
        score: expect.any(Number),
      },
    ]);
    expect((await find("2345.67", { types: "payment" }))[0]!.highlights).toEqual(["$2,345.67"]);
    for (const q of ["chk-10457", "chk-104 zahler", "chk-10457 2345.67", "ulrike chk"]) expect([q, await ids(q)]).toEqual([q, [byCheck.id]]);
    await eventually("three of hers", async () => ((await ids("zahler")).length === 3 ? true : undefined));
    expect((await ids("ulrike 2345.67")).toSorted()).toEqual([byCheck.id, later.id].toSorted());
    for (const q of ["chk-10457 1.00", "$2,345.67 $1.00", "$2345", "ulrike 10458", "$99,999,999,999,999,999.99"]) expect([q, await ids(q)]).toEqual([q, []]);
    expect((await find("chk-10457")).map(({ type }) => type)).toEqual(["payment"]);
  });

  test("finds charges by name, memo, amount and tenant", async () => {
    // A lease that starts within a month is charged its first, prorated rent at once.
    const startDate = withDayOfMonth(addMonths(today("America/New_York"), -1), 15);
    const { tenantId, leaseId } = await aTenancyFor("Yolanda Debtor", { rentCents: 198_765, createRecurringRent: true, startDate });
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
    const findCharges = async (q: string) => find(q, { types: "charge" });
    const shown = {
      type: "charge",
      id: charge.id,
      title: "Broken windowpane",
      subtitle: "$765.43, Yolanda Debtor, due 2026-03-01",
      url: `/api/charges/${charge.id}`,
    };
    for (const q of ["windowpane", "football regine", "broken yolanda", "$765.43", "yolanda 765.43"])
      expect([q, await findCharges(q)]).toMatchObject([q, [shown]]);
    expect((await findCharges("windowpane"))[0]!.highlights).toEqual(["windowpane"]);
    await eventually("all that a rule posted too", async () => {
      const { charges } = await office.call("listCharges", { query: { leaseId } });
      const ids = (rows: readonly { id: string }[]) =>
        rows
          .map(({ id }) => id)
          .toSorted()
          .join();
      return charges.length > 1 && ids(await findCharges("debtor")) === ids(charges) ? true : undefined;
    });
    await office.call("updateTenant", { params: { id: tenantId }, body: { fullName: "Yolanda Solvent" } });
    await eventually("the new name", async () => ((await findCharges("windowpane solvent")).length === 1 ? true : undefined));
    expect(await findCharges("windowpane debtor")).toEqual([]);
  });

  test("finds no transactions of another organization, and fails while the ledger is unavailable", async () => {
    const tenancy = await aTenancy(stranger);
    await aCharge(stranger, tenancy.leaseId, 4_321_987);
    await stranger.call("recordPayment", { body: { ...aPayment(tenancy, 4_321_987), checkNumber: "STRANGE-1" } });
    for (const q of ["43219.87", "strange-1"]) expect(await find(q)).toEqual([]);
    expect((await stranger.call("search", { query: { q: "$43,219.87" } })).counts).toEqual({ payment: 1, charge: 1 });

    const replica = await startReplica(office, { reachable: "identity" });
    try {
      for (const query of ["q=zahler", "q=zahler&types=tenant,payment"])
        expect(await replica.request("GET", `/api/search?${query}`)).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
      expect(await replica.request("GET", "/api/search?q=zahler&types=tenant,lease")).toMatchObject({ status: 200, body: { counts: { tenant: 1 } } });
    } finally {
      await replica.stop();
    }
  });

  test("finds nothing of another organization, and row-level security hides the search table itself", async () => {
    await aTenant(stranger, { fullName: "Secretive Stranger" });
    expect(await find("secretive")).toEqual([]);
    const seen = await queryRows<{ count: string }>(office.organizationId, "select count(*) from best_search_entries('{%secretive%}', null, 'secretive', 500)");
    expect(seen[0]!.count).toBe("0");
  });

  test("is allowed for the office and rejects empty queries and unknown types", async () => {
    expect((await office.attempt("search", { query: { q: " " } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "x".repeat(101) } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", types: "haunted" } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", limit: 51 } })).status).toBe(400);
    expect((await (await office.colleague("staff")).attempt("search", { query: { q: "elm" } })).status).toBe(200);
  });
});
