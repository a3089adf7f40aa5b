import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aDraftLease, aLease, createLeaseReferences, aTenant, inDays, currentDate, unknownId, followingYearTerms } from "../../../test/fixtures.ts";

const office = await anOffice();
const activate = (id: string, body: object = {}) => office.attempt("activateLease", { params: { id }, body });
const renew = (id: string, body: object) => office.attempt("renewLease", { params: { id }, body: body as never });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const readUnit = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;

describe("renewLease", () => {
  test("drafts a renewal with the same occupants and terms", async () => {
    const references = await createLeaseReferences(office);
    const coTenant = await aTenant(office);
    const lease = await aLease(office, references, { rentChargeDay: 31, occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const nextTerm = followingYearTerms();
    const { body } = await renew(lease.id, { ...nextTerm, rentCents: 160_000 });
    expect(body.lease).toMatchObject({
      ...nextTerm,
      ...references,
      status: "draft",
      rentCents: 160_000,
      termType: "fixed",
      rentChargeDay: 31,
      renewedFromLeaseId: lease.id,
    });
    expect(body.lease.occupants.map(({ tenantId, role }) => [tenantId, role])).toEqual([
      [references.tenantId, "primary"],
      [coTenant.id, "co_tenant"],
    ]);
    expect(body.recurringChargeRules).toMatchObject([{ leaseId: body.lease.id, status: "draft", amountCents: 160_000 }]);
    expect(await read(lease.id)).toMatchObject({ status: "active", renewedToLeaseId: body.lease.id });
  });

  test("does not move an occupant in again who has moved out, but was not released", async () => {
    const [references, coTenant] = [await createLeaseReferences(office), await aTenant(office)];
    const lease = await aLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const { id } = lease.occupants.find(({ tenantId }) => tenantId === coTenant.id)!;
    const moveOutDate = inDays(5);
    await office.call("updateOccupant", { params: { id }, body: { moveOutDate } });
    const { body } = await renew(lease.id, { ...followingYearTerms(), moveInDate: inDays(336) });
    expect(body.lease.occupants).toMatchObject([
      { tenantId: references.tenantId, moveInDate: inDays(336), moveOutDate: null },
      { tenantId: coTenant.id, moveInDate: lease.startDate, moveOutDate },
    ]);
  });

  test.each(["draft", "pending"])("an occupant who moves out or is released after the renewal was drafted leaves the %s renewal, too", async (status) => {
    const [references, cora, dan] = [await createLeaseReferences(office), await aTenant(office), await aTenant(office)];
    const occupants = [cora, dan].map(({ id }) => ({ tenantId: id, role: "co_tenant" as const }));
    const lease = await aLease(office, references, { occupants: [...occupants, { fullName: "Guest", role: "occupant" }] });
    const idOf = (person: { id: string }) => lease.occupants.find(({ tenantId }) => tenantId === person.id)!.id;
    const guestId = lease.occupants.find(({ tenantId }) => !tenantId)!.id;
    const { body } = await renew(lease.id, followingYearTerms());
    if (status === "pending") await activate(body.lease.id);
    const firstTag = (await office.attempt("getLease", { params: { id: body.lease.id } })).headers.get("ETag");
    await office.call("updateOccupant", { params: { id: idOf(cora) }, body: { moveOutDate: inDays(5) } });
    await office.call("updateOccupant", { params: { id: guestId }, body: { moveOutDate: inDays(6) } });
    await office.call("releaseOccupant", { params: { id: idOf(dan) }, body: { releasedOn: inDays(7) } });
    const moveInDate = lease.startDate;
    expect((await read(body.lease.id)).occupants).toMatchObject([
      { tenantId: references.tenantId, moveOutDate: null, releasedOn: null },
      { tenantId: cora.id, moveInDate, moveOutDate: inDays(5), releasedOn: null },
      { tenantId: dan.id, moveInDate, moveOutDate: inDays(7), releasedOn: inDays(7) },
      { fullName: "Guest", moveInDate, moveOutDate: inDays(6) },
    ]);
    await office.call("updateOccupant", { params: { id: idOf(cora) }, body: { moveOutDate: null } });
    const { occupants: afterwards, ...renewal } = await read(body.lease.id);
    expect(afterwards[1]).toMatchObject({ tenantId: cora.id, moveInDate, moveOutDate: null });
    expect((await office.attempt("updateLease", { params: { id: renewal.id }, body: {}, headers: { "If-Match": firstTag! } })).status).toBe(412);
  });

  test("an occupant who was added by mistake is removed from the renewal, too", async () => {
    const [references, eve] = [await createLeaseReferences(office), await aTenant(office)];
    const lease = await aLease(office, references, { occupants: [{ tenantId: eve.id, role: "co_tenant" }] });
    const { body } = await renew(lease.id, followingYearTerms());
    await office.call("deleteOccupant", { params: { id: lease.occupants.find(({ tenantId }) => tenantId === eve.id)!.id } });
    expect((await read(body.lease.id)).occupants).toMatchObject([{ tenantId: references.tenantId }]);
  });

  test("an occupant keeps a move-out date that the office gave on the renewal, until the release", async () => {
    const [references, cora] = [await createLeaseReferences(office), await aTenant(office)];
    const lease = await aLease(office, references, { occupants: [{ tenantId: cora.id, role: "co_tenant" }] });
    const { body } = await renew(lease.id, followingYearTerms());
    const [ownId, renewalId] = [lease, body.lease].map(({ occupants }) => occupants.find(({ tenantId }) => tenantId === cora.id)!.id);
    await office.call("updateOccupant", { params: { id: renewalId! }, body: { moveOutDate: inDays(500) } });
    await office.call("updateOccupant", { params: { id: ownId! }, body: { moveOutDate: inDays(5) } });
    expect((await read(body.lease.id)).occupants[1]).toMatchObject({ tenantId: cora.id, moveOutDate: inDays(500) });
    await office.call("releaseOccupant", { params: { id: ownId! }, body: { releasedOn: inDays(6) } });
    expect((await read(body.lease.id)).occupants[1]).toMatchObject({ moveOutDate: inDays(5), releasedOn: inDays(6) });
  });

  test("defaults the rent and the term type, and applies a given move-in date to the occupants", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { termType: "fixed_with_rollover" });
    const { body } = await renew(lease.id, { ...followingYearTerms(), moveInDate: inDays(336) });
    expect(body.lease).toMatchObject({
      rentCents: 150_000,
      termType: "fixed_with_rollover",
      moveInDate: inDays(336),
      occupants: [{ moveInDate: inDays(336) }],
    });
  });

  test.each([
    ["that starts on the last day of the lease", { startDate: inDays(334) }, "startDate", "overlap"],
    ["that starts on the first day of the lease", { startDate: inDays(-30) }, "startDate", "before_start"],
    ["that ends before its start", { endDate: inDays(334) }, "endDate", "before_start"],
    ["without an end date", { endDate: undefined }, "endDate", "required"],
  ])("refuses a renewal %s", async (_, terms, path, code) => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const { status, body } = await renew(lease.id, { ...followingYearTerms(), ...terms });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is refused unless the lease is active", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    expect((await renew(draft.id, followingYearTerms())).body.code).toBe("invalid_transition");
    const pending = await aLease(office, await createLeaseReferences(office), { startDate: inDays(1) });
    expect((await renew(pending.id, followingYearTerms())).body.code).toBe("invalid_transition");
    expect((await renew(unknownId(), followingYearTerms())).status).toBe(404);
  });

  test("drafts one renewal with concurrent requests", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const responses = await Promise.all(Array.from({ length: 8 }, () => renew(lease.id, followingYearTerms())));
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(new Set(responses.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(new Set(["duplicate"]));
  });

  test("a renewal with a future start becomes pending, and its predecessor stays active", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const { body } = await renew(lease.id, followingYearTerms());
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: inDays(334) });
  });

  test("a renewal that starts today becomes active, and its predecessor becomes renewed and ends the day before", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType: "month_to_month", endDate: undefined } as object);
    const { body } = await renew(lease.id, { startDate: currentDate(), endDate: inDays(364) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("active");
    expect(await read(lease.id)).toMatchObject({ status: "renewed", endDate: inDays(-1) });
    expect(await readUnit(references.unitId)).toMatchObject({ status: "occupied", currentLeaseId: body.lease.id });
  });

  test("a pending renewal ends a month-to-month predecessor the day before, without a gap for another lease", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType: "month_to_month", endDate: undefined } as object);
    const { body } = await renew(lease.id, { startDate: inDays(60), endDate: inDays(364) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: inDays(59) });
    const draftBetween = await aDraftLease(office, references, { startDate: inDays(30), endDate: inDays(40) });
    expect((await activate(draftBetween.id)).body.code).toBe("lease_overlap");
  });

  test.each(["fixed", "fixed_with_rollover"] as const)("a %s lease holds its unit until its renewal takes over, also days after its end", async (termType) => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType, endDate: inDays(30) });
    const { body } = await renew(lease.id, { startDate: inDays(40), endDate: inDays(400) });
    const draftBetween = await aDraftLease(office, references, { startDate: inDays(32), endDate: inDays(38) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    expect((await activate(draftBetween.id)).body.code).toBe("lease_overlap");
    const { units } = await office.call("listUnits", { query: { propertyId: references.propertyId, vacantAsOf: inDays(35) } });
    expect(units).toEqual([]);
  });

  test("a renewal does not start after another lease has taken the unit", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { endDate: inDays(30) });
    await aLease(office, { ...references, tenantId: (await aTenant(office)).id }, { startDate: inDays(32), endDate: inDays(38) });
    const { body } = await renew(lease.id, { startDate: inDays(40), endDate: inDays(400) });
    expect((await activate(body.lease.id)).body.code).toBe("lease_overlap");
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: inDays(30) });
  });
});
