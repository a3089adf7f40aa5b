/** Receipt of webhooks: the sender is verified, then the event is stored once. It is processed afterwards by jobs. */
import { newId } from "@freehold/kit/db/entity";
import { unscopedDb, type Database } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { ApiError, notConfigured } from "@freehold/kit/errors";
import type { ReadBytes } from "@freehold/kit/http/webhook-body";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Logger } from "@freehold/kit/observability/log";
import { now } from "@freehold/kit/time/clock";
import type { Request } from "express";
import { findOrganizations } from "./message-routes.queries.ts";
import type { Receivers, ReceiverName } from "./receivers.ts";
import { insertReceipt, slotOf } from "./webhook-receipt.queries.ts";
import { formOf } from "./verification/sms-signature.rules.ts";
import type { WebhookRequest } from "./verification/webhook-request.ts";

/** Name of the job that assigns received events to organizations. */
export const ROUTE_WEBHOOKS = "route_webhooks";

/** Dependencies of the receivers. */
export interface ReceiverDependencies {
  database: Database;
  receivers: Receivers;
  /** Days for which the content of events is kept. */
  keptDays: number;
  log: Logger;
}

export interface Acknowledgement {
  received: true;
  duplicate?: true;
}

/**
 * Verifies and stores an event. Throws 503 without the receiver's secret, whatever the body is, 400 for a body that is too large, 401 for a wrong
 * signature, and 400 for an event without an id.
 */
export async function receiveWebhook(
  { database, receivers, keptDays, log }: ReceiverDependencies,
  name: ReceiverName,
  req: Request,
  readBody: ReadBytes,
): Promise<Acknowledgement> {
  const { setting, verify, eventId, signature } = receivers[name];
  if (!verify) throw notConfigured(`The receiver is not configured. Ask the operator to set ${setting}.`);
  const body = await readBody();
  const receivedAt = now();
  const request: WebhookRequest = { target: req.originalUrl, headers: req.headers, body, receivedAtMs: receivedAt.getTime() };
  if (!(await verify(request))) {
    log.warn({ receiver: name }, "a webhook with a wrong signature was refused");
    throw new ApiError(401, "The signature is missing or wrong.", { code: "signature_invalid" });
  }
  const providerEventId = eventId(request);
  if (providerEventId === undefined) throw new ApiError(400, "The event has no usable id.", { code: "validation_failed" });
  const receipt = { id: newId(), receiver: name, providerEventId, signature: signature?.(request) ?? null, receivedAt, slot: slotOf(receivedAt, keptDays) };
  const isNew = await transaction(unscopedDb(database), async (tx) => {
    const isInserted = await insertReceipt(tx, { ...receipt, contentType: req.headers["content-type"] ?? null, body });
    if (isInserted) await scheduleNow(tx, ROUTE_WEBHOOKS);
    return isInserted;
  });
  return isNew ? { received: true } : { received: true, duplicate: true };
}

/** Tells whether the message of a status report was sent by an organization. */
export async function isOfSentMessage(database: Database, body: Buffer): Promise<boolean> {
  const form = formOf({ body });
  const sid = form.get("MessageSid") ?? form.get("SmsSid") ?? "";
  return (await findOrganizations(unscopedDb(database), [`sid:${sid}`])).length > 0;
}
