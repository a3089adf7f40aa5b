import { describe, expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { aDraftLease, anOwner, aProperty, createLeaseReferences, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const [ada, ben, cy] = await Promise.all([anOwner(office, { fullName: "Ada" }), anOwner(office, { fullName: "Ben" }), anOwner(office, { fullName: "Cy" })]);

const replace = (id: string, effectiveDate: string, ...shares: [string, number][]) =>
  office.attempt("replaceOwnership", { params: { id }, body: { effectiveDate, shares: shares.map(([ownerId, shareBps]) => ({ ownerId, shareBps })) } });
const readOwnerIds = async (id: string) => (await office.call("getProperty", { params: { id } })).property.ownerIds;

describe("updateProperty with other owners", () => {
  test("corrects the owners from the beginning while nothing is posted, and changes them from today on afterwards", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aDraftLease(office, references);
    const id = references.propertyId;
    const change = (ownerIds: string[]) => office.call("updateProperty", { params: { id }, body: { ownerIds } });
    await change([ben.id]);
    await change([ada.id]);
    expect((await office.call("getOwnership", { params: { id } })).history).toEqual([]);
    await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 5_000, dueDate: currentDate(), chargeType: "other" } });
    expect((await change([ben.id])).property.ownerIds).toEqual([ben.id]);
    const { history } = await office.call("getOwnership", { params: { id } });
    expect(history).toEqual([{ propertyId: id, effectiveDate: currentDate(), shares: [{ ownerId: ben.id, shareBps: 10_000 }] }]);
    const { ownership } = await office.call("getOwnership", { params: { id }, query: { asOf: inDays(-1) } });
    expect(ownership.shares).toEqual([{ ownerId: ada.id, shareBps: 10_000 }]);
  });

  test("keeps an owner once anything is posted, so that nobody loses or inherits what was earned before", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aDraftLease(office, references);
    const params = { id: references.propertyId };
    const change = (ownerIds: string[]) => office.attempt("updateProperty", { params, body: { ownerIds } });
    for (const ownerIds of [[ada.id], [], [ada.id]]) expect((await change(ownerIds)).body.property.ownerIds).toEqual(ownerIds);
    await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 5_000, dueDate: currentDate(), chargeType: "other" } });
    const { status, body } = await change([]);
    expect([status, body.errors]).toMatchObject([400, [{ path: "ownerIds", code: "not_allowed" }]]);
    expect(await readOwnerIds(params.id)).toEqual([ada.id]);
    expect((await office.call("getOwnership", { params })).history).toEqual([]);
  });
});

