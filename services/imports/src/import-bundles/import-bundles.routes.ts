import { importBundles, type ImportProvider } from "@freehold/contract/import-bundles";
import { sendCsv } from "@freehold/kit/http/csv";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { listImportCandidates } from "../import-candidates/import-candidates.ts";
import { resolveImportCandidate } from "../import-candidates/resolve-candidate.ts";
import { resolveImportCandidates } from "../import-candidates/resolve-candidates.ts";
import { deleteImportFile, updateImportFile } from "../import-files/import-files.ts";
import { uploadImportFiles, type FileParts } from "../import-files/upload-files.ts";
import { cancelImportBundle, createImportBundle, getImportBundle, listImportBundles, validateImportBundle } from "./import-bundles.ts";
import { importFailures, importIdentityMap } from "./import-downloads.ts";
import { startImportBundle } from "./start-bundle.ts";
import { getImportTemplate } from "./import-templates.ts";

export const importBundlesDoor = (ask: Clients, files: FileParts) =>
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
    listImportBundles: ({ db, query }) => listImportBundles(db, query),
    createImportBundle: ({ db, body }) => createImportBundle(db, body),
    getImportBundle: ({ db, params }) => getImportBundle(db, params.id),
    uploadImportFiles: ({ db, params, body }) => uploadImportFiles(db, files, params.id, body.file),
    updateImportFile: ({ db, params, body }) => updateImportFile(db, params.id, params.fileId, body),
    deleteImportFile: ({ db, params }) => deleteImportFile(db, files.store, params.id, params.fileId),
    validateImportBundle: ({ db, params }) => validateImportBundle(db, params.id),
    listImportCandidates: ({ db, params, query }) => listImportCandidates(db, params.id, query),
    resolveImportCandidate: ({ db, params, body }) => resolveImportCandidate(db, ask, params.id, params.candidateId, body),
    resolveImportCandidates: ({ db, params, body }) => resolveImportCandidates(db, params.id, body),
    startImportBundle: ({ db, params }) => startImportBundle(db, params.id),
    getImportFailures: async ({ db, params, res }) => {
      const { columns, rows } = await importFailures(db, params.id);
      await sendCsv(res, "failures.csv", columns, rows);
    },
    getImportIdentityMap: async ({ db, params, res }) => {
      const { columns, rows } = await importIdentityMap(db, params.id);
      await sendCsv(res, "identity-map.csv", columns, rows);
    },
    cancelImportBundle: ({ db, params }) => cancelImportBundle(db, files.store, params.id),
  });
