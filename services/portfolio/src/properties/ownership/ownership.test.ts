import { describe, expect, test } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { anOffice } from "../../../../../test/office.ts";
import { eventually } from "../../../../../test/world.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { anOwner, aProperty, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const [ada, ben, cy] = await Promise.all([anOwner(office, { fullName: "Ada" }), anOwner(office, { fullName: "Ben" }), anOwner(office, { fullName: "Cy" })]);

const replace = (id: string, effectiveDate: string, ...shares: [string, number][]) =>
  office.attempt("replaceOwnership", { params: { id }, body: { effectiveDate, shares: shares.map(([ownerId, shareBps]) => ({ ownerId, shareBps })) } });
const ownersOf = async (id: string) => (await office.call("getProperty", { params: { id } })).property.ownerIds;

describe("replaceOwnership", () => {
  test("says who owns how much from a day on, and the property's owners follow", async () => {
    const property = await aProperty(office, { ownerIds: [cy.id] });
    const { status, body } = await replace(property.id, inDays(-10), [ada.id, 6_667], [ben.id, 3_333]);
    const ownership = {
      propertyId: property.id,
      effectiveDate: inDays(-10),
      shares: [
        { ownerId: ada.id, shareBps: 6_667 },
        { ownerId: ben.id, shareBps: 3_333 },
      ],
    };
    expect([status, body]).toEqual([200, { ownership }]);
    expect(await ownersOf(property.id)).toEqual([ada.id, ben.id]);
    expect(await office.call("getOwnership", { params: { id: property.id } })).toEqual({ ownership, history: [ownership] });
    expect((await findOutboxEvents(office, property.id)).map(({ type }) => type)).toEqual(["property.created", "property.updated"]);
  });

  test("keeps what was before, replaces what was said of the same day, and knows what is to come", async () => {
    const property = await aProperty(office);
    await replace(property.id, "2024-01-01", [ada.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 5_000], [cy.id, 5_000]);
    await replace(property.id, inDays(5), [cy.id, 10_000]);
    const on = async (asOf: string) =>
      (await office.call("getOwnership", { params: { id: property.id }, query: { asOf } })).ownership.shares.map(({ ownerId }) => ownerId);
    expect(await on("2023-12-31")).toEqual([]);
    expect(await on("2024-12-31")).toEqual([ada.id]);
    expect(await on("2025-01-01")).toEqual([ben.id, cy.id]);
    expect(await on(inDays(5))).toEqual([cy.id]);
    const { history } = await office.call("getOwnership", { params: { id: property.id } });
    expect(history.map(({ effectiveDate }) => effectiveDate)).toEqual([inDays(5), "2025-01-01", "2024-01-01"]);
    expect(await ownersOf(property.id)).toEqual([ben.id, cy.id]);
  });

  test("that lies behind a later one does not change today's owners", async () => {
    const property = await aProperty(office);
    await replace(property.id, "2025-06-01", [ada.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 10_000]);
    expect(await ownersOf(property.id)).toEqual([ada.id]);
  });

  test("takes effect by itself when its day comes", async () => {
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [ada.id, 10_000]);
    await replace(property.id, inDays(1), [ben.id, 10_000]);
    expect(await ownersOf(property.id)).toEqual([ada.id]);
    // The night passes: what was to come tomorrow came today.
    await queryRows(office.organizationId, "delete from property_share where property_id = $1 and owner_id = $2", [property.id, ada.id]);
    await queryRows(office.organizationId, "update property_share set effective_date = effective_date - 1 where property_id = $1", [property.id]);
    await queryRows(office.organizationId, "update scheduled_work set next_run_at = now() where job = 'applyOwnership' and organization_id = $1", [
      office.organizationId,
    ]);
    await eventually("new owner", async () => ((await ownersOf(property.id))[0] === ben.id ? true : undefined));
    const before = (await findOutboxEvents(office, property.id)).length;
    await queryRows(office.organizationId, "update scheduled_work set next_run_at = now() where job = 'applyOwnership' and organization_id = $1", [
      office.organizationId,
    ]);
    await sleep(1_500);
    expect((await findOutboxEvents(office, property.id)).length).toBe(before);
  });

  test("is refused unless the shares of known owners come to the whole", async () => {
    const property = await aProperty(office);
    const foreign = await anOwner(otherOffice);
    expect((await replace(property.id, currentDate(), [ada.id, 9_999])).body.errors).toMatchObject([{ path: "shares", code: "mismatch" }]);
    expect((await replace(property.id, currentDate(), [ada.id, 5_000], [ada.id, 5_000])).body.errors).toMatchObject([
      { path: "shares.1.ownerId", code: "unique" },
    ]);
    expect((await replace(property.id, currentDate(), [ada.id, 5_000], [foreign.id, 5_000])).body.errors).toMatchObject([
      { path: "shares.1.ownerId", code: "not_found" },
    ]);
    expect((await replace(property.id, currentDate(), [ada.id, 10_001])).body.errors).toMatchObject([{ path: "shares.0.shareBps", code: "max" }]);
    expect((await replace(property.id, "2025-02-29", [ada.id, 10_000])).body.errors).toMatchObject([{ path: "effectiveDate" }]);
    expect((await replace(unknownId(), currentDate(), [ada.id, 10_000])).status).toBe(404);
    expect(await office.call("getOwnership", { params: { id: property.id } })).toMatchObject({ ownership: { effectiveDate: null, shares: [] }, history: [] });
  });

  test("of many at once leaves one of them whole", async () => {
    const property = await aProperty(office);
    const pairs = [ada, ben, cy].flatMap((one) => [ada, ben, cy].filter((other) => other !== one).map((other) => [one.id, other.id] as const));
    const responses = await Promise.all(pairs.map(([one, other]) => replace(property.id, currentDate(), [one, 7_000], [other, 3_000])));
    expect(responses.map(({ status }) => status)).toEqual(pairs.map(() => 200));
    const { history } = await office.call("getOwnership", { params: { id: property.id } });
    expect(history).toHaveLength(1);
    expect(history[0]!.shares.map(({ shareBps }) => shareBps)).toEqual([7_000, 3_000]);
    expect(await ownersOf(property.id)).toEqual(history[0]!.shares.map(({ ownerId }) => ownerId));
  });
});

