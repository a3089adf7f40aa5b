import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseReferences, aTenant, oneYearTerms, currentDate, inDays } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();

describe("createTenant", () => {
  test("returns the tenant with phone numbers in E.164", async () => {
    const terms = {
      firstName: "Tina",
      lastName: "Tenant",
      email: "tina@example.com",
      dateOfBirth: "2000-02-29",
      emergencyContact: { name: "Mum", phone: "555-0100", relationship: "mother" },
    };
    const { tenant, possibleDuplicates } = await office.call("createTenant", {
      body: { fullName: "Tina Tenant", phone: "(217) 555-0100", alternatePhone: "+44 20 7946 0018", ...terms },
    });
    expect(tenant).toMatchObject({
      ...terms,
      fullName: "Tina Tenant",
      phone: "+12175550100",
      alternatePhone: "+442079460018",
      preferredLanguage: "en",
      portalStatus: "none",
      userId: null,
      smsConsent: { granted: false, at: null, source: null },
      balanceCents: 0,
      currentLeaseId: null,
    });
    expect(possibleDuplicates).toEqual([]);
    expect(await office.call("getTenant", { params: { id: tenant.id } })).toEqual({ tenant, notes: [], leases: [] });
    expect(await findOutboxEvents(office, tenant.id)).toMatchObject([{ type: "tenant.created", data: {} }]);
  });

  test.each([
    ["no name", { fullName: "" }, "fullName", "too_short"],
    ["an invalid phone", { phone: "12345678" }, "phone", "format"],
    ["an invalid alternate phone", { alternatePhone: "not a phone" }, "alternatePhone", "format"],
    ["an invalid date of birth", { dateOfBirth: "2001-02-29" }, "dateOfBirth", "format"],
    ["an emergency contact without a phone", { emergencyContact: { name: "Mum" } }, "emergencyContact.phone", "required"],
    ["a language of one letter", { preferredLanguage: "e" }, "preferredLanguage", "too_short"],
    ["an unknown member", { balanceCents: 0 }, "balanceCents", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createTenant", { body: { fullName: "Tina", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("returns possible duplicates by e-mail, phone and name", async () => {
    const newOffice = await anOffice();
    const original = await aTenant(newOffice, { fullName: "Sam Same", email: "Sam@Example.com", phone: "217 555 0199" });
    const reason = async (terms: object) =>
      (await newOffice.call("createTenant", { body: { fullName: "Another", ...terms } })).possibleDuplicates.find(({ id }) => id === original.id)?.reason;
    expect(await reason({ email: "sam@example.COM" })).toBe("email");
    expect(await reason({ phone: "+1 (217) 555-0199" })).toBe("phone");
    expect(await reason({ fullName: "SAM SAME" })).toBe("name");
    expect(await reason({ email: "other@example.com", phone: "2175550198" })).toBeUndefined();
  });

  test("returns at most ten possible duplicates", async () => {
    const newOffice = await anOffice();
    for (let n = 0; n < 11; n++) await aTenant(newOffice, { fullName: "Many" });
    expect((await newOffice.call("createTenant", { body: { fullName: "Many" } })).possibleDuplicates).toHaveLength(10);
  });

  test.each([1, 2, 3])("with rejectDuplicates creates one of many equal tenants, round %i", async (round) => {
    const body = { fullName: `Race ${round}`, email: `race${round}@example.com`, rejectDuplicates: true };
    const responses = await Promise.all(Array.from({ length: 20 }, () => office.attempt("createTenant", { body })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["duplicate"]));
  });

  test("is allowed for admins and managers; staff cannot read the date of birth", async () => {
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await staff.attempt("createTenant", { body: { fullName: "Tina" } })).status).toBe(403);
    const tenant = await aTenant(manager, { dateOfBirth: "1990-01-31" });
    expect(tenant.dateOfBirth).toBe("1990-01-31");
    expect((await staff.call("getTenant", { params: { id: tenant.id } })).tenant.dateOfBirth).toBeNull();
    const listed = await staff.call("listTenants", { query: { search: tenant.fullName } });
    expect(listed.tenants.map(({ dateOfBirth }) => dateOfBirth)).toEqual([null]);
  });
});

