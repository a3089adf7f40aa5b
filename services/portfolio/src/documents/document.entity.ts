import { documentCategories, documentEntityTypes, documentVisibilities } from "@freehold/contract/documents/documents";
import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";
import { now } from "@freehold/kit/time/clock";

const DocumentSchema = defineEntity({
  name: "Document",
  tableName: "document",
  ...inPortalReach,
  indexes: [
    { name: "document_by_entity", properties: ["organizationId", "entityId", "createdAt"] },
    { name: "document_by_creation", properties: ["organizationId", "createdAt"] },
    { name: "document_by_title", properties: ["organizationId", "title"] },
    { name: "document_by_change", properties: ["organizationId", "updatedAt"] },
    {
      name: "document_by_portal_uploader",
      expression: "create index document_by_portal_uploader on document (organization_id, portal_uploader_id) where portal_uploader_id is not null",
    },
    {
      name: "document_by_participant",
      expression: "create index document_by_participant on document (organization_id, participant_id) where participant_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    entityType: enumText(documentEntityTypes),
    entityId: p.uuid(),
    title: p.text(),
    fileName: p.text(),
    contentType: p.text(),
    sizeBytes: p.bigint("number"),
    sha256: p.text().name("sha256"),
    category: enumText(documentCategories),
    visibility: enumText(documentVisibilities),
    uploadedByUserId: p.uuid().nullable(),
    /**
     * Tenant or vendor who uploaded the document in the portal or sent it to a conversation; null for uploads of the office. Other tenants or vendors
     * do not have access unless it is shared with both, and never to one of a conversation.
     */
    portalUploaderId: p.uuid().nullable(),
    /** Role of that tenant or vendor. */
    portalUploaderRole: enumText(["tenant", "vendor"]).nullable(),
    /** Tenant or vendor of the conversation that the office or a received message has added the document to, who reads it while it is shared. */
    participantId: p.uuid().nullable(),
    participantRole: enumText(["tenant", "vendor"]).nullable(),
    /** Time at which the document was last shared with tenants. Ignored while it is not shared with them. */
    sharedWithTenantsAt: p.datetime(3).onCreate(now).defaultRaw("now()"),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Metadata of an uploaded file. The file store keeps the bytes under the document's id. */
export class Document extends DocumentSchema.class {}
DocumentSchema.setClass(Document);