describe("owners with shares", () => {
  test("are not changed by the property's ownerIds", async () => {
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [ada.id, 5_000], [ben.id, 5_000]);
    const change = (ownerIds: string[]) => office.attempt("updateProperty", { params: { id: property.id }, body: { ownerIds } });
    expect((await change([cy.id])).body.errors).toMatchObject([{ path: "ownerIds", code: "not_allowed" }]);
    expect((await change([ada.id, ben.id])).status).toBe(200);
  });

  test("cannot be deleted while they have one, or will", async () => {
    const [now_, then] = await Promise.all([anOwner(office), anOwner(office)]);
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [now_.id, 10_000]);
    await replace(property.id, inDays(30), [then.id, 10_000]);
    const remove = async (id: string) => (await office.attempt("deleteOwner", { params: { id } })).body.code;
    expect([await remove(now_.id), await remove(then.id)]).toEqual(["resource_in_use", "resource_in_use"]);
  });
});

describe("the units and leases of a property", () => {
  test("are listed as anywhere, for this property alone", async () => {
    const [one, other] = await Promise.all([aProperty(office), aProperty(office)]);
    const unit = async (propertyId: string) => (await office.call("createUnit", { body: { propertyId, monthlyRentCents: 1 } })).unit.id;
    const [mine] = await Promise.all([unit(one.id), unit(other.id)]);
    expect((await office.call("listPropertyUnits", { params: { id: one.id } })).units.map(({ id }) => id)).toEqual([mine]);
    expect(await office.call("listPropertyLeases", { params: { id: one.id } })).toMatchObject({ leases: [], total: 0 });
    expect((await office.attempt("listPropertyUnits", { params: { id: unknownId() } })).status).toBe(404);
    expect((await otherOffice.attempt("listPropertyLeases", { params: { id: one.id } })).status).toBe(404);
    expect((await office.attempt("listPropertyUnits", { params: { id: one.id }, query: { propertyId: other.id } as never })).status).toBe(400);
  });
});