describe("replaceOwnership", () => {
  test("records the shares from a day on and updates the owners of the property", async () => {
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
    expect(await readOwnerIds(property.id)).toEqual([ada.id, ben.id]);
    expect(await office.call("getOwnership", { params: { id: property.id } })).toEqual({ ownership, history: [ownership] });
    expect((await findOutboxEvents(office, property.id)).map(({ type }) => type)).toEqual(["property.created", "property.updated"]);
  });

  test("keeps earlier ownerships, replaces the one of the same date, and includes future ones", async () => {
    const property = await aProperty(office);
    await replace(property.id, "2024-01-01", [ada.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 5_000], [cy.id, 5_000]);
    await replace(property.id, inDays(5), [cy.id, 10_000]);
    const findOwnersAsOf = async (asOf: string) =>
      (await office.call("getOwnership", { params: { id: property.id }, query: { asOf } })).ownership.shares.map(({ ownerId }) => ownerId);
    expect(await findOwnersAsOf("2023-12-31")).toEqual([]);
    expect(await findOwnersAsOf("2024-12-31")).toEqual([ada.id]);
    expect(await findOwnersAsOf("2025-01-01")).toEqual([ben.id, cy.id]);
    expect(await findOwnersAsOf(inDays(5))).toEqual([cy.id]);
    const { history } = await office.call("getOwnership", { params: { id: property.id } });
    expect(history.map(({ effectiveDate }) => effectiveDate)).toEqual([inDays(5), "2025-01-01", "2024-01-01"]);
    expect(await readOwnerIds(property.id)).toEqual([ben.id, cy.id]);
  });

  test("with an effective date before that of the current ownership does not change today's owners", async () => {
    const property = await aProperty(office);
    await replace(property.id, "2025-06-01", [ada.id, 10_000]);
    await replace(property.id, "2025-01-01", [ben.id, 10_000]);
    expect(await readOwnerIds(property.id)).toEqual([ada.id]);
  });

  test("is applied by the job on its effective date", async () => {
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [ada.id, 10_000]);
    await replace(property.id, inDays(1), [ben.id, 10_000]);
    expect(await readOwnerIds(property.id)).toEqual([ada.id]);
    // Moves tomorrow's ownership to today.
    await queryRows(office.organizationId, "delete from property_share where property_id = $1 and owner_id = $2", [property.id, ada.id]);
    await queryRows(office.organizationId, "update property_share set effective_date = effective_date - 1 where property_id = $1", [property.id]);
    await makeJobsDue(office);
    await eventually("new owner", async () => (await readOwnerIds(property.id))[0] === ben.id);
    const eventCount = (await findOutboxEvents(office, property.id)).length;
    await makeJobsDue(office);
    await waitForIdleJobs("portfolio", office);
    expect((await findOutboxEvents(office, property.id)).length).toBe(eventCount);
  });

  test("requires shares of existing owners that add up to 10,000", async () => {
    const property = await aProperty(office);
    const foreignOwner = await anOwner(otherOffice);
    expect((await replace(property.id, currentDate(), [ada.id, 9_999])).body.errors).toMatchObject([{ path: "shares", code: "mismatch" }]);
    expect((await replace(property.id, currentDate(), [ada.id, 5_000], [ada.id, 5_000])).body.errors).toMatchObject([
      { path: "shares.1.ownerId", code: "unique" },
    ]);
    expect((await replace(property.id, currentDate(), [ada.id, 5_000], [foreignOwner.id, 5_000])).body.errors).toMatchObject([
      { path: "shares.1.ownerId", code: "not_found" },
    ]);
    expect((await replace(property.id, currentDate(), [ada.id, 10_001])).body.errors).toMatchObject([{ path: "shares.0.shareBps", code: "max" }]);
    expect((await replace(property.id, "2025-02-29", [ada.id, 10_000])).body.errors).toMatchObject([{ path: "effectiveDate" }]);
    expect((await replace(unknownId(), currentDate(), [ada.id, 10_000])).status).toBe(404);
    expect(await office.call("getOwnership", { params: { id: property.id } })).toMatchObject({ ownership: { effectiveDate: null, shares: [] }, history: [] });
  });

  test("with concurrent requests stores one of them completely", async () => {
    const property = await aProperty(office);
    const pairs = [ada, ben, cy].flatMap((first) => [ada, ben, cy].filter((second) => second !== first).map((second) => [first.id, second.id] as const));
    const responses = await Promise.all(pairs.map(([firstId, secondId]) => replace(property.id, currentDate(), [firstId, 7_000], [secondId, 3_000])));
    expect(responses.map(({ status }) => status)).toEqual(pairs.map(() => 200));
    const { history } = await office.call("getOwnership", { params: { id: property.id } });
    expect(history).toHaveLength(1);
    expect(history[0]!.shares.map(({ shareBps }) => shareBps)).toEqual([7_000, 3_000]);
    expect(await readOwnerIds(property.id)).toEqual(history[0]!.shares.map(({ ownerId }) => ownerId));
  });
});

describe("owners with shares", () => {
  test("cannot be changed with the property's ownerIds", async () => {
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [ada.id, 5_000], [ben.id, 5_000]);
    const change = (ownerIds: string[]) => office.attempt("updateProperty", { params: { id: property.id }, body: { ownerIds } });
    expect((await change([cy.id])).body.errors).toMatchObject([{ path: "ownerIds", code: "not_allowed" }]);
    expect((await change([ada.id, ben.id])).status).toBe(200);
  });

  test("cannot be deleted while they have a current or future share", async () => {
    const [current, future] = await Promise.all([anOwner(office), anOwner(office)]);
    const property = await aProperty(office);
    await replace(property.id, currentDate(), [current.id, 10_000]);
    await replace(property.id, inDays(30), [future.id, 10_000]);
    const remove = async (id: string) => (await office.attempt("deleteOwner", { params: { id } })).body.code;
    expect([await remove(current.id), await remove(future.id)]).toEqual(["resource_in_use", "resource_in_use"]);
  });
});

