import { z } from "zod";
import { EntityType } from "./import-candidates.ts";
import { Id, Instant } from "../values.ts";

/** Column mapping of a file. A mapping in a request changes only the columns it names; `null` unmaps a column. */
export const ColumnMapping = z
  .record(z.string().min(1).max(200), z.string().min(1).max(60).nullable())
  .refine((mapping) => Object.keys(mapping).length <= 500, { params: { code: "too_long" }, message: "A mapping can name at most 500 columns." });

const Warning = z
  .strictObject({
    row: z.int().min(1).describe("Row number in the file, counted from 1; for a column, that of the column names."),
    message: z.string().describe("Sentence that explains what was skipped or looks wrong."),
  })
  .meta({ id: "ImportWarning", description: "Part of a file that is not imported, or that looks wrong." });

export const BundleFile = z
  .strictObject({
    id: Id.describe("ID of the file."),
    bundleId: Id.describe("ID of the import bundle."),
    fileName: z
      .string()
      .describe(
        "Name of the uploaded file; for a file from a ZIP archive, its name in the archive; for a sheet of a workbook with several, its name in a folder named like the workbook.",
      ),
    sizeBytes: z.int().min(0).describe("Size of the file in bytes."),
    sha256: z.string().describe("SHA-256 digest of the file in hexadecimal."),
    encoding: z.enum(["utf-8", "utf-16le", "utf-16be", "windows-1252"]).describe("Detected character encoding of the file."),
    delimiter: z.enum([",", ";", "\t", "|"]).describe("Detected delimiter between columns."),
    headerRow: z.int().min(1).describe("Row number of the column names, counted from 1."),
    form: z
      .string()
      .nullable()
      .describe("Export format of the source system that the file is recognized as, such as `rent_roll`. Null when the file is not recognized."),
    entityType: EntityType.nullable().describe("Primary entity type of the rows. Null when the file is not recognized."),
    entityTypes: z
      .array(EntityType)
      .describe("All entity types read from each row. A rent roll contains units, tenants, leases, deposits and balances, for example."),
    rowCount: z.int().min(0).describe("Number of rows with data, without totals, headings and blank rows."),
    skippedRows: z.int().min(0).describe("Number of skipped rows, such as totals and headings."),
    warnings: z
      .array(Warning)
      .describe(
        "Columns that hold data but are not mapped, then the first 50 skipped rows, and after a validation the first 20 rows whose `as_of` is in the future.",
      ),
    header: z.array(z.string()).describe("Column names of the file; repeated names are numbered."),
    mapping: z
      .record(z.string(), z.string().nullable())
      .describe("Field of the generic template for each column name, or null for a column that is not mapped."),
    mappingConfidence: z
      .number()
      .min(0)
      .max(1)
      .describe("Confidence of the whole mapping from 0 to 1, reduced by missing required fields. Columns mapped manually count as 1."),
    columnConfidence: z.record(z.string(), z.number().min(0).max(1)).describe("Confidence from 0 to 1 for each mapped column."),
    unmappedColumns: z
      .array(z.string())
      .describe("Columns that are not mapped to a field. Their values are stored with each row in `data.extra`; `warnings` names those that hold data."),
    missingRequired: z
      .array(z.string())
      .describe("Required fields without a column; `a|b` stands for alternatives of which one suffices. The bundle cannot be validated until this is empty."),
    mappingProfileId: Id.nullable().describe(
      "ID of the mapping profile that was applied to the file, or null. A profile all of whose columns, at least three, the file has is applied at the upload; the one with the most columns if there are several.",
    ),
    createdAt: Instant.describe("Time at which the file was uploaded."),
    updatedAt: Instant.describe("Time at which the file or its mapping was last changed."),
  })
  .meta({ id: "ImportFile", description: "CSV file, or sheet of a workbook as CSV, of an import bundle with its column mapping." });
export type BundleFile = z.output<typeof BundleFile>;
