import { candidateStatuses, type BundleFile, type CandidateStatus, type ImportBundleStatus, type ImportCounts } from "@freehold/contract/import-bundles";
import { conflict } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

/** Every way that a bundle can go. Changing its files takes one that is ready back to the beginning. */
export const bundleFlow = stateMachine<ImportBundleStatus>("bundle", {
  draft: ["inspecting", "cancelled"],
  inspecting: ["mapping", "failed", "cancelled"],
  mapping: ["validating", "draft", "failed", "cancelled"],
  validating: ["ready", "failed", "cancelled"],
  ready: ["draft", "inspecting", "validating", "queued", "cancelled"],
  queued: ["processing", "cancelled"],
  processing: ["completed", "completed_with_errors", "failed"],
  completed: [],
  completed_with_errors: [],
  cancelled: [],
  failed: ["draft", "inspecting", "cancelled"],
});

/** Whether writing has begun: from then on there is nothing to cancel. */
export const isWriting = (status: ImportBundleStatus): boolean => ["processing", "completed", "completed_with_errors"].includes(status);

const OPEN = new Set<ImportBundleStatus>(["draft", "mapping", "ready", "failed"]);

/** Files come, go and are mapped while nobody works with them. */
export function refuseUnlessOpen(status: ImportBundleStatus): void {
  if (OPEN.has(status)) return;
  const busy = status === "inspecting" || status === "validating";
  throw conflict(
    busy
      ? "The bundle is being validated. Wait until it is ready, then change its files."
      : `The bundle is ${status}, and its files stay as they are. Create another bundle.`,
    "invalid_transition",
  );
}

/** Candidates are resolved once all of them are known, and before any is written. */
export function refuseUnlessReady(status: ImportBundleStatus): void {
  if (status !== "ready") throw conflict(`The bundle is ${status}. Candidates are resolved while it is ready.`, "bundle_not_ready");
}

/** A bundle is started once, after all its candidates were judged. */
export function refuseUnstartable(status: ImportBundleStatus): void {
  if (status === "ready") return;
  const advice: Partial<Record<ImportBundleStatus, string>> = {
    draft: "Validate it first.",
    inspecting: "Wait until it is ready.",
    mapping: "Wait until it is ready.",
    validating: "Wait until it is ready.",
    queued: "It has been started already.",
    processing: "It has been started already.",
    failed: "Mend its files and validate it again.",
  };
  throw conflict(`The bundle is ${status} and cannot be started. ${advice[status] ?? "Create another bundle."}`, "bundle_not_ready");
}

/** A bundle can be validated when there are files, and each is known for what it is and has what it needs. */
export function refuseUnmapped(files: readonly BundleFile[]): void {
  if (files.length === 0)
    throw conflict("The bundle has no file. Upload at least one.", "bundle_not_ready", [{ path: "files", code: "required", message: "There is no file." }]);
  const errors = files.flatMap((file) =>
    file.form === null
      ? [{ path: `files.${file.id}.form`, code: "required", message: `${file.fileName}: nobody knows what it holds. Say its form or its entityType.` }]
      : file.missingRequired.map((field) => ({
          path: `files.${file.id}.mapping`,
          code: "required",
          message: `${file.fileName}: no column gives ${field.replaceAll("|", " or ")}. Map one, or take the file out.`,
        })),
  );
  if (errors.length > 0)
    throw conflict(errors.length === 1 ? errors[0]!.message : `${errors.length} columns are missing: see errors.`, "bundle_not_ready", errors);
}

/** Counts of nothing. */
export const noCounts = (): ImportCounts => ({
  ...(Object.fromEntries(candidateStatuses.map((status) => [status, 0])) as Record<CandidateStatus, number>),
  byEntity: {},
});

/** The counts of a bundle from how many candidates of each type have each status. */
export function countsOf(rows: readonly { entityType: string; status: CandidateStatus; count: number }[]): ImportCounts {
  const counts = noCounts();
  for (const { entityType, status, count } of rows) {
    counts[status] += count;
    (counts.byEntity[entityType] ??= {})[status] = count;
  }
  return counts;
}
