import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/support/office.ts";
import { portfolioClient } from "../test/clients.ts";
import { aDraftLease, aLease, anOwner, createLeaseReferences, aProperty, aTenant, oneYearTerms, inDays, currentDate, unknownId } from "../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const { client, caller } = portfolioClient(office);

describe("the gRPC service", () => {
  test("returns records in batches and omits those of other organizations", async () => {
    const [place, foreign, owner] = await Promise.all([createLeaseReferences(office), createLeaseReferences(stranger), anOwner(office)]);
    const { properties } = await client.getProperties(caller, { ids: [place.propertyId, foreign.propertyId, unknownId()] });
    expect(properties).toEqual([{ id: place.propertyId, name: "Elm Court", city: "Springfield", state: "IL", isDeleted: false }]);
    const { units } = await client.getUnits(caller, { ids: [place.unitId, foreign.unitId] });
    expect(units).toMatchObject([{ id: place.unitId, propertyId: place.propertyId }]);
    expect(units[0]!.currentLeaseId).toBeUndefined();
    const { tenants } = await client.getTenants(caller, { ids: [place.tenantId, foreign.tenantId] });
    expect(tenants).toMatchObject([{ id: place.tenantId, isDeleted: false }]);
    const { owners } = await client.getOwners(caller, { ids: [owner.id, unknownId()] });
    expect(owners).toEqual([{ id: owner.id, fullName: owner.fullName }]);
    expect((await client.getLeases(caller, { ids: [] })).leases).toEqual([]);
  });

  test("returns a deleted property as deleted", async () => {
    const property = await aProperty(office);
    await office.call("deleteProperty", { params: { id: property.id } });
    const { properties } = await client.getProperties(caller, { ids: [property.id] });
    expect(properties).toMatchObject([{ id: property.id, isDeleted: true }]);
  });

  test("returns the billing terms and the payers of a lease", async () => {
    const place = await createLeaseReferences(office);
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
    const read = async () => (await client.getLeases(caller, { ids: [lease.id] })).leases[0]!;
    const terms = oneYearTerms(place);
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
    expect((await client.getUnits(caller, { ids: [place.unitId] })).units[0]!.currentLeaseId).toBe(lease.id);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "full", terminationFeeCents: 500 } });
    expect(await read()).toMatchObject({
      status: "terminated",
      payerIds: [place.tenantId],
      terminationDate: currentDate(),
      finalRent: "full",
      terminationFeeCents: 500,
    });
  });

  test("omits the end date of a lease without one", async () => {
    const lease = await aDraftLease(office, await createLeaseReferences(office), {
      termType: "month_to_month",
      endDate: undefined,
      startDate: inDays(1),
    } as object);
    const { leases } = await client.getLeases(caller, { ids: [lease.id] });
    expect(leases[0]).not.toHaveProperty("endDate", expect.anything());
  });
});
