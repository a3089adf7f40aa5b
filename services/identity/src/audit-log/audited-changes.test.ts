import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { EventReader } from "../../../../test/support/events/stream.ts";
import { aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { eventually } from "../../../../test/support/eventually.ts";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

/** Waits for `count` entries of an action on an entity and returns the newest. */
const newestEntry = (entityId: string, action: string, count = 1) =>
  eventually(`${action} ${count}`, async () => {
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId, action } });
    return auditEntries.length >= count ? auditEntries[0] : undefined;
  });
const changesOf = async (entityId: string, action: string, count = 1) => {
  const { before, after } = (await newestEntry(entityId, action, count))!;
  return [before, after];
};

describe("the audit log of communications and imports", () => {
  test("contains sent blasts, e-mail accounts and imports, with the user and the address", async () => {
    const { blast } = await office.call("createBlast", {
      body: { title: "Water", body: "Off at noon.", channels: ["email"], target: { tenantIds: [tenancy.tenantId] } },
    });
    await office.call("sendBlast", { params: { id: blast.id } });
    const { emailAccount } = await office.call("createEmailAccount", { body: { address: `office@${randomUUID()}.example`, kind: "domain" } });
    await office.call("deleteEmailAccount", { params: { id: emailAccount.id } });
    const { importBundle } = await office.call("createImportBundle", {
      body: { name: "Elm Street", provider: "generic", sourceNamespace: "elm", sourceAccountLabel: "Elm" },
    });
    const entries = [
      await newestEntry(blast.id, "blast.queued"),
      await newestEntry(emailAccount.id, "email_account.created"),
      await newestEntry(emailAccount.id, "email_account.deleted"),
      await newestEntry(importBundle.id, "import_bundle.status_changed"),
    ];
    for (const entry of entries) expect(entry).toMatchObject({ actorUserId: office.userId, ip: "127.0.0.1" });
    expect(entries.at(-1)!.after).toEqual({ status: "draft" });
  });
});

