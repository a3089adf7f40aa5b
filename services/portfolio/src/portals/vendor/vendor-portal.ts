/** A vendor's own particulars. */
import { PortalVendor, type vendorPortal } from "@freehold/contract/portals/vendor-portal";
import type { BodyOf } from "@freehold/contract/operation";
import type { Vendor } from "@freehold/contract/people/vendors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { findVisibleDocumentIds } from "../visible-documents.queries.ts";
import { pickPortalFields } from "../shown.ts";
import { requireSubjectId } from "../subject.ts";
import type { TaxIdEncryptor } from "../../people/tax-ids/tax-id.rules.ts";
import { updateVendor } from "../../people/vendors/vendors.ts";
import { vendorView } from "../../people/vendors/vendor.view.ts";
import { getVendorRow } from "../../people/vendors/vendors.queries.ts";

type Answer = Promise<{ vendor: PortalVendor }>;

const portalVendorView = (vendor: Vendor): PortalVendor => pickPortalFields(PortalVendor, vendor);

export const getVendorPortalMe = async (db: OrgDb): Answer => ({
  vendor: portalVendorView(vendorView(await getVendorRow(db, requireSubjectId(db.principal)))),
});

type Changes = BodyOf<(typeof vendorPortal)["operations"]["updateVendorPortalMe"]>;

/** Changes what is sent; the office hears of it. */
export async function updateVendorPortalMe(db: OrgDb, clients: Clients, taxIds: TaxIdEncryptor, changes: Changes): Answer {
  const id = requireSubjectId(db.principal);
  await refuseForeignDocuments(db, id, changes);
  const { vendor } = await updateVendor(db, clients, taxIds, id, changes);
  return { vendor: portalVendorView(vendor) };
}

/** An insurance names a document that the vendor sees, or one that the office named there before. */
async function refuseForeignDocuments(db: OrgDb, id: string, { insurances = [] }: Changes): Promise<void> {
  const named = insurances.flatMap(({ documentId }, index) => (documentId ? [{ documentId, path: `insurances.${index}.documentId` }] : []));
  if (named.length === 0) return;
  const ids = named.map(({ documentId }) => documentId);
  const [{ insurances: before }, visible] = await Promise.all([getVendorRow(db, id), findVisibleDocumentIds(db, ids)]);
  const known = new Set([...visible, ...before.map(({ documentId }) => documentId)]);
  const wrong = named.filter(({ documentId }) => !known.has(documentId));
  if (wrong.length > 0) throw invalid(wrong.map(({ path }) => ({ path, code: "not_found", message: `There is no document with this id. Check ${path}.` })));
}
