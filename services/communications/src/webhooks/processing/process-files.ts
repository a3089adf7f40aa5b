/** The job that stores the files of received messages, apart from other events: a slow provider of pictures delays no STOP. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { MediaFetcher } from "../../conversations/files/fetch-media.ts";
import { receiveFiles, type FileDependencies } from "../../conversations/files/receive-files.ts";
import { attemptEvent, nextRunAt, type AttemptDependencies } from "./attempt-event.ts";
import type { WebhookContent } from "../content/webhook-content.ts";
import { completeEvent, findDueEvents, type DueEvent } from "../webhook-event.queries.ts";
import { webhookRetryDelaySeconds } from "../webhook.rules.ts";

/** Name of the job that stores the files of the received messages of an organization. */
export const PROCESS_FILES = "process_webhook_files";

/** Dependencies of the storage of files of events. */
export interface FileProcessingDependencies extends AttemptDependencies, FileDependencies {}

/** Stores the files of the due events whose message exists, and returns the time of the next run. A run ends with the first failure, since each may be slow. */
export async function processFiles(db: OrgDb, dependencies: FileProcessingDependencies): Promise<Date> {
  let [event] = await findDueEvents(db, "files", 1);
  while (event && (await processFilesOf(db, dependencies, event))) [event] = await findDueEvents(db, "files", 1);
  return nextRunAt(db, "files");
}

/** Attaches the files of an event to its message and completes it, or schedules the next attempt. Returns true unless the attempt failed. */
export const processFilesOf = (db: OrgDb, dependencies: FileProcessingDependencies, event: DueEvent): Promise<boolean> =>
  attemptEvent(db, dependencies, event, (content) => attachFiles(db, dependencies, event, content));

/** The last attempt attaches the files that are available, and fails nevertheless: it can be replayed to fetch the others. */
async function attachFiles(db: OrgDb, dependencies: FileProcessingDependencies, event: DueEvent, content: WebhookContent): Promise<void> {
  const files = content.kind === "message" ? content.files : [];
  const isLastAttempt = webhookRetryDelaySeconds(event.attempts + 1) === undefined;
  let hasFailed = false;
  const fetchOrDrop: MediaFetcher = (url) =>
    dependencies.fetchMedia(url).catch((error: unknown) => {
      dependencies.log.error({ err: error, webhookEventId: event.id, organizationId: db.organizationId }, "a picture could not be fetched, and is dropped");
      hasFailed = true;
      return { dropped: "not_available" };
    });
  await receiveFiles(db, { ...dependencies, ...(isLastAttempt && { fetchMedia: fetchOrDrop }) }, event.id, files, (tx) =>
    completeEvent(tx, event, hasFailed ? { status: "failed", reason: "internal" } : { status: "processed", reason: null }),
  );
}