describe("the audit log of portfolio changes", () => {
  test("contains only the changed fields, before and after", async () => {
    const { propertyId, unitId, tenantId, leaseId } = tenancy;
    await office.call("updateProperty", { params: { id: propertyId }, body: { name: "Elm Street 2", city: "Albany", depositDeadlineDays: 21 } });
    expect(await changesOf(propertyId, "property.updated")).toEqual([
      { name: "Elm Street 1", depositDeadlineDays: null },
      { name: "Elm Street 2", depositDeadlineDays: 21 },
    ]);
    await office.call("updateUnit", { params: { id: unitId }, body: { monthlyRentCents: 125_000 } });
    expect(await changesOf(unitId, "unit.updated")).toEqual([{ monthlyRentCents: 100_000 }, { monthlyRentCents: 125_000 }]);
    await office.call("updateTenant", { params: { id: tenantId }, body: { fullName: "Tess Married", phone: "2125550123" } });
    expect(await changesOf(tenantId, "tenant.updated")).toEqual([
      { fullName: "Tess Tenant", phone: null },
      { fullName: "Tess Married", phone: "+12125550123" },
    ]);
    await office.call("updateLease", { params: { id: leaseId }, body: { endDate: "2098-06-30" } });
    expect(await changesOf(leaseId, "lease.updated")).toEqual([{ endDate: "2099-12-31" }, { endDate: "2098-06-30" }]);
  });

  test("contains changed owners of a property and insurances of a vendor", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
    const { propertyId } = await aTenancy(office);
    await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [owner.id] } });
    expect(await changesOf(propertyId, "property.updated")).toEqual([{ ownerIds: [] }, { ownerIds: [owner.id] }]);
    const insurance = { kind: "liability" as const, provider: "Mutual", policyNumber: "P-1", expiresOn: "2027-01-01", documentId: null };
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor", insurances: [insurance] } });
    expect(await changesOf(vendor.id, "vendor.created")).toEqual([null, null]);
    const renewedInsurance = { ...insurance, expiresOn: "2028-01-01" };
    await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances: [renewedInsurance] } });
    expect(await changesOf(vendor.id, "vendor.updated")).toEqual([{ insurances: [insurance] }, { insurances: [renewedInsurance] }]);
    await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances: [renewedInsurance] } });
    expect(await changesOf(vendor.id, "vendor.updated", 2)).toEqual([null, null]);
  });

  test("contains changed occupants, parking rights and billing schedules of a lease, fees of a unit and ownership of a property", async () => {
    const { propertyId, unitId, leaseId } = await aTenancy(office);
    const { occupant } = await office.call("createOccupant", { params: { leaseId }, body: { role: "occupant", fullName: "Otis Occupant" } });
    expect(await changesOf(leaseId, "lease.updated")).toEqual([{ occupant: null }, { occupant }]);
    const { occupant: renamedOccupant } = await office.call("updateOccupant", { params: { id: occupant.id }, body: { fullName: "Otis Other" } });
    expect(await changesOf(leaseId, "lease.updated", 2)).toEqual([{ occupant }, { occupant: renamedOccupant }]);
    await office.call("deleteOccupant", { params: { id: occupant.id } });
    expect(await changesOf(leaseId, "lease.updated", 3)).toMatchObject([{ occupant: { fullName: "Otis Other" } }, { occupant: null }]);

    const { parkingRight } = await office.call("createParkingRight", {
      params: { leaseId },
      body: { parkingType: "unreserved", effectiveStart: "2026-03-01" },
    });
    expect(await changesOf(leaseId, "lease.updated", 4)).toEqual([{ parkingRight: null }, { parkingRight }]);
    const { parkingRight: movedParkingRight } = await office.call("updateParkingRight", { params: { id: parkingRight.id }, body: { location: "Level 2" } });
    expect(await changesOf(leaseId, "lease.updated", 5)).toEqual([{ parkingRight }, { parkingRight: movedParkingRight }]);
    await office.call("deleteParkingRight", { params: { id: parkingRight.id } });
    expect(await changesOf(leaseId, "lease.updated", 6)).toMatchObject([{ parkingRight: { id: parkingRight.id } }, { parkingRight: null }]);

    const [category] = (await office.call("listCategories")).categories;
    const { billingSchedule } = await office.call("createBillingSchedule", {
      params: { leaseId },
      body: {
        label: "Garage",
        chargeType: "parking",
        categoryId: category!.id,
        frequency: "monthly",
        steps: [{ startDate: "2026-01-01", amountCents: 5_000 }],
      },
    });
    expect(await changesOf(leaseId, "lease.updated", 7)).toEqual([{ billingSchedule: null }, { billingSchedule }]);
    await office.call("deleteBillingSchedule", { params: { id: billingSchedule.id } });
    expect(await changesOf(leaseId, "lease.updated", 8)).toEqual([{ billingSchedule }, { billingSchedule: null }]);

    const { feeTemplate } = await office.call("createUnitFeeTemplate", {
      params: { unitId },
      body: { label: "Pet rent", amountCents: 2_500, categoryId: category!.id },
    });
    expect(await changesOf(unitId, "unit.updated")).toEqual([{ feeTemplate: null }, { feeTemplate }]);
    const { feeTemplate: raisedFeeTemplate } = await office.call("updateUnitFeeTemplate", { params: { id: feeTemplate.id }, body: { amountCents: 3_000 } });
    expect(await changesOf(unitId, "unit.updated", 2)).toEqual([{ feeTemplate }, { feeTemplate: raisedFeeTemplate }]);
    await office.call("deleteUnitFeeTemplate", { params: { id: feeTemplate.id } });
    expect(await changesOf(unitId, "unit.updated", 3)).toMatchObject([{ feeTemplate: { amountCents: 3_000 } }, { feeTemplate: null }]);

    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
    const ownership = { effectiveDate: "2026-01-01", shares: [{ ownerId: owner.id, shareBps: 10_000 }] };
    await office.call("replaceOwnership", { params: { id: propertyId }, body: ownership });
    expect(await changesOf(propertyId, "property.updated")).toEqual([
      { ownership: null, ownerIds: [] },
      { ownership, ownerIds: [owner.id] },
    ]);
  });

  test("records the replacement of a tax id without its value", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Otto Owner", email: anEmail(), taxIdType: "ssn", taxId: "123-45-6789" } });
    await office.call("updateOwner", { params: { id: owner.id }, body: { taxIdType: "ein", taxId: "12-3459999" } });
    expect(await changesOf(owner.id, "owner.updated")).toEqual([
      { taxIdType: "ssn", taxIdLast4: "6789", taxId: "[hidden]" },
      { taxIdType: "ein", taxIdLast4: "9999", taxId: "[hidden]" },
    ]);
  });

  test("records transitions and deletions, and no previous values of new entities", async () => {
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: tenancy.propertyId, title: "The tap drips" } });
    expect((await newestEntry(workOrder.id, "work_order.created"))!.before).toBeNull();
    await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status: "in_progress" } });
    expect(await changesOf(workOrder.id, "work_order.transitioned")).toEqual([
      { status: "open", startedAt: null },
      { status: "in_progress", startedAt: expect.any(String) },
    ]);
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    await office.call("deleteVendor", { params: { id: vendor.id } });
    expect(await changesOf(vendor.id, "vendor.deleted")).toEqual([
      { isActive: true, deletedAt: null },
      { isActive: false, deletedAt: expect.any(String) },
    ]);
  });

  test("records only the length of very long values", async () => {
    const items = Array.from({ length: 5 }, (_, index) => ({ name: `Item ${index}`, note: "x".repeat(4_000) }));
    const body = { propertyId: tenancy.propertyId, type: "routine" as const, scheduledAt: "2026-12-01T15:00:00.000Z" };
    const { inspection } = await office.call("createInspection", { body: { ...body, areas: [{ name: "Kitchen", items: [{ name: "Oven" }] }] } });
    await office.call("saveInspectionAreas", { params: { id: inspection.id }, body: { areas: [{ name: "Kitchen", items }] } });
    const [before, after] = await changesOf(inspection.id, "inspection.updated");
    expect(before).toMatchObject({ areas: [{ name: "Kitchen" }] });
    expect(after).toEqual({ areas: expect.stringMatching(/^\[2\d{4} characters\]$/) });
  });

  test("contains the client address of changes in every service, which the event stream omits", async () => {
    const { propertyId, leaseId } = await aTenancy(office);
    const reader = await EventReader.open(running().baseUrl, office.token!);
    await office.call("updateProperty", { params: { id: propertyId }, body: { name: "Elm Street 3" } });
    const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: 1_000, dueDate: "2026-03-10", chargeType: "fee" } });
    await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "A mistake." } });
    expect((await newestEntry(propertyId, "property.updated"))!.ip).toBe("127.0.0.1");
    expect((await newestEntry(charge.id, "charge.voided"))!.ip).toBe("127.0.0.1");
    const frames = [
      await reader.waitForFrame("property.updated", ({ event, data }) => event === "property.updated" && data.entityId === propertyId),
      await reader.waitForFrame("charge.voided", ({ event, data }) => event === "charge.voided" && data.entityId === charge.id),
    ];
    expect(JSON.stringify(frames)).not.toContain("127.0.0.1");
    await reader.close();
  });

  test("contains changed values that the event stream omits", async () => {
    const { tenantId } = await aTenancy(office);
    const [reader, tenant] = await Promise.all([EventReader.open(running().baseUrl, office.token!), office.tenantUser(tenantId)]);
    const portalReader = await EventReader.open(running().baseUrl, tenant.token!);
    await office.call("updateTenant", { params: { id: tenantId }, body: { fullName: "Nobody's Business" } });
    const { data } = await reader.waitForFrame("tenant.updated", ({ event, data: { entityId } }) => event === "tenant.updated" && entityId === tenantId);
    expect(await changesOf(tenantId, "tenant.updated")).toEqual([{ fullName: "Tess Tenant" }, { fullName: "Nobody's Business" }]);
    expect(Object.keys(data).toSorted()).toEqual(
      ["actorUserId", "data", "entityId", "entityType", "id", "occurredAt", "organizationId", "requestId", "type"].toSorted(),
    );
    const resumedReader = await EventReader.open(running().baseUrl, office.token!, { lastEventId: reader.frames[0]!.id });
    const { data: replayed } = await resumedReader.waitForFrame(
      "the replayed event",
      ({ event, data: { entityId } }) => event === "tenant.updated" && entityId === tenantId,
    );
    expect(replayed).toEqual(data);
    // Portfolio publishes the note after the change of the tenant, so no earlier event is still to come.
    await office.call("createNote", { body: { entityType: "tenant", entityId: tenantId, body: "Welcome.", visibility: "tenant_shared" } });
    await Promise.all([reader, portalReader, resumedReader].map((each) => each.waitForFrame("the note", ({ event }) => event === "note.created")));
    const frames = JSON.stringify([reader.frames, portalReader.frames, resumedReader.frames]);
    for (const value of ["Tess Tenant", "Nobody's Business"]) expect(frames).not.toContain(value);
    await Promise.all([reader, portalReader, resumedReader].map((each) => each.close()));
  });
});
