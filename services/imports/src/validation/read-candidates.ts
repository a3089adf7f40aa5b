import type { BundleFile } from "@freehold/contract/import-bundles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { FileStore } from "@freehold/kit/files/file-store";
import { bulkForm } from "../providers/bulk-forms.ts";
import { clean } from "../parsing/parsed.ts";
import { findForm } from "../providers/forms.ts";
import { kindOfRow } from "../reading/row-kind.ts";
import { readRows, type Row } from "../reading/csv-rows.ts";
import { Unreadable } from "../reading/unreadable-file.ts";
import { parsePropertyName } from "../parsing/address.ts";
import { isProblem } from "../parsing/parsed.ts";
import { advance, type Validated } from "./advance-cursor.ts";
import { addCandidates, type Placed } from "./candidates.queries.ts";
import { draftRow, type DraftContext } from "./draft-rows.ts";

const ROWS_AT_ONCE = 400;

/** The day in the name of an export, as `rent_roll-20260630.csv` has it, or that of its upload. */
export function reportDayOf({ fileName, createdAt }: Pick<BundleFile, "fileName" | "createdAt">): string {
  const [, year, month, day] = /(20\d{2})[-_.]?([01]\d)[-_.]?([0-3]\d)(?!\d)/.exec(fileName) ?? [];
  return year ? `${year}-${month}-${day}` : createdAt.slice(0, 10);
}

/** Makes candidates of the rows of one file, from where the bundle's cursor stands; answers false when the time was over before the file was. */
export async function readFile(db: OrgDb, store: FileStore, bundle: Validated, file: BundleFile, isOver: () => boolean): Promise<boolean> {
  const { cursor } = bundle;
  if (cursor.step !== "read") throw new Error("Rows are read in their step.");
  const form = bundle.bulk ? bulkForm(bundle.bulk.entityType) : findForm(bundle.provider, file.form ?? "");
  if (!form) throw new Unreadable("nobody knows what it holds.");
  const context: DraftContext = { form, header: file.header, mapping: file.mapping, reportDay: reportDayOf(file) };
  let { position } = cursor;
  let heading: string | null = null;
  let rows = 0;
  let waiting: Placed[] = [];
  const commit = async (next: { file: number; row: number; heading: string | null }) => {
    const added = waiting;
    const step = { cursor: { step: "read" as const, position, ...next }, phase: "reading", processed: bundle.processed + rows };
    await advance(db, bundle, step, (tx) => addCandidates(tx, bundle.id, added));
    [waiting, rows] = [[], 0];
  };
  for await (const row of readRows(await store.read(db.organizationId, file.id), file)) {
    if (row.number <= file.headerRow) continue;
    const kind = kindOfRow(row, file.header, bundle.provider !== "generic");
    if (kind === "heading") heading = headingOf(row);
    if (kind !== "data" || row.number <= cursor.row) continue;
    for (const draft of draftRow(context, row, form.hasSections ? heading : null))
      waiting.push({ draft, cells: bundle.bulk ? row.cells : undefined, fileId: file.id, rowNumber: row.number, position: ++position });
    if (++rows < ROWS_AT_ONCE) continue;
    await commit({ file: cursor.file, row: row.number, heading });
    if (isOver()) return false;
  }
  await commit({ file: cursor.file + 1, row: 0, heading: null });
  return true;
}

function headingOf({ cells }: Row): string {
  const parsed = parsePropertyName(clean(cells[0] ?? ""));
  return isProblem(parsed) ? "" : parsed.value;
}
