import type { FieldError } from "@freehold/contract/errors";
import {
  candidateStatuses,
  type BundleFile,
  type CandidateStatus,
  type ImportBundleStatus,
  type ImportCounts,
  type ImportProvider,
} from "@freehold/contract/imports/import-bundles";
import { conflict } from "@freehold/kit/errors";
import type { Form } from "../providers/form.ts";
import { findForm } from "../providers/forms.ts";
import { acceptedNames } from "../providers/known-names.ts";
import { stateMachine } from "@freehold/kit/state-machine";

/** Transitions of a bundle. A change of the files returns a ready bundle to `draft`. */
export const bundleStates = stateMachine<ImportBundleStatus>("bundle", {
  draft: ["inspecting", "cancelled"],
  inspecting: ["mapping", "failed", "cancelled"],
  mapping: ["validating", "draft", "failed", "cancelled"],
  validating: ["ready", "failed", "cancelled"],
  ready: ["draft", "inspecting", "validating", "queued", "cancelled"],
  queued: ["processing", "failed", "cancelled"],
  processing: ["completed", "completed_with_errors", "failed"],
  completed: [],
  completed_with_errors: [],
  cancelled: [],
  failed: ["draft", "inspecting", "cancelled"],
});

/** Tells whether writing has begun; from then on the bundle cannot be cancelled. */
export const hasWritingBegun = (status: ImportBundleStatus): boolean => ["processing", "completed", "completed_with_errors"].includes(status);

const EDITABLE = new Set<ImportBundleStatus>(["draft", "mapping", "ready", "failed"]);

/** Throws 409 unless files can be added, removed and mapped in this status. */
export function requireEditableFiles(status: ImportBundleStatus): void {
  if (EDITABLE.has(status)) return;
  const isValidating = status === "inspecting" || status === "validating";
  throw conflict(
    isValidating
      ? "The bundle is being validated. Wait until it is ready, then change its files."
      : `The bundle is ${status}, so its files cannot be changed. Create another bundle.`,
    "invalid_transition",
  );
}

/** Throws 409 unless the bundle is ready, so that its candidates can be resolved. */
export function requireReady(status: ImportBundleStatus): void {
  if (status !== "ready") throw conflict(`The bundle is ${status}. Candidates can be resolved only while it is ready.`, "bundle_not_ready");
}

/** Throws 409 with the next step unless the bundle can be started. */
export function requireStartable(status: ImportBundleStatus): void {
  if (status === "ready") return;
  const advice: Partial<Record<ImportBundleStatus, string>> = {
    draft: "Validate it first.",
    inspecting: "Wait until it is ready.",
    mapping: "Wait until it is ready.",
    validating: "Wait until it is ready.",
    queued: "It has been started already.",
    processing: "It has been started already.",
    failed: "Correct its files and validate it again.",
  };
  throw conflict(`The bundle is ${status} and cannot be started. ${advice[status] ?? "Create another bundle."}`, "bundle_not_ready");
}

const MAX_NAMED_COLUMNS = 5;

/** Returns the sentences that tell how to supply a required field, or one of several alternatives: the columns to add, or to map to it. */
function missingColumnAdvice(form: Form, fields: readonly string[], unmapped: readonly string[]): string {
  const columns = fields.flatMap((field) => acceptedNames(form, field).slice(0, 1));
  const others = acceptedNames(form, fields[0]!).slice(1);
  const accepted = others.length > 0 ? ` (also accepted: ${others.join(", ")})` : "";
  const named = unmapped.slice(0, MAX_NAMED_COLUMNS).map((name) => `"${name}"`);
  const mapping = named.length > 0 ? `, map one of the columns ${named.join(", ")}${unmapped.length > named.length ? ", …" : ""} to ${fields[0]}` : "";
  return `Required data is missing. Add a column ${columns.join(" or ") || fields[0]}${accepted}${mapping}, or remove the file.`;
}

/** Throws 409 unless the bundle has files, each with a known form and with all its required columns. */
export function requireMappedFiles(provider: ImportProvider, files: readonly BundleFile[]): void {
  if (files.length === 0)
    throw conflict("The bundle has no file. Upload at least one.", "bundle_not_ready", [{ path: "files", code: "required", message: "There is no file." }]);
  const errors = files.flatMap((file): FieldError[] =>
    file.form === null
      ? [
          {
            path: `files.${file.id}.form`,
            code: "required",
            message: `${file.fileName}: The file's entity type could not be detected. Set entityType or form.`,
          },
        ]
      : file.missingRequired.map((field) => ({
          path: `files.${file.id}.mapping`,
          code: "required",
          message: `${file.fileName}: ${missingColumnAdvice(findForm(provider, file.form!)!, field.split("|"), file.unmappedColumns)}`,
        })),
  );
  if (errors.length > 0)
    throw conflict(errors.length === 1 ? errors[0]!.message : `${errors.length} columns are missing: see errors.`, "bundle_not_ready", errors);
}

/** Returns the counts of a bundle without candidates. */
export const emptyCounts = (): ImportCounts => ({
  ...(Object.fromEntries(candidateStatuses.map((status) => [status, 0])) as Record<CandidateStatus, number>),
  byEntity: {},
});

/** Adds up the numbers of candidates by type and status. */
export function toCounts(rows: readonly { entityType: string; status: CandidateStatus; count: number }[]): ImportCounts {
  const counts = emptyCounts();
  for (const { entityType, status, count } of rows) {
    counts[status] += count;
    (counts.byEntity[entityType] ??= {})[status] = count;
  }
  return counts;
}
