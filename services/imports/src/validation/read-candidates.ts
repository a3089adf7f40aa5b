import type { BundleFile } from "@freehold/contract/imports/import-bundles";
import { analyzeGrownTables } from "@freehold/kit/db/batches/analyze-grown-tables";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import { parsePropertyName } from "../parsing/address.ts";
import { parseDate } from "../parsing/date.ts";
import { cleanCell, isProblem } from "../parsing/parsed.ts";
import { bulkForm } from "../providers/bulk-forms.ts";
import { findForm } from "../providers/forms.ts";
import { type CsvRow, readCsvRows } from "../reading/csv-rows.ts";
import { classifyRow, type RowKind } from "../reading/row-kind.ts";
import { UnreadableFileError } from "../reading/unreadable-file.ts";
import { advanceCursor, type ValidatingBundle } from "./advance-cursor.ts";
import { insertCandidates, type PositionedDraft } from "./candidates.queries.ts";
import type { Draft } from "./draft.ts";
import { draftCandidates, type DraftContext, draftHeading } from "./draft-rows.ts";

const BATCH_ROWS = 400;
const MAX_TITLE_CHARACTERS = 500;

/** Returns the date in the name of an export, such as `rent_roll-20260630.csv`. */
export function dateInFileName(fileName: string): string | undefined {
  const [, year, month, day] = /(20\d{2})[-_.]?([01]\d)[-_.]?([0-3]\d)(?!\d)/.exec(fileName) ?? [];
  return year ? `${year}-${month}-${day}` : undefined;
}

/** Returns the date in a line such as `As of: 06/30/2026` above the column names of a report. */
export function dateInTitle({ cells }: CsvRow): string | undefined {
  const title = cells
    .map((cell) => cleanCell(cell))
    .filter(Boolean)
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .slice(0, MAX_TITLE_CHARACTERS);
  const [, text] = /\bas of(?: date)?:? (.+)$/i.exec(title) ?? [];
  const parsed = text === undefined ? undefined : parseDate(text);
  return parsed === undefined || isProblem(parsed) ? undefined : parsed.value;
}

/** Creates the candidates of a file's rows in batches, starting at the cursor. Returns false when time runs out before the end of the file. */
export async function readCandidates(db: OrgDb, store: FileStore, bundle: ValidatingBundle, file: BundleFile, isTimeUp: () => boolean): Promise<boolean> {
  const { cursor } = bundle;
  if (cursor.step !== "read") throw new Error(`Rows cannot be read in the step ${cursor.step}.`);
  const form = bundle.bulk ? bulkForm(bundle.bulk.entityType) : findForm(bundle.provider, file.form ?? "");
  if (!form) throw new UnreadableFileError("The file's entity type could not be detected. Set entityType or form.");
  const context: DraftContext = { form, header: file.header, mapping: file.mapping, reportDate: dateInFileName(file.fileName) };
  let { position } = cursor;
  let heading: string | null = null;
  let rowCount = 0;
  let batch: PositionedDraft[] = [];
  const commitBatch = async (next: { file: number; row: number; heading: string | null }) => {
    const candidates = batch;
    const progress = { cursor: { step: "read" as const, position, ...next }, phase: "reading", processed: bundle.processed + rowCount };
    await advanceCursor(db, bundle, progress, (tx) => insertCandidates(tx, bundle.id, candidates));
    await analyzeGrownTables(db, candidates.length);
    [batch, rowCount] = [[], 0];
  };
  for await (const row of readCsvRows(await store.read(db.organizationId, file.id), file)) {
    if (row.number < file.headerRow) context.reportDate = dateInTitle(row) ?? context.reportDate;
    if (row.number <= file.headerRow) continue;
    const kind = classifyRow(row, file.header, { allowHeadings: bundle.provider !== "generic" });
    if (kind === "heading") heading = headingOf(row);
    if (row.number <= cursor.row) continue;
    for (const draft of draftRow(row, kind, form.hasSections ? heading : null, context))
      batch.push({ draft, cells: bundle.bulk ? row.cells : undefined, fileId: file.id, rowNumber: row.number, position: ++position });
    if (kind !== "data") continue;
    if (++rowCount < BATCH_ROWS) continue;
    await commitBatch({ file: cursor.file, row: row.number, heading });
    if (isTimeUp()) return false;
  }
  await commitBatch({ file: cursor.file + 1, row: 0, heading: null });
  return true;
}

/** Returns the drafts of a row of data, or of the heading of a section, which names its property. */
function draftRow(row: CsvRow, kind: RowKind, heading: string | null, context: DraftContext): Draft[] {
  if (kind === "data") return draftCandidates(context, row, heading);
  const property = kind === "heading" && heading !== null ? draftHeading(cleanCell(row.cells[0] ?? "")) : undefined;
  return property ? [property] : [];
}

function headingOf({ cells }: CsvRow): string {
  const parsed = parsePropertyName(cleanCell(cells[0] ?? ""));
  return isProblem(parsed) ? "" : parsed.value;
}
