import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { vendors } from "@freehold/contract/people/vendors";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { requireCategory } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { lockReferences } from "../../db/references.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { hasUnfinishedWorkOrder } from "../../maintenance/work-orders/work-orders.queries.ts";
import { Vendor, VendorInsurance } from "./vendor.entity.ts";
import { vendorView } from "./vendor.view.ts";
import { getVendorRow, listVendorRows } from "./vendors.queries.ts";

type Operations = (typeof vendors)["operations"];

export async function listVendors(db: OrgDb, query: QueryOf<Operations["listVendors"]>): Promise<Output<Operations["listVendors"]>> {
  const { rows, paging } = await listVendorRows(db, query);
  return { vendors: rows.map(vendorView), ...paging };
}

type Terms = BodyOf<Operations["updateVendor"]>;

type Insurance = Pick<VendorInsurance, "kind" | "provider" | "policyNumber" | "expiresOn" | "documentId">;
const insuranceMembers = ({ kind, provider, policyNumber, expiresOn, documentId = null }: Insurance) => ({
  kind,
  provider,
  policyNumber,
  expiresOn,
  documentId,
});

/** Replaces the insurances of a vendor, unless undefined, and records the change. */
async function replaceInsurances(tx: OrgTx, vendorId: string, insurances: Terms["insurances"]): Promise<void> {
  if (!insurances) return;
  const references = insurances.flatMap(({ documentId }, index) => (documentId ? [{ id: documentId, path: `insurances.${index}.documentId` }] : []));
  // A document of a current insurance stays attached, also one that the office does not share with the vendor.
  await inOfficeReach(tx, () => lockReferences(tx, "document", references));
  const currentInsurances = await tx.find(VendorInsurance, { vendorId }, { orderBy: { position: "asc" } });
  tx.changeTracker?.recordChange(vendorId, "insurances", currentInsurances.map(insuranceMembers), insurances.map(insuranceMembers));
  for (const insurance of currentInsurances) tx.remove(insurance);
  await tx.flush();
  for (const [position, insurance] of insurances.entries()) tx.create(VendorInsurance, { ...insurance, vendorId, position });
}

/** Creates a vendor, active by default. Throws 400 when the default account is not in the chart of accounts. */
export async function createVendor(
  db: OrgDb,
  clients: Clients,
  encryptTaxId: TaxIdEncryptor,
  { taxId, taxIdType, insurances, ...terms }: BodyOf<Operations["createVendor"]>,
): Promise<Output<Operations["createVendor"]>> {
  const taxIdColumns = encryptTaxId({ taxId, taxIdType });
  await requireCategory(db, clients, terms);
  return transaction(db, async (tx) => {
    const vendor = tx.create(Vendor, { isActive: true, include1099: false, ...omitUndefined(terms), ...taxIdColumns, portalStatus: "none" });
    await tx.flush();
    await replaceInsurances(tx, vendor.id, insurances);
    await publish(tx, "vendor.created", { entityId: vendor.id, data: {} });
    return { vendor: vendorView(await getVendorRow(tx, vendor.id)) };
  });
}

export async function getVendor(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getVendor"]>> {
  const [vendor, notes] = await Promise.all([getVendorRow(db, id), findEntityNotes(db, clients, "vendor", id)]);
  return { vendor: vendorView(vendor), notes };
}

/** Updates the members that are sent; insurances are replaced as a whole. */
export async function updateVendor(
  db: OrgDb,
  clients: Clients,
  encryptTaxId: TaxIdEncryptor,
  id: string,
  { taxId, taxIdType, insurances, ...changes }: Terms,
): Promise<Output<Operations["updateVendor"]>> {
  const taxIdColumns = encryptTaxId({ taxId, taxIdType });
  await requireCategory(db, clients, changes);
  const row = await transaction(db, async (tx) => {
    const vendor = await tx.getForUpdate(Vendor, id, "Vendor", { deletedAt: null });
    tx.assign(vendor, { ...omitUndefined(changes), ...taxIdColumns, updatedAt: now() });
    await replaceInsurances(tx, id, insurances);
    await publish(tx, "vendor.updated", { entityId: id, data: {} });
    return getVendorRow(tx, id);
  });
  return { vendor: vendorView(row), notes: await findEntityNotes(db, clients, "vendor", id) };
}

/** Soft-deletes a vendor. Throws 409 when the vendor has an open work order. */
export function deleteVendor(db: OrgDb, id: string): Promise<Output<Operations["deleteVendor"]>> {
  return transaction(db, async (tx) => {
    const vendor = await tx.getForUpdate(Vendor, id, "Vendor", { deletedAt: null });
    if (await hasUnfinishedWorkOrder(tx, "vendor", id))
      throw conflict("The vendor still has an open work order. Complete it, cancel it or assign it to somebody else first.", "resource_in_use");
    tx.assign(vendor, { deletedAt: now(), isActive: false });
    await publish(tx, "vendor.deleted", { entityId: id, data: {} });
    return { vendor: vendorView(await getVendorRow(tx, id, { includeDeleted: true })) };
  });
}
