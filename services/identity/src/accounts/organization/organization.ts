/** Reads and updates the organization's settings. */
import type { accounts, Organization as OrganizationView } from "@freehold/contract/identity/accounts";
import type { BodyOf } from "@freehold/contract/operation";
import { difference } from "@freehold/kit/db/change-tracking";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { normalizePhone } from "@freehold/domain/phone";
import { isDeepStrictEqual } from "node:util";
import type { Identity } from "../../context.ts";
import { recordAudit } from "../../audit-log/audit.ts";
import { Organization } from "./organization.entity.ts";
import { getOrganizationRow } from "./organization.queries.ts";
import { defaultPolicies, requireValidSettings } from "./organization.rules.ts";
import { organizationView } from "./organization.view.ts";

const publish = eventPublisher("identity");
type Changes = BodyOf<typeof accounts.operations.updateOrganization>;

/** Throws 400 unless the logo is an image among the documents, which portfolio stores. */
async function requireImage({ clients }: Pick<Identity, "clients">, db: OrgDb, logoDocumentId: string): Promise<void> {
  const { documents } = await clients.portfolio.getDocuments(db, { ids: [logoDocumentId] });
  const [logo] = documents;
  if (!logo) throw unknownReference("logoDocumentId", "document");
  if (!logo.contentType.startsWith("image/"))
    throw invalid([{ path: "logoDocumentId", code: "mismatch", message: "logoDocumentId must be an image, such as a PNG file. Upload the logo as one." }]);
}

/** Returns the caller's organization. */
export const getOrganization = async (db: StatementRunner): Promise<OrganizationView> => organizationView(await getOrganizationRow(db));

const ledgerSettings = ["timezone", "defaultBasis", "policies"] as const;

/**
 * Updates the given fields and policies. Publishes `organization.updated` with the names of the changed fields, if any. The ledger has its settings
 * before the caller has the response, unless it is unavailable: then it learns them by the event.
 */
export async function updateOrganization(identity: Pick<Identity, "clients">, db: OrgDb, changes: Changes): Promise<OrganizationView> {
  const organization = await saveOrganization(identity, db, changes);
  if (ledgerSettings.some((name) => changes[name] !== undefined)) await sendLedgerSettings(identity, db).catch(() => undefined);
  return organization;
}

async function sendLedgerSettings({ clients }: Pick<Identity, "clients">, db: OrgDb): Promise<void> {
  const { timezone, defaultBasis, policies, version } = await getOrganizationRow(db);
  await clients.ledger.saveLedgerSettings(db, { timezone, defaultBasis, policies: JSON.stringify({ ...defaultPolicies, ...policies }), version });
}

async function saveOrganization(identity: Pick<Identity, "clients">, db: OrgDb, { policies, phone, ...rest }: Changes): Promise<OrganizationView> {
  requireValidSettings(rest, policies);
  if (rest.logoDocumentId) await requireImage(identity, db, rest.logoDocumentId);
  const changes = { ...omitUndefined(rest), ...(phone !== undefined && { phone: normalizePhone("phone", phone) }) };
  return transaction(db, async (tx) => {
    const organization = await tx.getForUpdate(Organization, db.organizationId, "Organization");
    const before = await getOrganization(tx);
    const next = { ...changes, ...(policies && { policies: { ...defaultPolicies, ...organization.policies, ...omitUndefined(policies) } }) };
    const changedNames = (Object.keys(next) as (keyof typeof next)[]).filter((name) => !isDeepStrictEqual(next[name], organization[name]));
    tx.assign(organization, Object.fromEntries(changedNames.map((name) => [name, next[name]])));
    const after = await getOrganization(tx);
    if (changedNames.length === 0) return after;
    const diff = difference(before, { ...after, updatedAt: before.updatedAt });
    recordAudit(tx, { action: "organization.updated", entityType: "organization", entityId: organization.id, ...diff });
    await publish(tx, "organization.updated", { entityId: organization.id, data: { changed: changedNames, timezone: after.timezone } });
    return after;
  });
}
