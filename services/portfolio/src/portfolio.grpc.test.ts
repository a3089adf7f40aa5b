import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../test/support/office.ts";
import { portfolioClient } from "../test/clients.ts";
import { queryRows } from "../test/database.ts";
import {
  anOfficeOnAnotherDay,
  aDraftLease,
  aLease,
  anOwner,
  createLeaseReferences,
  aProperty,
  aTenant,
  inDays,
  currentDate,
  unknownId,
} from "../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { client, caller } = portfolioClient(office);

describe("the gRPC service", () => {
  test("returns records in batches and omits those of other organizations", async () => {
    const [references, foreign, owner] = await Promise.all([createLeaseReferences(office), createLeaseReferences(otherOffice), anOwner(office)]);
    const { properties } = await client.getProperties(caller, { ids: [references.propertyId, foreign.propertyId, unknownId()] });
    expect(properties).toEqual([{ id: references.propertyId, name: "Elm Court", city: "Springfield", state: "IL", isDeleted: false }]);
    const { units } = await client.getUnits(caller, { ids: [references.unitId, foreign.unitId] });
    expect(units).toMatchObject([{ id: references.unitId, propertyId: references.propertyId }]);
    expect(units[0]!.leases).toEqual([]);
    const { tenants } = await client.getTenants(caller, { ids: [references.tenantId, foreign.tenantId] });
    expect(tenants).toMatchObject([{ id: references.tenantId, isDeleted: false }]);
    const { owners } = await client.getOwners(caller, { ids: [owner.id, unknownId()] });
    const { id, fullName, email } = owner;
    expect(owners).toEqual([{ id, fullName, email, isDeleted: false, holdPayouts: false, payoutMethod: "none", statementDeliver: "none" }]);
    expect((await client.getLeases(caller, { ids: [] })).leases).toEqual([]);
  });

  test("returns the units of properties with their market rents, without deleted units and those of other organizations", async () => {
    const [{ propertyId, unitId }, foreign] = await Promise.all([createLeaseReferences(office), createLeaseReferences(otherOffice)]);
    const aUnit = async (body: object) =>
      (await office.call("createUnit", { body: { propertyId, monthlyRentCents: 90_000, unitNumber: "90", ...body } })).unit.id;
    const priced = await aUnit({ unitNumber: "91", marketRentCents: 123_400 });
    const deleted = await aUnit({ unitNumber: "92" });
    await office.call("deleteUnit", { params: { id: deleted } });
    const { units } = await client.getUnitsOfProperties(caller, { ids: [propertyId, foreign.propertyId, unknownId()] });
    expect(units.map(({ id }) => id).sort()).toEqual([unitId, priced].sort());
    expect(units.find(({ id }) => id === priced)).toMatchObject({ propertyId, marketRentCents: 123_400, leases: [] });
  });

  test("returns the contacts of tenants and vendors with recorded consent, by id and by address", async () => {
    const email = `${randomUUID()}@example.com`;
    const tenant = await aTenant(office, { fullName: "Tess Tenant", email, phone: "2175550177", preferredLanguage: "es" });
    await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
    const { vendor } = await office.call("createVendor", { body: { name: "Elm Plumbing", email: email.toUpperCase(), phone: "(217) 555-0178" } });
    const foreign = await aTenant(otherOffice);
    const { contacts } = await client.getContacts(caller, { tenantIds: [tenant.id, foreign.id, unknownId()], vendorIds: [vendor.id], ownerIds: [] });
    const ofTenant = { id: tenant.id, kind: "tenant", fullName: "Tess Tenant", email, phone: "+12175550177", language: "es", isDeleted: false };
    expect(contacts).toEqual([
      { ...ofTenant, smsConsent: { isGranted: true, decidedAt: expect.any(String) } },
      { id: vendor.id, kind: "vendor", fullName: "Elm Plumbing", email: email.toUpperCase(), phone: "(217) 555-0178", language: "en", isDeleted: false },
    ]);
    const idsOf = async (request: object) => (await client.findContacts(caller, request)).contacts.map(({ id }) => id);
    expect(await idsOf({ email })).toEqual([tenant.id, vendor.id]);
    expect(await idsOf({ phone: "+12175550177" })).toEqual([tenant.id]);
    expect(await idsOf({ phone: "+12175550178" })).toEqual([vendor.id]);
    expect(await idsOf({})).toEqual([]);
    await office.call("deleteTenant", { params: { id: tenant.id } });
    expect(await idsOf({ email })).toEqual([vendor.id]);
    expect((await client.getContacts(caller, { tenantIds: [tenant.id], vendorIds: [], ownerIds: [] })).contacts).toMatchObject([
      { id: tenant.id, isDeleted: true },
    ]);
  });

  test("returns a vendor by an address that the vendor has entered, unless the office has recorded it for somebody else", async () => {
    const { vendor } = await office.call("createVendor", { body: { name: "Elm Roofing", email: `${randomUUID()}@example.com`, phone: "2175550180" } });
    const user = await office.vendorUser(vendor.id);
    const idsOf = async (request: object) => (await client.findContacts(caller, request)).contacts.map(({ id }) => id);
    const [phone, email] = ["+12175550181", `${randomUUID()}@example.com`];
    await user.call("updateVendorPortalMe", { body: { email, phone: "217-555-0181", contactName: "Cora" } });
    expect([await idsOf({ email }), await idsOf({ phone })]).toEqual([[vendor.id], [vendor.id]]);
    const tenant = await aTenant(office, { phone });
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email } });
    expect([await idsOf({ email }), await idsOf({ phone })]).toEqual([[], [tenant.id]]);
    // The vendor's repetition of an address changes nothing, the office's confirms it.
    await user.call("updateVendorPortalMe", { body: { phone: "217-555-0181" } });
    expect(await idsOf({ phone })).toEqual([tenant.id]);
    await office.call("updateVendor", { params: { id: vendor.id }, body: { phone: "217-555-0181" } });
    expect(await idsOf({ phone })).toEqual([tenant.id, vendor.id]);
    await user.call("updateVendorPortalMe", { body: { phone: "217-555-0181" } });
    expect(await idsOf({ phone })).toEqual([tenant.id, vendor.id]);
    await office.call("deleteOwner", { params: { id: owner.id } });
    expect(await idsOf({ email })).toEqual([vendor.id]);
  });

  test("returns the tenants who live in properties and units today, each once", async () => {
    const references = await createLeaseReferences(office);
    await aLease(office, references);
    const other = await createLeaseReferences(office);
    await aDraftLease(office, other);
    const residents = async (request: object) => (await client.listResidents(caller, { propertyIds: [], unitIds: [], ...request })).tenantIds;
    expect(await residents({ propertyIds: [references.propertyId, other.propertyId], unitIds: [references.unitId] })).toEqual([references.tenantId]);
    expect(await residents({ unitIds: [other.unitId] })).toEqual([]);
    expect(await residents({})).toEqual([]);
  });

  test("returns adult occupants as residents, and minors apart, also those with the role of a co-tenant", async () => {
    const references = await createLeaseReferences(office);
    const born = async (dateOfBirth: string | null) => (await aTenant(office, { dateOfBirth })).id;
    const [adult, child, childOnLease, unknown] = [await born("1995-02-28"), await born("2020-02-29"), await born("2020-03-01"), await born(null)];
    const occupants = [
      { tenantId: adult, role: "occupant" as const },
      { tenantId: child, role: "occupant" as const },
      { tenantId: childOnLease, role: "co_tenant" as const },
      { tenantId: unknown, role: "occupant" as const },
      { tenantId: await born("1960-01-01"), role: "guarantor" as const },
    ];
    await aLease(office, references, { occupants });
    const { tenantIds, minorIds } = await client.listResidents(caller, { propertyIds: [references.propertyId], unitIds: [] });
    expect(tenantIds).toEqual([references.tenantId, adult, unknown].toSorted());
    expect(minorIds).toEqual([child, childOnLease].toSorted());
  });

  test("tells which documents are shared with a tenant, and omits unknown ones", async () => {
    const tenant = await aTenant(office);
    const upload = async (visibility: "tenant_shared" | "organization_only") => {
      const file = new File(["Three rooms.\n"], `${visibility}.txt`);
      return (await office.call("uploadDocument", { body: { file, entityType: "tenant", entityId: tenant.id, visibility } })).document.id;
    };
    const [shared, internal] = [await upload("tenant_shared"), await upload("organization_only")];
    const read = async (readerId: string) =>
      (await client.getSharedDocuments(caller, { ids: [shared, internal, unknownId()], readerKind: "tenant", readerId })).documents.map(({ id, isShared }) => [
        id,
        isShared,
      ]);
    expect(new Map((await read(tenant.id)) as [string, boolean][])).toEqual(
      new Map([
        [shared, true],
        [internal, false],
      ]),
    );
    expect((await read(unknownId())).map(([, isShared]) => isShared)).toEqual([false, false]);
  });

  test("links a document for a reader, who follows it with the own access of the organization's day, and not after the own deletion", async () => {
    const { office: remote, isAhead, day } = await anOfficeOnAnotherDay();
    const references = await createLeaseReferences(remote);
    const tenantId = (await aTenant(remote)).id;
    const lease = await aLease(remote, references, { occupants: [{ tenantId, role: "co_tenant" }] });
    const stay = isAhead ? { moveInDate: day(0) } : { moveOutDate: day(1) };
    await remote.call("updateOccupant", { params: { id: lease.occupants[1]!.id }, body: stay });
    const file = new File(["Bins are emptied on Mondays.\n"], "bins.txt");
    const upload = { file, entityType: "unit", entityId: references.unitId, visibility: "tenant_shared" } as const;
    const { document } = await remote.call("uploadDocument", { body: upload });

    const portfolio = portfolioClient(remote);
    const { links } = await portfolio.client.createDocumentLinks(portfolio.caller, {
      ids: [document.id],
      expiresInSeconds: 3_600,
      readerKind: "tenant",
      readerId: tenantId,
    });
    const follow = async () => (await fetch(links[0]!.url)).status;
    expect(await follow()).toBe(200);
    const shared = { ids: [document.id], readerKind: "tenant", readerId: tenantId };
    expect((await portfolio.client.getSharedDocuments(portfolio.caller, shared)).documents).toMatchObject([{ isShared: true }]);
    await queryRows(remote.organizationId, "update tenant set deleted_at = now() where id = $1", [tenantId]);
    expect(await follow()).toBe(404);
    expect((await portfolio.client.getSharedDocuments(portfolio.caller, shared)).documents).toMatchObject([{ isShared: false }]);
  });

  test("returns a deleted property as deleted", async () => {
    const property = await aProperty(office);
    await office.call("deleteProperty", { params: { id: property.id } });
    const { properties } = await client.getProperties(caller, { ids: [property.id] });
    expect(properties).toMatchObject([{ id: property.id, isDeleted: true }]);
  });

  test("returns the billing terms and the payers of a lease", async () => {
    const references = await createLeaseReferences(office);
    const [coTenant, guarantor] = await Promise.all([aTenant(office), aTenant(office)]);
    const lease = await aLease(office, references, {
      rentChargeDay: 31,
      depositRequiredCents: 99,
      prorateFirstMonth: false,
      lateFeeType: "percent",
      lateFeePercentBps: 500,
      lateFeeGraceDays: 3,
      occupants: [
        { tenantId: guarantor.id, role: "guarantor" },
        { tenantId: coTenant.id, role: "co_tenant" },
      ],
    });
    const read = async () => (await client.getLeases(caller, { ids: [lease.id] })).leases[0]!;
    expect(await read()).toMatchObject({
      ...references,
      payerIds: [references.tenantId, coTenant.id],
      status: "active",
      startDate: lease.startDate,
      endDate: lease.endDate,
      rentCents: 150_000,
      rentChargeDay: 31,
      createRecurringRent: true,
      prorateFirstMonth: false,
      depositRequiredCents: 99,
      lateFeeType: "percent",
      lateFeePercentBps: 500,
      lateFeeGraceDays: 3,
    });
    const readUnitLeases = async () => (await client.getUnits(caller, { ids: [references.unitId] })).units[0]!.leases;
    expect(await readUnitLeases()).toEqual([{ leaseId: lease.id, startDate: lease.startDate, lastDay: lease.endDate }]);
    const terminationDate = currentDate();
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate, finalRent: "full", terminationFeeCents: 500 } });
    expect(await read()).toMatchObject({
      status: "terminated",
      movedOutOn: terminationDate,
      payerIds: [references.tenantId, coTenant.id],
      terminationDate,
      finalRent: "full",
      terminationFeeCents: 500,
    });
    expect(await readUnitLeases()).toEqual([{ leaseId: lease.id, startDate: lease.startDate, lastDay: terminationDate }]);
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
