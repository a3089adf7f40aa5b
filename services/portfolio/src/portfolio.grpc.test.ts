import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/office.ts";
import { questions } from "../test/behind.ts";
import { aDraft, aLease, anOwner, aPlace, aProperty, aTenant, aYear, inDays, now, unknownId } from "../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const { client, who } = questions(office);

describe("the questions of other services", () => {
  test("are answered in batches, without what the organization does not have", async () => {
    const [place, foreign, owner] = await Promise.all([aPlace(office), aPlace(stranger), anOwner(office)]);
    const { properties } = await client.getProperties(who, { ids: [place.propertyId, foreign.propertyId, unknownId()] });
    expect(properties).toEqual([{ id: place.propertyId, name: "Elm Court", city: "Springfield", state: "IL", isDeleted: false }]);
    const { units } = await client.getUnits(who, { ids: [place.unitId, foreign.unitId] });
    expect(units).toMatchObject([{ id: place.unitId, propertyId: place.propertyId }]);
    expect(units[0]!.currentLeaseId).toBeUndefined();
    const { tenants } = await client.getTenants(who, { ids: [place.tenantId, foreign.tenantId] });
    expect(tenants).toMatchObject([{ id: place.tenantId, isDeleted: false }]);
    const { owners } = await client.getOwners(who, { ids: [owner.id, unknownId()] });
    expect(owners).toEqual([{ id: owner.id, fullName: owner.fullName }]);
    expect((await client.getLeases(who, { ids: [] })).leases).toEqual([]);
  });

  test("know a deleted property as deleted", async () => {
    const property = await aProperty(office);
    await office.call("deleteProperty", { params: { id: property.id } });
    const { properties } = await client.getProperties(who, { ids: [property.id] });
    expect(properties).toMatchObject([{ id: property.id, isDeleted: true }]);
  });

  test("say what the ledger needs to know of a lease, and who may pay", async () => {
    const place = await aPlace(office);
    const [coTenant, guarantor] = await Promise.all([aTenant(office), aTenant(office)]);
    const lease = await aLease(office, place, {
      rentChargeDay: 31,
      depositRequiredCents: 99,
      prorateFirstMonth: false,
      occupants: [
        { tenantId: guarantor.id, role: "guarantor" },
        { tenantId: coTenant.id, role: "co_tenant" },
      ],
    });
    const read = async () => (await client.getLeases(who, { ids: [lease.id] })).leases[0]!;
    const terms = aYear(place);
    expect(await read()).toMatchObject({
      ...place,
      payerIds: [place.tenantId, coTenant.id],
      status: "active",
      startDate: terms.startDate,
      endDate: terms.endDate,
      rentCents: 150_000,
      rentChargeDay: 31,
      createRecurringRent: true,
      prorateFirstMonth: false,
      depositRequiredCents: 99,
    });
    expect((await client.getUnits(who, { ids: [place.unitId] })).units[0]!.currentLeaseId).toBe(lease.id);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: now(), finalRent: "full", terminationFeeCents: 500 } });
    expect(await read()).toMatchObject({
      status: "terminated",
      payerIds: [place.tenantId],
      terminationDate: now(),
      finalRent: "full",
      terminationFeeCents: 500,
    });
  });

  test("tell a lease without an end from one with", async () => {
    const lease = await aDraft(office, await aPlace(office), { termType: "month_to_month", endDate: undefined, startDate: inDays(1) } as object);
    const { leases } = await client.getLeases(who, { ids: [lease.id] });
    expect(leases[0]).not.toHaveProperty("endDate", expect.anything());
  });
});
