import { importBundles, type ImportProvider } from "@freehold/contract/imports/import-bundles";
import { sendCsv } from "@freehold/kit/http/csv";
import { storageUsage } from "@freehold/kit/files/storage-quota";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { listImportCandidates } from "../import-candidates/import-candidates.ts";
import { resolveImportCandidate } from "../import-candidates/resolve-candidate.ts";
import { resolveImportCandidates } from "../import-candidates/resolve-candidates.ts";
import { deleteImportFile, updateImportFile } from "../import-files/import-files.ts";
import { readImportBytes } from "../import-files/import-usage.queries.ts";
import { type ImportFileStorage, uploadImportFiles } from "../import-files/upload-files.ts";
import { cancelImportBundle, createImportBundle, validateImportBundle } from "./import-bundles.ts";
import { getImportBundle, listImportBundles } from "./import-bundles.queries.ts";
import { exportFailures, exportIdentityMap } from "./import-downloads.ts";
import { startImportBundle } from "./start-bundle.ts";
import { getImportTemplate } from "./import-templates.ts";

export const importBundleRoutes = (clients: Clients, storage: ImportFileStorage) =>
  routes(importBundles, {
    getImportTemplate: async ({ params, req, res }) => {
      const { zip, etag } = await getImportTemplate(params.provider as ImportProvider);
      res.setHeader("ETag", etag);
      res.setHeader("Content-Disposition", `attachment; filename="${params.provider}-import-template.zip"`);
      if (req.headers["if-none-match"] === etag) {
        res.status(304).end();
        return;
      }
      res.setHeader("Content-Type", "application/zip");
      res.setHeader("Content-Length", zip.length);
      res.end(zip);
    },
    listImportBundles: async ({ db, query }) => {
      const { rows, paging } = await listImportBundles(db, query);
      return { importBundles: rows, ...paging };
    },
    createImportBundle: ({ db, body }) => createImportBundle(db, body),
    getImportStorage: async ({ db }) => ({ storage: storageUsage(await storage.findQuota(db), await readImportBytes(db)) }),
    getImportBundle: async ({ db, params }) => ({ importBundle: await getImportBundle(db, params.id) }),
    uploadImportFiles: ({ db, params, body }) => uploadImportFiles(db, storage, params.id, body.file),
    updateImportFile: ({ db, params, body }) => updateImportFile(db, params.id, params.fileId, body),
    deleteImportFile: ({ db, params }) => deleteImportFile(db, storage.store, params.id, params.fileId),
    validateImportBundle: ({ db, params }) => validateImportBundle(db, params.id),
    listImportCandidates: ({ db, params, query }) => listImportCandidates(db, params.id, query),
    resolveImportCandidate: ({ db, params, body }) => resolveImportCandidate(db, clients, params.id, params.candidateId, body),
    resolveImportCandidates: ({ db, params, body }) => resolveImportCandidates(db, params.id, body),
    startImportBundle: ({ db, params }) => startImportBundle(db, params.id),
    getImportFailures: async ({ db, params, res }) => {
      const { columns, rows } = await exportFailures(db, params.id);
      await sendCsv(res, "failures.csv", columns, rows);
    },
    getImportIdentityMap: async ({ db, params, res }) => {
      const { columns, rows } = await exportIdentityMap(db, params.id);
      await sendCsv(res, "identity-map.csv", columns, rows);
    },
    cancelImportBundle: ({ db, params }) => cancelImportBundle(db, storage.store, params.id),
  });
