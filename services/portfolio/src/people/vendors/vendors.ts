import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { vendors } from "@freehold/contract/people/vendors";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { findAmounts, requireCategory } from "../../rpc/lookups.ts";
import { withPostingHold } from "../../rpc/posting-hold.ts";
import type { Clients } from "../../clients.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { lockReferences } from "../../db/references.ts";
import { endPortalAccess } from "../invites/portal-access.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { hasUnfinishedWorkOrder } from "../../maintenance/work-orders/work-orders.queries.ts";
import { listWithBalances } from "../list-with-balances.ts";
import { Vendor, VendorInsurance } from "./vendor.entity.ts";
import { vendorView } from "./vendor.view.ts";
import { getVendorRow, listVendorRows, sortsByOutstanding } from "./vendors.queries.ts";

type Operations = (typeof vendors)["operations"];

/** Returns a lookup of the unpaid expenses of vendors, fetched in one call. Amounts are null while the ledger is unavailable. */
const findOutstanding = (db: OrgDb, clients: Clients, ids: readonly string[]): Promise<(id: string) => Cents | null> =>
  findAmounts(db, clients, ids, async (vendorIds) =>
    (await clients.ledger.getVendorBalances(db, { vendorIds })).vendors.map(({ vendorId, outstandingCents }) => [vendorId, outstandingCents]),
  );

/** Returns a page of vendors. Throws 503 for a list sorted by unpaid expenses while the ledger is unavailable. */
export async function listVendors(db: OrgDb, clients: Clients, query: QueryOf<Operations["listVendors"]>): Promise<Output<Operations["listVendors"]>> {
  const { rows, paging, balanceOf } = await listWithBalances(db, clients, {
    needsAll: sortsByOutstanding(query),
    fetchAll: () => clients.ledger.listVendorBalances(db, {}),
    findSome: (ids) => findOutstanding(db, clients, ids),
    list: (balances) => listVendorRows(db, query, balances),
  });
  return { vendors: rows.map((row) => vendorView(row, balanceOf(row.id))), ...paging };
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
    const vendor = tx.create(Vendor, {
      isActive: true,
      include1099: false,
      isEmailSelfReported: false,
      isPhoneSelfReported: false,
      ...omitUndefined(terms),
      ...taxIdColumns,
      portalStatus: "none",
    });
    await tx.flush();
    await replaceInsurances(tx, vendor.id, insurances);
    await publish(tx, "vendor.created", { entityId: vendor.id, data: {} });
    return { vendor: vendorView(await getVendorRow(tx, vendor.id), 0 as Cents) };
  });
}

/** Returns a vendor with its notes. The unpaid expenses are null while the ledger is unavailable. */
export async function getVendor(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getVendor"]>> {
  const [vendor, outstandingOf, notes] = await Promise.all([
    getVendorRow(db, id),
    findOutstanding(db, clients, [id]),
    findEntityNotes(db, clients, "vendor", id),
  ]);
  return { vendor: vendorView(vendor, outstandingOf(id)), notes };
}

/** Returns the columns that tell which addresses the vendor has entered. An address that the office saves, also an unchanged one, is recorded by the office. */
function selfReportedColumns(vendor: Vendor, { email, phone }: Terms, { role }: Pick<OrgDb["principal"], "role">) {
  const isVendor = role === "vendor";
  return {
    ...(email !== undefined && !(isVendor && email === vendor.email) && { isEmailSelfReported: isVendor }),
    ...(phone !== undefined && !(isVendor && phone === vendor.phone) && { isPhoneSelfReported: isVendor }),
  };
}

/** Updates the given fields of a vendor; insurances are replaced as a whole. */
export async function updateVendor(
  db: OrgDb,
  clients: Clients,
  encryptTaxId: TaxIdEncryptor,
  id: string,
  { taxId, taxIdType, insurances, ...changes }: Terms,
): Promise<Output<Operations["updateVendor"]>> {
  const taxIdColumns = encryptTaxId({ taxId, taxIdType });
  await requireCategory(db, clients, changes);
  await transaction(db, async (tx) => {
    const vendor = await tx.getForUpdate(Vendor, id, "Vendor", { deletedAt: null });
    tx.assign(vendor, { ...selfReportedColumns(vendor, changes, db.principal), ...omitUndefined(changes), ...taxIdColumns, updatedAt: now() });
    await replaceInsurances(tx, id, insurances);
    await publish(tx, "vendor.updated", { entityId: id, data: {}, audience: { vendorIds: [id] } });
  });
  return getVendor(db, clients, id);
}

/** Soft-deletes a vendor. Throws 409 when the vendor has an open work order or an unpaid expense. */
export async function deleteVendor(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteVendor"]>> {
  await getVendorRow(db, id);
  return withPostingHold(db, clients, [id], async (inHeldTransaction) => {
    const { vendors: balances } = await clients.ledger.getVendorBalances(db, { vendorIds: [id] });
    const outstandingCents = (balances[0]?.outstandingCents ?? 0) as Cents;
    return inHeldTransaction(async (tx) => {
      const vendor = await tx.getForUpdate(Vendor, id, "Vendor", { deletedAt: null });
      if (await hasUnfinishedWorkOrder(tx, "vendor", id))
        throw conflict("The vendor still has an open work order. Complete it, cancel it or assign it to somebody else first.", "resource_in_use");
      if (outstandingCents !== 0) throw conflict("The vendor still has an unpaid expense. Pay or void it first.", "resource_in_use");
      tx.assign(vendor, { deletedAt: now(), isActive: false });
      await endPortalAccess(tx, vendor);
      await publish(tx, "vendor.deleted", { entityId: id, data: {} });
      return { vendor: vendorView(await getVendorRow(tx, id, { includeDeleted: true }), outstandingCents) };
    });
  });
}
