/** Events of documents, for the office and the portal users who have access to the document. */
import { noteEntityTypes } from "@freehold/contract/overview/notes";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../publish.ts";
import type { Document } from "./document.entity.ts";
import { noteAudience } from "./notes/notes.queries.ts";
import { tenantVisibilities, vendorVisibilities } from "./sharing.rules.ts";

/** Publishes an event of a document to the office and to the portal users who have access to it or had it before its visibility changed. */
export async function publishDocumentEvent(
  tx: OrgTx,
  type: "document.created" | "document.updated" | "document.deleted",
  document: Document,
  previousVisibility = document.visibility,
): Promise<void> {
  const { id, entityType, entityId, visibility } = document;
  await tx.flush();
  const audience = await inOfficeReach(tx, () => documentAudience(tx, document, [previousVisibility, visibility]));
  await publish(tx, type, { entityId: id, data: { entityType, entityId }, audience });
}

/** Returns the portal users who have access to a document with one of the visibilities. Uploads of a tenant or vendor are hidden from others of the role. */
async function documentAudience(tx: OrgTx, document: Document, visibilities: readonly Document["visibility"][]) {
  const { entityType, entityId, portalUploaderId, portalUploaderRole } = document;
  if (entityType === "conversation") return participantAudience(document, visibilities);
  const ownerIds = visibilities.includes("owner_shared") ? await findOwnersWithAccess(tx, entityType, entityId) : [];
  const target = noteEntityTypes.find((each) => each === entityType);
  if (!target) return { ownerIds };
  const audience = await noteAudience(tx, { entityType: target, entityId }, visibilities);
  if (portalUploaderRole && portalUploaderId && !visibilities.includes("tenant_vendor_shared"))
    audience[`${portalUploaderRole}Ids`] = audience[`${portalUploaderRole}Ids`].filter((id) => id === portalUploaderId);
  return { ...audience, ownerIds };
}

function participantAudience(
  { participantId, participantRole, portalUploaderId, portalUploaderRole }: Document,
  visibilities: readonly Document["visibility"][],
) {
  const [id, role] = [participantId ?? portalUploaderId, participantRole ?? portalUploaderRole];
  const readers = role === "vendor" ? vendorVisibilities : tenantVisibilities;
  return id && role && visibilities.some((visibility) => readers.includes(visibility)) ? { [`${role}Ids`]: [id] } : {};
}

/** Returns the owner itself, or the owners of a property, or of that of a unit or a lease. */
async function findOwnersWithAccess(tx: OrgTx, entityType: Document["entityType"], id: string): Promise<string[]> {
  if (entityType === "owner") return [id];
  if (entityType !== "property" && entityType !== "unit" && entityType !== "lease") return [];
  const isOpen = entityType === "lease" ? sql`status not in ('draft', 'cancelled')` : sql`true`;
  const propertyId = entityType === "property" ? sql`id` : sql`property_id`;
  const rows = await tx.all(sql<{ ownerId: string }>`select owner_id from property_owner where organization_id = ${tx.organizationId}
    and property_id = (select ${propertyId} from ${sql.table(entityType)} where organization_id = ${tx.organizationId} and id = ${id} and deleted_at is null and ${isOpen})`);
  return rows.map(({ ownerId }) => ownerId);
}
