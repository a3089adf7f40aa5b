/** Random history of consent, with each attempt to send a message judged by the model. */
import type { Database } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { deliver, deliverQueued } from "../../src/messages/deliver-messages.ts";
import { claimDueMessages } from "../../src/messages/message.queries.ts";
import { consentEvents } from "./consent-events.ts";
import { createConsentWorld, type ConsentWorld } from "./consent-world.ts";

type AttemptedRow = { channel: string; template: string; recipientType: string; recipientId: string };

/** Result of a history: attempts by channel and template, and those that no consent permits. */
export interface HistoryResult {
  attempts: Map<string, number>;
  violations: string[];
}

const DELIVERY_WEIGHT = 6;
const DELIVERY_BATCH = 20;

/** Plays a history of the given length. Without the check, messages are delivered past it, as a control. */
export async function playConsentHistory(
  database: Database,
  { seed, length, isChecked }: { seed: number; length: number; isChecked: boolean },
): Promise<HistoryResult> {
  const world = await createConsentWorld(database, seed);
  const events = [...consentEvents, [DELIVERY_WEIGHT, (each: ConsentWorld) => deliverDue(each, isChecked)] as const];
  const total = events.reduce((sum, [weight]) => sum + weight, 0);
  const result: HistoryResult = { attempts: new Map(), violations: [] };
  for (let count = 0; count < length; count += 1) {
    let position = world.random.next() * total;
    const [, play] = events.find(([weight]) => (position -= weight) < 0)!;
    await play(world);
    await judge(world, result);
  }
  return result;
}

async function deliverDue({ db, clients, transports }: ConsentWorld, isChecked: boolean): Promise<void> {
  await db.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'queued'`);
  if (isChecked) await deliverQueued(db, transports, clients);
  else await Promise.all((await claimDueMessages(db, ["email", "sms"], DELIVERY_BATCH)).map((message) => deliver(db, transports, message)));
}

/** Judges the attempts of the last event by the consent at that time. */
async function judge({ db, model, attempted }: ConsentWorld, { attempts, violations }: HistoryResult): Promise<void> {
  for (const { id, to } of attempted.splice(0)) {
    const row = (await db.first(sql<AttemptedRow>`select channel, template, recipient_type, recipient_id from message
      where organization_id = ${db.organizationId} and id = ${id}`))!;
    const kind = `${row.channel} ${row.template}`;
    attempts.set(kind, (attempts.get(kind) ?? 0) + 1);
    const tenantId = row.recipientType === "user" ? model.tenantOf(row.recipientId)?.id : row.recipientId;
    const isPermitted = row.channel === "sms" ? model.permitsSms(tenantId!, to) : row.template === "conversation-message" || model.permitsEmail(tenantId!);
    if (!isPermitted) violations.push(`${kind} to ${to}`);
  }
}
