import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { tenants } from "@freehold/contract/people/tenants";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import { transaction, batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { normalizePhone } from "@freehold/domain/phone";
import { publish } from "../../publish.ts";
import { withPostingHold } from "../../rpc/posting-hold.ts";
import { findAmounts } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { requireVersion } from "../../db/require-version.ts";
import { endPortalAccess } from "../invites/portal-access.ts";
import { needsBalances } from "../balances.queries.ts";
import { listWithBalances } from "../list-with-balances.ts";
import { findTenantLeases } from "../../leases/leases.ts";
import { renameOccupants } from "../../leases/occupants/occupants.queries.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { accountDecision, findAccountConsent, requireNotStopped, type AccountConsent } from "./portal-consent.ts";
import { Tenant } from "./tenant.entity.ts";
import { tenantView } from "./tenant.view.ts";
import { findPossibleDuplicates, getTenantRow, isOnLease, listTenantRows, lockPossibleDuplicates } from "./tenants.queries.ts";

type Operations = (typeof tenants)["operations"];

/** Returns a lookup of the tenants' balances, fetched in one call. Balances are null while the ledger is unavailable. */
export const findTenantBalances = (db: OrgDb, clients: Clients, ids: readonly string[]): Promise<(id: string) => Cents | null> =>
  findAmounts(db, clients, ids, async (tenantIds) =>
    (await clients.ledger.getTenantBalances(db, { tenantIds })).tenants.map(({ tenantId, balanceCents }) => [tenantId, balanceCents]),
  );

/** Returns a page of tenants. Balances are null while the ledger is unavailable; a filter or sort by balance throws 503 then. */
export async function listTenants(db: OrgDb, clients: Clients, query: QueryOf<Operations["listTenants"]>): Promise<Output<Operations["listTenants"]>> {
  const { rows, paging, balanceOf } = await listWithBalances(db, clients, {
    needsAll: needsBalances(query),
    fetchAll: () => clients.ledger.listTenantBalances(db, {}),
    findSome: (ids) => findTenantBalances(db, clients, ids),
    list: (balances) => listTenantRows(db, query, balances),
  });
  return { tenants: rows.map((row) => tenantView(row, db.principal, balanceOf(row.id))), ...paging };
}

/** Returns the members that are sent, with phone numbers in E.164. */
const normalizePhones = <T extends { phone?: string | null | undefined; alternatePhone?: string | null | undefined }>(input: T) =>
  omitUndefined({ ...input, phone: normalizePhone("phone", input.phone), alternatePhone: normalizePhone("alternatePhone", input.alternatePhone) });

type NewTenant = BodyOf<Operations["createTenant"]>;

const reasonNames = { email: "e-mail address", phone: "phone number", name: "name" } as const;
const duplicateError = ({ reason, fullName }: Output<Operations["createTenant"]>["possibleDuplicates"][number]) =>
  conflict(`There is already a tenant with this ${reasonNames[reason]}: ${fullName}. Use that tenant, or leave out rejectDuplicates.`, "duplicate");

/** Creates a tenant and returns possible duplicates. With `rejectDuplicates` a possible duplicate throws 409 instead. */
export async function createTenant(db: OrgDb, { rejectDuplicates, ...input }: NewTenant): Promise<Output<Operations["createTenant"]>> {
  const terms = normalizePhones(input);
  return transaction(db, async (tx) => {
    await lockPossibleDuplicates(tx, [terms]);
    const possibleDuplicates = await findPossibleDuplicates(tx, terms);
    const [duplicate] = possibleDuplicates;
    if (rejectDuplicates && duplicate) throw duplicateError(duplicate);
    const [id] = await insertTenants(tx, [terms]);
    return { tenant: tenantView(await getTenantRow(tx, id!), tx.principal, 0 as Cents), possibleDuplicates };
  });
}

type TenantTerms = Omit<NewTenant, "rejectDuplicates">;

/** Creates a tenant, whose possible duplicates the import has found. The tenants of a batch are inserted at once. */
export const importTenant = async (db: OrgDb, input: TenantTerms): Promise<{ recordId: string }> =>
  batchTransaction(db, insertImportedTenants, normalizePhones(input));

const insertImportedTenants: BatchWriter<TenantTerms, { recordId: string }> = async (tx, batch) => {
  await lockPossibleDuplicates(tx, batch);
  return (await insertTenants(tx, batch)).map((recordId) => ({ recordId }));
};

/** Inserts tenants, publishes the events and returns the ids. */
async function insertTenants(tx: OrgTx, batch: readonly TenantTerms[]): Promise<string[]> {
  const created = await tx.insertAll(
    Tenant,
    batch.map((terms) => ({ preferredLanguage: "en", ...omitUndefined(terms), portalStatus: "none" as const })),
  );
  await publish(tx, "tenant.created", ...created.map(({ id }) => ({ entityId: id, data: {} })));
  return created.map(({ id }) => id);
}

/** Returns a tenant with its notes and leases, newest first. */
export async function getTenant(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getTenant"]>> {
  const [tenant, balanceOf, notes, leases] = await Promise.all([
    getTenantRow(db, id),
    findTenantBalances(db, clients, [id]),
    findEntityNotes(db, clients, "tenant", id),
    findTenantLeases(db, clients, id),
  ]);
  return { tenant: tenantView(tenant, db.principal, balanceOf(tenant.id)), notes, leases };
}

/**
 * Updates the given fields of a tenant. Another phone number ends the consent to text messages, but for the tenant's own to that number. Throws 409 for
 * consent to a number that has stopped text messages.
 */
export async function updateTenant(
  db: OrgDb,
  clients: Clients,
  id: string,
  { smsConsent, ...input }: BodyOf<Operations["updateTenant"]>,
): Promise<Output<Operations["updateTenant"]>> {
  const changes = normalizePhones(input);
  const current = changes.phone !== undefined || smsConsent ? await getTenantRow(db, id) : undefined;
  const recordedPhone = changes.phone === undefined ? current?.phone : changes.phone;
  if (smsConsent?.granted && recordedPhone) await requireNotStopped(db, clients, recordedPhone);
  const account = current?.userId && recordedPhone !== current.phone ? await findAccountConsent(db, clients, current.userId) : undefined;
  await transaction(db, async (tx) => {
    const tenant = await tx.getForUpdate(Tenant, id, "Tenant", { deletedAt: null });
    const phone = changes.phone === undefined ? tenant.phone : changes.phone;
    if (changes.fullName !== undefined) await renameOccupants(tx, tenant, changes.fullName);
    tx.assign(tenant, { ...changes, ...consentColumns({ phone, hasChanged: phone !== tenant.phone, account }, smsConsent) });
    await publish(tx, "tenant.updated", { entityId: id, data: {}, audience: { tenantIds: [id] } });
  });
  return getTenant(db, clients, id);
}

/** Returns the changed columns of a tenant's consent to text messages. Throws 400 for consent without a phone number. */
function consentColumns(
  { phone, hasChanged, account }: { phone?: string | null | undefined; hasChanged: boolean; account: AccountConsent | undefined },
  consent: BodyOf<Operations["updateTenant"]>["smsConsent"],
) {
  if (consent?.granted && !phone)
    throw invalid([
      { path: "smsConsent", code: "not_allowed", message: "The tenant has no phone number that could receive text messages. Send phone as well." },
    ]);
  if (consent) return { smsConsentGranted: consent.granted, smsConsentAt: now(), smsConsentSource: consent.source };
  const decision = hasChanged && account ? accountDecision(phone, account) : undefined;
  if (decision) return decision;
  return hasChanged ? { smsConsentGranted: false, smsConsentAt: null, smsConsentSource: null } : {};
}

async function requireNotOnLease(db: StatementRunner, id: string): Promise<void> {
  if (await isOnLease(db, id))
    throw conflict(
      "The tenant is on a lease that is active, pending or a draft, or still lives in a unit. End the lease or release the tenant first.",
      "resource_in_use",
    );
}

/** Soft-deletes a tenant. Throws 409 when the tenant is on a draft, pending or active lease, still lives in a unit, or has a balance or a deposit. */
export async function deleteTenant(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteTenant"]>> {
  await getTenantRow(db, id);
  await requireVersion(db, Tenant, id, "Tenant");
  // Checked before the hold as well, so that a refused deletion does not stop postings.
  await requireNotOnLease(db, id);
  return withPostingHold(db, clients, [id], async (inHeldTransaction) => {
    const { tenants: balances } = await clients.ledger.getTenantBalances(db, { tenantIds: [id] });
    const { balanceCents, depositHeldCents } = balances.find(({ tenantId }) => tenantId === id) ?? { balanceCents: 0, depositHeldCents: 0 };
    return inHeldTransaction(async (tx) => {
      const tenant = await tx.getForUpdate(Tenant, id, "Tenant", { deletedAt: null });
      await requireNotOnLease(tx, id);
      if (balanceCents !== 0) throw conflict("The tenant still has a balance. Collect, refund or void it first.", "resource_in_use");
      if (depositHeldCents > 0) throw conflict("A security deposit of the tenant is held. Refund, apply or transfer it first.", "resource_in_use");
      tx.assign(tenant, { deletedAt: now() });
      await endPortalAccess(tx, tenant);
      await publish(tx, "tenant.deleted", { entityId: id, data: {} });
      return { tenant: tenantView(await getTenantRow(tx, id, { includeDeleted: true }), db.principal, balanceCents as Cents) };
    });
  });
}