describe("listPropertyUnits and listPropertyLeases", () => {
  test("list only the units and leases of the property", async () => {
    const [references, otherReferences] = await Promise.all([createLeaseReferences(office), createLeaseReferences(office)]);
    const [lease] = await Promise.all([aDraftLease(office, references), aDraftLease(office, otherReferences)]);
    const params = { id: references.propertyId };
    expect((await office.call("listPropertyUnits", { params })).units.map(({ id }) => id)).toEqual([references.unitId]);
    expect((await office.call("listPropertyLeases", { params })).leases.map(({ id }) => id)).toEqual([lease.id]);
    expect((await office.attempt("listPropertyUnits", { params: { id: unknownId() } })).status).toBe(404);
    expect((await otherOffice.attempt("listPropertyLeases", { params })).status).toBe(404);
    expect((await office.attempt("listPropertyUnits", { params, query: { propertyId: otherReferences.propertyId } as never })).status).toBe(400);
  });
});

describe("the owners before the first recorded ownership", () => {
  const readOwnership = async (id: string, asOf: string) => (await office.call("getOwnership", { params: { id }, query: { asOf } })).ownership;

  test("keep what was earned before a sale", async () => {
    const property = await aProperty(office, { ownerIds: [ada.id] });
    await replace(property.id, "2026-06-01", [ben.id, 10_000]);
    expect(await readOwnership(property.id, "2026-05-31")).toEqual({
      propertyId: property.id,
      effectiveDate: null,
      shares: [{ ownerId: ada.id, shareBps: 10_000 }],
    });
    await replace(property.id, "2026-06-01", [cy.id, 10_000]);
    expect((await readOwnership(property.id, "2026-05-31")).shares).toEqual([{ ownerId: ada.id, shareBps: 10_000 }]);
  });

  test("are none when the first ownership was recorded for a wrong owner and then corrected", async () => {
    const property = await aProperty(office);
    await replace(property.id, "2026-06-01", [ben.id, 10_000]);
    await replace(property.id, "2026-06-01", [ada.id, 10_000]);
    expect((await readOwnership(property.id, "2026-05-31")).shares).toEqual([]);
    const rows = await queryRows(office.organizationId, "select owner_id from property_share where property_id = $1", [property.id]);
    expect(rows).toEqual([{ owner_id: ada.id }]);
  });

  test("have the shares of the first ownership, also after these were corrected, when it has the same owners", async () => {
    const property = await aProperty(office, { ownerIds: [ada.id, ben.id] });
    await replace(property.id, "2026-06-01", [ada.id, 6_000], [ben.id, 4_000]);
    await replace(property.id, "2026-06-01", [ada.id, 7_000], [ben.id, 3_000]);
    expect((await readOwnership(property.id, "2026-05-31")).shares.map(({ shareBps }) => shareBps)).toEqual([7_000, 3_000]);
    await replace(property.id, "2026-06-01", [cy.id, 10_000]);
    expect((await readOwnership(property.id, "2026-05-31")).shares).toEqual([ada, ben].map(({ id }) => ({ ownerId: id, shareBps: 5_000 })));
  });

  test("can be entered with the property after an ownership of a later day", async () => {
    const property = await aProperty(office);
    await replace(property.id, inDays(30), [ben.id, 10_000]);
    await office.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [ada.id] } });
    expect((await readOwnership(property.id, currentDate())).shares).toEqual([{ ownerId: ada.id, shareBps: 10_000 }]);
  });
});

test("the ownership has the ETag of its property, and is replaced only in the version that If-Match names", async () => {
  const { id } = await aProperty(office, { ownerIds: [ada.id] });
  const etagOf = async (operation: "getOwnership" | "getProperty") => (await office.attempt(operation, { params: { id } })).headers.get("ETag")!;
  const former = await etagOf("getOwnership");
  expect([former, former]).toEqual([expect.any(String), await etagOf("getProperty")]);
  const body = { effectiveDate: currentDate(), shares: [{ ownerId: ben.id, shareBps: 10_000 }] };
  const replaced = await office.attempt("replaceOwnership", { params: { id }, body, headers: { "If-Match": former } });
  expect(replaced.status).toBe(200);
  expect(replaced.headers.get("ETag")).not.toBe(former);
  expect([await etagOf("getOwnership"), await etagOf("getProperty")]).toEqual(Array(2).fill(replaced.headers.get("ETag")));
  expect((await office.attempt("replaceOwnership", { params: { id }, body, headers: { "If-Match": former } })).body.code).toBe("version_conflict");
});