describe("getTenant", () => {
  test("returns the current lease for the tenant and co-tenants, not for other occupants, until the lease is terminated", async () => {
    const references = await createLeaseReferences(office);
    const coTenant = await aTenant(office);
    const child = await aTenant(office);
    const lease = await aLease(office, references, {
      occupants: [
        { tenantId: coTenant.id, role: "co_tenant" },
        { tenantId: child.id, role: "occupant" },
      ],
    });
    const current = async (id: string) => (await office.call("getTenant", { params: { id } })).tenant.currentLeaseId;
    expect([await current(references.tenantId), await current(coTenant.id), await current(child.id)]).toEqual([lease.id, lease.id, null]);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect([await current(references.tenantId), await current(coTenant.id)]).toEqual([null, null]);
    expect((await office.call("getTenant", { params: { id: child.id } })).leases.map(({ id }) => id)).toEqual([lease.id]);
  });

  test("returns 404 for a tenant of another organization", async () => {
    const tenant = await aTenant(otherOffice);
    expect((await office.attempt("getTenant", { params: { id: tenant.id } })).status).toBe(404);
  });
});

describe("listTenants", () => {
  test("filters and sorts", async () => {
    const newOffice = await anOffice();
    const references = await createLeaseReferences(newOffice);
    const zoe = await aTenant(newOffice, { fullName: "Zoe", email: "a@example.com", phone: "2175550111" });
    await aTenant(newOffice, { fullName: "Amy", companyName: "Amy Inc", email: "z@example.com" });
    await aLease(newOffice, { ...references, tenantId: zoe.id });
    const names = async (query: Record<string, string>) =>
      (await newOffice.call("listTenants", { query })).tenants.map(({ fullName }) => fullName).filter((name) => !name.startsWith("Tina"));
    expect(await names({})).toEqual(["Amy", "Zoe"]);
    expect(await names({ sortBy: "email" })).toEqual(["Zoe", "Amy"]);
    expect(await names({ search: "inc" })).toEqual(["Amy"]);
    expect(await names({ search: "5550111" })).toEqual(["Zoe"]);
    expect(await names({ propertyId: references.propertyId })).toEqual(["Zoe"]);
    expect(await names({ unitId: references.unitId })).toEqual(["Zoe"]);
    expect(await names({ portalStatus: "invited,active" })).toEqual([]);
  });
});

describe("listTenants by the status of their lease", () => {
  test("has the tenants of the lease until they are released, and no guarantors", async () => {
    const references = await createLeaseReferences(office);
    const [coTenant, guarantor] = [await aTenant(office), await aTenant(office)];
    const occupants = [
      { tenantId: coTenant.id, role: "co_tenant" as const },
      { tenantId: guarantor.id, role: "guarantor" as const },
    ];
    const lease = await aLease(office, references, { createRecurringRent: false, occupants });
    const listIds = async (leaseStatus: string) => {
      const { tenants } = await office.call("listTenants", { query: { leaseStatus, sortBy: "createdAt", sortDirection: "desc", pageSize: "100" } });
      const own = [references.tenantId, coTenant.id, guarantor.id];
      return own.filter((id) => tenants.some((tenant) => tenant.id === id));
    };
    expect(await listIds("active")).toEqual([references.tenantId, coTenant.id]);
    const occupant = lease.occupants.find(({ tenantId }) => tenantId === coTenant.id)!;
    await office.call("releaseOccupant", { params: { id: occupant.id }, body: { releasedOn: inDays(-5) } });
    expect(await listIds("active")).toEqual([references.tenantId]);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect(await listIds("terminated")).toEqual([references.tenantId]);
  });
});

describe("a tenant who lives in a unit", () => {
  test("is listed under it and cannot be deleted until the day of a termination in the future; a guarantor is not listed", async () => {
    const references = await createLeaseReferences(office);
    const guarantor = await aTenant(office);
    const lease = await aLease(office, references, { createRecurringRent: false, occupants: [{ tenantId: guarantor.id, role: "guarantor" }] });
    const listIds = async () => (await office.call("listTenants", { query: { unitId: references.unitId } })).tenants.map(({ id }) => id);
    const terminate = { params: { id: lease.id }, body: { terminationDate: inDays(3), finalRent: "none" as const } };
    expect(await listIds()).toEqual([references.tenantId]);
    await office.call("terminateLease", terminate);
    expect(await listIds()).toEqual([references.tenantId]);
    const { status, body } = await office.attempt("deleteTenant", { params: { id: references.tenantId } });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
  });
});

