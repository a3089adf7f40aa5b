import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const [vendor, otherVendor] = await Promise.all([aVendor(office, { notes: "Always late.", paymentTermsDays: 30, trade: "Plumbing" }), aVendor(office)]);
const [user, otherVendorUser] = await Promise.all([office.vendorUser(vendor.id), office.vendorUser(otherVendor.id)]);

const lastEvent = async (id: string) => (await findOutboxEvents(office, id)).at(-1)!;

describe("getVendorPortalMe", () => {
  test("returns the vendor without the office's notes", async () => {
    const me = await user.call("getVendorPortalMe");
    expect(me.vendor).toMatchObject({ id: vendor.id, name: vendor.name, userId: user.userId, portalStatus: "active", paymentTermsDays: 30 });
    for (const member of ["notes", "categoryId", "deletedAt"]) expect(me.vendor).not.toHaveProperty(member);
  });
});

describe("updateVendorPortalMe", () => {
  const update = (body: object, headers: Record<string, string> = {}) => user.attempt("updateVendorPortalMe", { body, headers });
  const insurance = { kind: "liability", provider: "Elm Mutual", policyNumber: "P-1", expiresOn: "2027-01-01" };

  test("updates contact data and certificates only, and publishes the change", async () => {
    const changes = { phone: "2175550199", email: "new@example.com", contactName: "Cora", address: "9 Oak Street", licenseExpiresOn: "2028-02-29" };
    const { body } = await update({ ...changes, insurances: [insurance] });
    expect(body.vendor).toMatchObject({ ...changes, insurances: [{ ...insurance, documentId: null }] });
    const { vendor: vendorAsOffice } = await office.call("getVendor", { params: { id: vendor.id } });
    expect(vendorAsOffice).toMatchObject({ ...changes, name: vendor.name, notes: "Always late.", trade: "Plumbing" });
    expect(await lastEvent(vendor.id)).toMatchObject({ type: "vendor.updated", actorUserId: user.userId });
    expect((await update({ phone: null })).body.vendor).toMatchObject({ phone: null, email: "new@example.com" });
  });

  test.each([
    ["the vendor's name", { name: "Better Pipes" }, "name", "unrecognized_key"],
    ["the office's notes", { notes: "Always on time." }, "notes", "unrecognized_key"],
    ["the payment terms", { paymentTermsDays: 1 }, "paymentTermsDays", "unrecognized_key"],
    ["the tax id", { taxId: "12-3456789" }, "taxId", "unrecognized_key"],
    ["isActive", { isActive: true }, "isActive", "unrecognized_key"],
    ["a phone of six characters", { phone: "123456" }, "phone", "too_short"],
    ["an invalid e-mail address", { email: "nowhere" }, "email", "format"],
    ["an invalid date", { licenseExpiresOn: "2027-02-29" }, "licenseExpiresOn", "format"],
    ["an insurance without a provider", { insurances: [{ ...insurance, provider: "" }] }, "insurances.0.provider", "too_short"],
    ["an unknown document", { insurances: [{ ...insurance, documentId: unknownId() }] }, "insurances.0.documentId", "not_found"],
  ])("rejects %s", async (_, request, path, code) => {
    const { status, body } = await update(request);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts documents that are shared with the vendor or already attached to its insurances, and no others", async () => {
    const upload = async (visibility: "vendor_shared" | "organization_only") => {
      const file = new File(["Insured.\n"], "policy.txt");
      return (await office.call("uploadDocument", { body: { file, entityType: "vendor", entityId: vendor.id, visibility } })).document.id;
    };
    const [shared, alreadyAttached, unshared] = await Promise.all([upload("vendor_shared"), upload("organization_only"), upload("organization_only")]);
    await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances: [{ ...insurance, kind: "auto", documentId: alreadyAttached }] } });
    expect(
      (
        await update({
          insurances: [
            { ...insurance, documentId: shared },
            { ...insurance, documentId: alreadyAttached },
          ],
        })
      ).status,
    ).toBe(200);
    const { body } = await update({
      insurances: [
        { ...insurance, documentId: shared },
        { ...insurance, documentId: unshared },
      ],
    });
    expect(body.errors).toMatchObject([{ path: "insurances.1.documentId", code: "not_found" }]);
    expect((await user.call("listVendorPortalDocuments")).documents.map(({ id }) => id)).toEqual([shared]);
    expect((await otherVendorUser.call("listVendorPortalDocuments")).documents).toEqual([]);
  });

  test("rejects an outdated If-Match", async () => {
    const { headers } = await user.attempt("getVendorPortalMe");
    await update({ contactName: "Carl" });
    expect((await update({ contactName: "Cleo" }, { "If-Match": headers.get("etag")! })).body.code).toBe("version_conflict");
  });
});
