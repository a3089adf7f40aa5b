import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { rows } from "../../test/behind.ts";
import { aDraft, anOwner, aPlace, aProperty, aTenant, aUnit, aVendor } from "../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const find = async (q: string, query: Record<string, string | number> = {}) => (await office.call("search", { query: { q, ...query } })).results;
const titles = async (q: string, query: Record<string, string | number> = {}) => (await find(q, query)).map(({ title }) => title);

describe("search", () => {
  test("finds each kind of thing by what it is called, best first", async () => {
    const property = await aProperty(office, { name: "Zephyr Lofts", streetLine1: "77 Zephyr Way" });
    const unit = await aUnit(office, property.id, { unitNumber: "ZQ-1" });
    const tenant = await aTenant(office, { fullName: "Zephyrine Azar" });
    const lease = await aDraft(office, { propertyId: property.id, unitId: unit.id, tenantId: tenant.id });
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

  test("does not mind case and accents, wants every word, and takes the beginning of a word as short as one letter", async () => {
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
    const place = await aPlace(office);
    const lease = await aDraft(office, place, { rentCents: 123_457 });
    expect((await find("1234.57", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    expect((await find("$1,234.57", { types: "lease" })).map(({ id }) => id)).toEqual([lease.id]);
    expect(await find("$1,234.5", { types: "lease" })).toEqual([]);
  });

  test("follows what changes its name and forgets what is deleted", async () => {
    const place = await aPlace(office);
    const lease = await aDraft(office, place);
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

  test("finds what is misspelled when nothing is spelled so", async () => {
    await aTenant(office, { fullName: "Wolfgang Szczepanski" });
    expect(await titles("szczepansky", { types: "tenant" })).toEqual(["Wolfgang Szczepanski"]);
    const { results, counts } = await office.call("search", { query: { q: "szczepansky", types: "tenant" } });
    expect([results[0]!.score < 0.31, counts]).toEqual([true, { tenant: 1 }]);
  });

  test("takes signs of patterns for themselves", async () => {
    await aProperty(office, { name: "100% Elm_Court\\" });
    expect(await titles("100%", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await titles("m_c", { types: "property" })).toEqual(["100% Elm_Court\\"]);
    expect(await titles("%%%")).toEqual([]);
    expect(await titles("court\\", { types: "property" })).toEqual(["100% Elm_Court\\"]);
  });

  test("finds nothing of another organization, and the service sees nothing of it past the function", async () => {
    await aTenant(stranger, { fullName: "Secretive Stranger" });
    expect(await find("secretive")).toEqual([]);
    const seen = await rows<{ count: string }>(office.organizationId, "select count(*) from find_search_entries('%secretive%', '{}', '{tenant}')");
    expect(seen[0]!.count).toBe("0");
  });

  test("is for the office, asks for something, and knows its types", async () => {
    expect((await office.attempt("search", { query: { q: " " } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "x".repeat(101) } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", types: "haunted" } })).status).toBe(400);
    expect((await office.attempt("search", { query: { q: "elm", limit: 51 } })).status).toBe(400);
    expect((await (await office.colleague("staff")).attempt("search", { query: { q: "elm" } })).status).toBe(200);
  });
});
