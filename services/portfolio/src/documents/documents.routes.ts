import { documents } from "@freehold/contract/documents/documents";
import type { Database } from "@freehold/kit/db/org-db";
import { sendFile, sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { withSurvivingTenant } from "../portals/surviving-tenant.ts";
import {
  createDocumentLink,
  deleteDocument,
  getDocument,
  getDocumentStorage,
  listDocuments,
  listPropertyDocuments,
  updateDocument,
  uploadDocument,
  type DocumentDependencies,
} from "./documents.ts";
import { downloadDocument, downloadDocumentsArchive, followDocumentLink } from "./download-documents.ts";

export const documentRoutes = (database: Database, clients: Clients, dependencies: DocumentDependencies & { publicUrl: string }) =>
  withSurvivingTenant(
    routes(documents, {
      listDocuments: ({ db, query }) => listDocuments(db, query),
      listPropertyDocuments: ({ db, params, query }) => listPropertyDocuments(db, params.id, query),
      uploadDocument: ({ db, body }) => uploadDocument(db, clients, dependencies, body),
      downloadDocumentsArchive: async ({ db, query, req, res }) => {
        const open = await downloadDocumentsArchive(db, dependencies, query);
        await sendStream(req, res, "documents.zip", "application/zip", open);
      },
      getDocumentStorage: ({ db }) => getDocumentStorage(db, dependencies),
      getDocument: ({ db, params }) => getDocument(db, params.id),
      updateDocument: ({ db, params, body }) => updateDocument(db, params.id, body),
      deleteDocument: ({ db, params }) => deleteDocument(db, dependencies, params.id),
      downloadDocument: async ({ db, params, req, res }) => sendFile(req, res, await downloadDocument(db, dependencies, params.id)),
      createDocumentLink: ({ db, params, body }) => createDocumentLink(db, dependencies, params.id, body.expiresInSeconds),
      followDocumentLink: async ({ params, req, res }) => sendFile(req, res, await followDocumentLink(database, clients, dependencies, params.token)),
    }),
  );