describe("updateTenant", () => {
  test("updates only the members that are sent, with phone numbers in E.164", async () => {
    const tenant = await aTenant(office, { email: "tina@example.com", mailingAddress: "12 Elm Street" });
    const { tenant: changed } = await office.call("updateTenant", { params: { id: tenant.id }, body: { phone: "(518) 555-0199", email: null } });
    expect(changed).toEqual({ ...tenant, phone: "+15185550199", email: null, updatedAt: changed.updatedAt });
    expect((await findOutboxEvents(office, tenant.id)).map(({ type }) => type)).toEqual(["tenant.created", "tenant.updated"]);
  });

  test("records consent to text messages with its proof, and ends it with another phone number", async () => {
    const tenant = await aTenant(office, { phone: "2175550144" });
    const params = { id: tenant.id };
    const consentAfter = async (body: object) => (await office.call("updateTenant", { params, body })).tenant.smsConsent;
    const granted = { granted: true, at: expect.any(String), source: "signed lease" };
    expect(await consentAfter({ smsConsent: { granted: true, source: "signed lease" } })).toEqual(granted);
    expect(await consentAfter({ fullName: "Another Name", phone: "(217) 555-0144" })).toEqual(granted);
    expect(await consentAfter({ phone: "2175550145" })).toEqual({ granted: false, at: null, source: null });
    expect(await consentAfter({ phone: "2175550146", smsConsent: { granted: true, source: "e-mail" } })).toMatchObject({ granted: true, source: "e-mail" });
    expect(await consentAfter({ smsConsent: { granted: false, source: "phone call" } })).toMatchObject({ granted: false, source: "phone call" });
  });

  test("rejects consent to text messages without a phone number", async () => {
    const tenant = await aTenant(office);
    const consent = { granted: true, source: "signed lease" };
    const attempt = (body: object) => office.attempt("updateTenant", { params: { id: tenant.id }, body });
    expect((await attempt({ smsConsent: consent })).body.errors).toMatchObject([{ path: "smsConsent", code: "not_allowed" }]);
    expect((await attempt({ smsConsent: { ...consent, granted: false } })).status).toBe(200);
    expect((await attempt({ smsConsent: { granted: true } })).body.errors).toMatchObject([{ path: "smsConsent.source", code: "required" }]);
  });

  test("rejects invalid values, an If-Match of another version and another organization", async () => {
    const tenant = await aTenant(office);
    const params = { id: tenant.id };
    expect((await office.attempt("updateTenant", { params, body: { phone: "not a number" } })).body.errors).toMatchObject([{ path: "phone", code: "format" }]);
    expect((await office.attempt("updateTenant", { params, body: { dateOfBirth: "2025-02-29" } })).body.errors).toMatchObject([{ path: "dateOfBirth" }]);
    expect((await office.attempt("updateTenant", { params, body: {}, headers: { "If-Match": '"7"' } })).body.code).toBe("version_conflict");
    expect((await otherOffice.attempt("updateTenant", { params, body: {} })).status).toBe(404);
  });
});

describe("deleteTenant", () => {
  test("is rejected while the tenant is on a lease, and then succeeds once", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aDraftLease(office, references);
    const params = { id: references.tenantId };
    expect((await office.attempt("deleteTenant", { params })).body.code).toBe("resource_in_use");
    await office.call("cancelLease", { params: { id: lease.id } });
    const { tenant } = await office.call("deleteTenant", { params });
    expect(tenant.deletedAt).not.toBeNull();
    expect((await office.attempt("deleteTenant", { params })).status).toBe(404);
    expect((await office.attempt("getTenant", { params })).status).toBe(404);
    expect((await findOutboxEvents(office, references.tenantId)).map(({ type }) => type)).toEqual(["tenant.created", "tenant.deleted"]);
  });

  test("is rejected while the tenant has an unallocated payment", async () => {
    const tenant = await aTenant(office);
    await office.call("recordPayment", {
      body: { tenantId: tenant.id, amountCents: 100, paymentMethod: "check", receivedAt: new Date().toISOString(), idempotencyKey: tenant.id },
    });
    const { status, body } = await office.attempt("deleteTenant", { params: { id: tenant.id } });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
  });

  test("succeeds exactly when a concurrent creation of a lease for the tenant fails", async () => {
    const references = await createLeaseReferences(office);
    const [deletion, leaseCreation] = await Promise.all([
      office.attempt("deleteTenant", { params: { id: references.tenantId } }),
      office.attempt("createLease", { body: oneYearTerms(references) }),
    ]);
    expect([deletion.status, leaseCreation.status]).toEqual(deletion.status === 200 ? [200, 400] : [409, 200]);
  });
});
