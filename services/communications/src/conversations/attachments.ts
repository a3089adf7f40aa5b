/** Documents that messages refer to. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import type { PersonReference } from "../recipients/contacts.ts";
import { LINK_DAYS, type LinkedDocument } from "../templates/conversation-message.ts";

/** Document that a message refers to. */
export interface Attachment {
  id: string;
  fileName: string;
}

/**
 * Returns the documents of a message, each once. Throws 400 for a document that the caller does not reach, or that is not shared with the
 * participant.
 */
export async function readAttachments(db: OrgDb, clients: Clients, documentIds: readonly string[], participant: PersonReference): Promise<Attachment[]> {
  const ids = [...new Set(documentIds)];
  if (ids.length === 0) return [];
  const { documents } = await clients.portfolio.getSharedDocuments(db, { ids, readerKind: participant.type, readerId: participant.id });
  const byId = new Map(documents.map((document) => [document.id, document]));
  const errors = documentIds.flatMap((id, index): FieldError[] => {
    const [path, document] = [`documentIds.${index}`, byId.get(id)];
    if (!document) return [{ path, code: "not_found", message: `There is no document with this id. Check ${path}.` }];
    if (document.isShared) return [];
    return [{ path, code: "not_allowed", message: `The document is not shared with the ${participant.type}. Change its visibility first.` }];
  });
  if (errors.length > 0) throw invalid(errors);
  return ids.map((id) => ({ id, fileName: byId.get(id)!.fileName }));
}

/** Returns documents with links that download them without a sign-in for `LINK_DAYS`, while the participant has access to them. */
export async function linkAttachments(
  db: OrgDb,
  clients: Clients,
  attachments: readonly Attachment[],
  participant: PersonReference,
): Promise<LinkedDocument[]> {
  if (attachments.length === 0) return [];
  const ids = attachments.map(({ id }) => id);
  const { links } = await clients.portfolio.createDocumentLinks(db, {
    ids,
    expiresInSeconds: LINK_DAYS * 86_400,
    readerKind: participant.type,
    readerId: participant.id,
  });
  const urls = new Map(links.map(({ documentId, url }) => [documentId, url]));
  return attachments.map(({ id, fileName }) => ({ fileName, url: urls.get(id)! }));
}
