import type { BundleFile } from "@freehold/contract/imports/import-bundles";
import type { FileWarning } from "./file-warnings.rules.ts";
import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const ImportFileSchema = defineEntity({
  name: "ImportFile",
  tableName: "import_file",
  ...inOrganization,
  indexes: [{ name: "import_file_by_bundle", properties: ["organizationId", "bundleId", "position"] }],
  properties: {
    ...orgColumns,
    bundleId: p.uuid(),
    position: p.integer(),
    fileName: p.text(),
    sizeBytes: p.bigint("number"),
    sha256: p.text().name("sha256"),
    encoding: p.text().$type<BundleFile["encoding"]>(),
    delimiter: p.text().$type<BundleFile["delimiter"]>(),
    headerRow: p.integer(),
    header: p.json().$type<string[]>(),
    form: p.text().nullable(),
    mapping: p.json().$type<Record<string, string | null>>(),
    columnConfidence: p.json().$type<Record<string, number>>(),
    mappingConfidence: p.double().$type<number>(),
    mappingProfileId: p.uuid().nullable(),
    rowCount: p.integer(),
    skippedRows: p.integer(),
    warnings: p.json().$type<FileWarning[]>(),
  },
});
/** CSV file of a bundle with its format and column mapping. The content is in the file store under the same id. */
export class ImportFile extends ImportFileSchema.class {}
ImportFileSchema.setClass(ImportFile);
