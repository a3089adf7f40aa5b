/** Profile of the vendor in the vendor portal. */
import { PortalVendor, type vendorPortal } from "@freehold/contract/portals/vendor-portal";
import type { BodyOf } from "@freehold/contract/operation";
import type { Vendor } from "@freehold/contract/people/vendors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReferences } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { findReadableDocumentIds } from "../../documents/documents.queries.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import type { TaxIdEncryptor } from "../../people/tax-ids/tax-id.rules.ts";
import { updateVendor } from "../../people/vendors/vendors.ts";
import { vendorView } from "../../people/vendors/vendor.view.ts";
import { getVendorRow } from "../../people/vendors/vendors.queries.ts";

type Result = { vendor: PortalVendor };

const portalVendorView = (vendor: Vendor): PortalVendor => pickPortalFields(PortalVendor, vendor);

/** Returns the vendor of the caller. */
export const getVendorPortalMe = async (db: OrgDb): Promise<Result> => ({
  vendor: portalVendorView(vendorView(await getVendorRow(db, requireSubjectId(db.principal)), null)),
});

type Changes = BodyOf<(typeof vendorPortal)["operations"]["updateVendorPortalMe"]>;

/** Updates the given fields of the caller's vendor. Throws a 400 when an insurance refers to a document that the vendor cannot access. */
export async function updateVendorPortalMe(db: OrgDb, clients: Clients, encryptTaxId: TaxIdEncryptor, changes: Changes): Promise<Result> {
  const id = requireSubjectId(db.principal);
  await requireAccessibleDocuments(db, id, changes);
  const { vendor } = await updateVendor(db, clients, encryptTaxId, id, changes);
  return { vendor: portalVendorView(vendor) };
}

/** Throws a 400 unless each document that an insurance refers to is shared with the vendor or already attached to a current insurance. */
async function requireAccessibleDocuments(db: OrgDb, id: string, { insurances = [] }: Changes): Promise<void> {
  const references = insurances.flatMap(({ documentId }, index) => (documentId ? [{ documentId, path: `insurances.${index}.documentId` }] : []));
  if (references.length === 0) return;
  const ids = references.map(({ documentId }) => documentId);
  const [{ insurances: currentInsurances }, visibleIds] = await Promise.all([getVendorRow(db, id), findReadableDocumentIds(db, ids)]);
  const allowedIds = new Set([...visibleIds, ...currentInsurances.map(({ documentId }) => documentId)]);
  const inaccessible = references.filter(({ documentId }) => !allowedIds.has(documentId));
  if (inaccessible.length > 0)
    throw unknownReferences(
      inaccessible.map(({ path }) => path),
      "document",
    );
}
