import { bulkImports, type BulkEntityType } from "@freehold/contract/imports/bulk-imports";
import { sendCsv } from "@freehold/kit/http/csv";
import { routes } from "@freehold/kit/http/routes";
import type { ImportFileStorage } from "../import-files/upload-files.ts";
import { bulkTemplate } from "../providers/bulk-forms.ts";
import { exportBulkImportErrors, listBulkImportRows } from "./bulk-import-rows.queries.ts";
import { cancelBulkImport, startBulkImport } from "./bulk-imports.ts";
import { getBulkImport, listBulkImports } from "./bulk-imports.queries.ts";
import { createBulkImport } from "./create-bulk-import.ts";

export const bulkImportRoutes = (storage: ImportFileStorage) =>
  routes(bulkImports, {
    getBulkImportTemplate: async ({ params, res }) => {
      const { columns, example } = bulkTemplate(params.entityType as BulkEntityType);
      await sendCsv(res, `${params.entityType}.csv`, columns, [[example]]);
    },
    listBulkImports: async ({ db, query }) => {
      const { rows, paging } = await listBulkImports(db, query);
      return { bulkImports: rows, ...paging };
    },
    createBulkImport: ({ db, body }) => createBulkImport(db, storage, body),
    getBulkImport: async ({ db, params }) => ({ bulkImport: await getBulkImport(db, params.id) }),
    listBulkImportRows: async ({ db, params, query }) => {
      const { rows, paging } = await listBulkImportRows(db, params.id, query);
      return { rows, ...paging };
    },
    startBulkImport: ({ db, params }) => startBulkImport(db, params.id),
    cancelBulkImport: ({ db, params }) => cancelBulkImport(db, storage.store, params.id),
    getBulkImportErrors: async ({ db, params, res }) => {
      const { columns, rows } = await exportBulkImportErrors(db, params.id);
      await sendCsv(res, "errors.csv", columns, rows);
    },
  });
