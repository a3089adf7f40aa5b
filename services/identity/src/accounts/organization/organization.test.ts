import { beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { today } from "@freehold/kit/time/clock";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findPublishedEvents } from "../../../test/database.ts";

let office: Office;
let manager: Colleague;
let staff: Colleague;
beforeAll(async () => {
  office = await anOffice();
  [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
});
const change = (body: object) => office.attempt("updateOrganization", { body });

describe("getOrganization", () => {
  test("returns the caller's organization to every office role", async () => {
    for (const caller of [office, manager, staff]) expect((await caller.call("getOrganization")).organization.id).toBe(office.organizationId);
  });
});

describe("updateOrganization", () => {
  test("updates the given fields and keeps the others", async () => {
    const { body } = await change({ name: "Elm & Oak", state: "ny", postalCode: "10001-1234", phone: "(212) 555-0123", email: "office@example.com" });
    expect(body.organization).toMatchObject({ name: "Elm & Oak", state: "NY", postalCode: "10001-1234", phone: "+12125550123", timezone: "America/New_York" });
    const cleared = await change({ phone: null, email: null });
    expect(cleared.body.organization).toMatchObject({ name: "Elm & Oak", phone: null, email: null, state: "NY" });
  });

  test("updates one policy and keeps the others", async () => {
    const before = await change({ policies: { nsfFeeCents: 2500, lateFeeMaxBps: 500, postDaysInAdvance: 4 } });
    const { body } = await change({ policies: { postDaysInAdvance: 5 } });
    expect(body.organization.policies).toEqual({ ...before.body.organization.policies, postDaysInAdvance: 5 });
    expect(body.organization.policies).toMatchObject({ nsfFeeCents: 2500, lateFeeMaxBps: 500, trustOverdraft: "block" });
  });

  test("publishes the names of the changed fields, and nothing without a change", async () => {
    const other = await anOffice();
    const { organization } = await other.call("getOrganization");
    const { headers: before } = await other.attempt("getOrganization");
    await other.call("updateOrganization", { body: { name: organization.name, timezone: organization.timezone, policies: { postDaysInAdvance: 0 } } });
    const { headers: after } = await other.attempt("getOrganization");
    expect(after.get("etag")).toBe(before.get("etag"));
    await other.call("updateOrganization", { body: { name: organization.name, timezone: "America/Denver", policies: { postDaysInAdvance: 3 } } });
    const updates = (await findPublishedEvents(other.organizationId)).filter(({ type }) => type === "organization.updated");
    expect(updates).toMatchObject([{ data: { changed: ["timezone", "policies"] }, actorUserId: other.userId }]);
  });

  test("is in force in the ledger at once", async () => {
    const other = await anOffice();
    await aCharge(other, (await aTenancy(other)).leaseId, 100_000);
    const day = today("America/New_York");
    for (const defaultBasis of ["cash", "accrual", "cash"] as const) {
      await other.call("updateOrganization", { body: { defaultBasis } });
      const { rollups } = await other.call("listCategoryRollups", { query: { startDate: "2020-01-01", endDate: day } });
      expect(rollups.length > 0).toBe(defaultBasis === "accrual");
    }
  });

  test("moves the day of all services to another time zone, also with a token from before", async () => {
    const other = await anOffice();
    // One of them always has another day than New York.
    for (const timezone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      await other.call("updateOrganization", { body: { timezone } });
      await eventually(`the day of ${timezone}`, async () => (await other.call("getDashboard")).dashboard.asOf === today(timezone));
    }
  });

  test("refuses a version that is not the current one", async () => {
    const { headers } = await office.attempt("getOrganization");
    const etag = headers.get("etag")!;
    expect((await office.attempt("updateOrganization", { body: { city: "Albany" }, headers: { "If-Match": etag } })).status).toBe(200);
    const outdated = await office.attempt("updateOrganization", { body: { city: "Troy" }, headers: { "If-Match": etag } });
    expect(outdated.status).toBe(412);
    expect(outdated.body.code).toBe("version_conflict");
  });

  test.each([
    [{ timezone: "Mars/Olympus" }, "timezone", "format"],
    [{ locale: "not a locale" }, "locale", "format"],
    [{ phone: "555-0123" }, "phone", "format"],
    [{ state: "N" }, "state", "format"],
    [{ postalCode: "1000" }, "postalCode", "format"],
    [{ name: "" }, "name", "too_short"],
    [{ name: "x".repeat(161) }, "name", "too_long"],
    [{ name: null }, "name", "type"],
    [{ fiscalYearStartMonth: 0 }, "fiscalYearStartMonth", "min"],
    [{ fiscalYearStartMonth: 13 }, "fiscalYearStartMonth", "max"],
    [{ defaultBasis: "other" }, "defaultBasis", "enum"],
    [{ policies: { nsfFeeCents: -1 } }, "policies.nsfFeeCents", "min"],
    [{ policies: { lateFeeMaxBps: 10_001 } }, "policies.lateFeeMaxBps", "max"],
    [{ policies: { postDaysInAdvance: 32 } }, "policies.postDaysInAdvance", "max"],
    [{ policies: { allocationOrder: ["rent", "rent"] } }, "policies.allocationOrder", "unique"],
    [{ policies: { generosity: true } }, "policies.generosity", "unrecognized_key"],
    [{ slug: "mine" }, "slug", "unrecognized_key"],
    [{ currency: "EUR" }, "currency", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const response = await change(body);
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ path, code }]);
  });

  test.each([{ fiscalYearStartMonth: 12 }, { policies: { lateFeeMaxBps: 10_000, postDaysInAdvance: 31 } }, { locale: "fr-CA" }])("accepts %j", async (body) => {
    expect((await change(body)).status).toBe(200);
  });

  const policyValues: [name: string, valid: unknown[], invalid: [value: unknown, code: string][]][] = [
    ["prorationMethod", ["actual_days", "thirty_day", "annual_365"], [["weekly", "enum"]]],
    ["allocationOrder", [["late_fee", "rent"], []], [[["rent", "gift"], "enum"]]],
    ["autoAllocatePayments", [true, false], [["yes", "type"]]],
    ["acceptPartialPayments", [true, false], [[1, "type"]]],
    [
      "lateFeeMaxBps",
      [0, 10_000, null],
      [
        [-1, "min"],
        [10_001, "max"],
        [0.5, "type"],
      ],
    ],
    [
      "lateFeeMaxCents",
      [0, 9_007_199_254_740_991, null],
      [
        [-1, "min"],
        [1.5, "type"],
      ],
    ],
    [
      "nsfFeeCents",
      [0, 2_500],
      [
        [-1, "min"],
        [null, "type"],
      ],
    ],
    ["autoChargeNsfFee", [true, false], [[null, "type"]]],
    [
      "portalLockAfterReturns",
      [1, 100, null],
      [
        [0, "min"],
        [101, "max"],
      ],
    ],
    ["trustOverdraft", ["off", "warn", "block"], [["on", "enum"]]],
    ["vendorInsurance", ["off", "warn", "block"], [["on", "enum"]]],
    [
      "postDaysInAdvance",
      [0, 31],
      [
        [-1, "min"],
        [32, "max"],
      ],
    ],
    [
      "taxReportingThresholdCents",
      [0, 60_000],
      [
        [-1, "min"],
        [null, "type"],
      ],
    ],
    [
      "defaultDepositDeadlineDays",
      [1, 365],
      [
        [0, "min"],
        [366, "max"],
      ],
    ],
    [
      "depositDeadlineDaysByState",
      [{ WA: 30, FL: 1 }, { NM: 365 }, {}],
      [
        [{ WA: 0 }, "min"],
        [{ WA: 366 }, "max"],
        [null, "type"],
      ],
    ],
  ];
  test.each(policyValues)("accepts valid values of the policy %s and refuses invalid ones", async (name, valid, invalid) => {
    for (const value of valid) expect((await change({ policies: { [name]: value } })).body.organization.policies).toMatchObject({ [name]: value });
    for (const [value, code] of invalid) {
      const { status, body } = await change({ policies: { [name]: value } });
      expect([value, status, body.errors]).toMatchObject([value, 400, [{ path: expect.stringMatching(`^policies.${name}`), code }]]);
    }
  });
  test("has test values for every policy", async () => {
    const { organization } = await office.call("getOrganization");
    expect(policyValues.map(([name]) => name)).toEqual(Object.keys(organization.policies));
  });
  test("accepts an image among the documents as the logo, and null, but neither another file nor an unknown or foreign document", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
    const upload = (caller: Office, entityId: string, file: File) => caller.call("uploadDocument", { body: { file, entityType: "owner", entityId } });
    const png = new File(
      [Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")],
      "logo.png",
    );
    const { document: logo } = await upload(office, owner.id, png);
    expect((await change({ logoDocumentId: logo.id })).body.organization.logoDocumentId).toBe(logo.id);
    const { document: text } = await upload(office, owner.id, new File(["A letter.\n"], "letter.txt"));
    const other = await anOffice();
    const { owner: foreignOwner } = await other.call("createOwner", { body: { fullName: "Otto Other", email: anEmail() } });
    const { document: foreign } = await upload(other, foreignOwner.id, png);
    for (const [id, code] of [
      [text.id, "mismatch"],
      [foreign.id, "not_found"],
      ["0190c2b4-0000-7000-8000-000000000001", "not_found"],
    ] as const) {
      const { status, body } = await change({ logoDocumentId: id });
      expect([status, body.errors]).toMatchObject([400, [{ path: "logoDocumentId", code }]]);
    }
    expect((await change({ logoDocumentId: null })).body.organization.logoDocumentId).toBeNull();
  });

  test("is limited to admins", async () => {
    for (const caller of [manager, staff]) {
      const { status, body } = await caller.attempt("updateOrganization", { body: { name: "Mine" } });
      expect(status).toBe(403);
      expect(body.message).toBe("Only admins can change the organization.");
    }
  });

  test("applies concurrent changes of different policies", async () => {
    await Promise.all([change({ policies: { nsfFeeCents: 100 } }), change({ policies: { postDaysInAdvance: 9 } })]);
    expect((await office.call("getOrganization")).organization.policies).toMatchObject({ nsfFeeCents: 100, postDaysInAdvance: 9 });
  });
});
