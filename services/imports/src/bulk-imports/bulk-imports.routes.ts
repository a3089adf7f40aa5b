import { bulkImports, type BulkEntityType } from "@freehold/contract/bulk-imports";
import { sendCsv } from "@freehold/kit/http/csv";
import type { FileStore } from "@freehold/kit/files/file-store";
import { routes } from "@freehold/kit/http/routes";
import { bulkTemplate } from "../providers/bulk-forms.ts";
import { bulkImportErrors, pageOfRows } from "./bulk-import-rows.queries.ts";
import { cancelBulkImport, getBulkImport, listBulkImports, startBulkImport } from "./bulk-imports.ts";
import { createBulkImport } from "./create-bulk-import.ts";

export const bulkImportsDoor = (store: FileStore) =>
  routes(bulkImports, {
    getBulkImportTemplate: async ({ params, res }) => {
      const { columns, example } = bulkTemplate(params.entityType as BulkEntityType);
      await sendCsv(res, `${params.entityType}.csv`, columns, one(example));
    },
    listBulkImports: ({ db, query }) => listBulkImports(db, query),
    createBulkImport: ({ db, body }) => createBulkImport(db, store, body),
    getBulkImport: ({ db, params }) => getBulkImport(db, params.id),
    listBulkImportRows: async ({ db, params, query }) => {
      const { rows, paging } = await pageOfRows(db, params.id, query);
      return { rows, ...paging };
    },
    startBulkImport: ({ db, params }) => startBulkImport(db, params.id),
    cancelBulkImport: ({ db, params }) => cancelBulkImport(db, store, params.id),
    getBulkImportErrors: async ({ db, params, res }) => {
      const { columns, rows } = await bulkImportErrors(db, params.id);
      await sendCsv(res, "errors.csv", columns, rows);
    },
  });

const one = async function* (row: Record<string, string>) {
  yield await Promise.resolve([row]);
};
