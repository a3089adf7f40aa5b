/**
 * Messages of the event stream. A message contains the events that one transaction published for an organization and the same
 * subscribers, at most 64, in their order. It is signed by its publisher, over the subject and the payload.
 */
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { headers } from "@nats-io/transport-node";
import { currentEventType, events, isEventType, type Envelope, type EventType } from "@freehold/contract/events";
import type { ProcessKeys } from "../auth/keys.ts";
import { TRACE_HEADER } from "../observability/tracing.ts";
import { readSubject } from "./nats.ts";

export const MAX_MESSAGE_EVENTS = 64;
const SIGNATURE_HEADER = "freehold-signature";

/** The publisher did not sign the message, or its payload is not a list of events. */
export class UnreadableMessageError extends Error {}

const signedText = (subject: string, payload: string): string => `${subject}\n${payload}`;

/** Returns the headers of a message: its signature, and the trace that its events continue. */
export function messageHeaders(keys: ProcessKeys, subject: string, payload: string, traceParent: string | null): MsgHdrs {
  const carrier = headers();
  carrier.set(SIGNATURE_HEADER, keys.sign(signedText(subject, payload)));
  if (traceParent !== null) carrier.set(TRACE_HEADER, traceParent);
  return carrier;
}

/**
 * Returns the events of a message. Throws an `UnreadableMessageError` unless the service named in its subject has signed it, and
 * publishes events of their types about the organization named there. A type that this version does not know may be one of a later version.
 */
export function readMessage(keys: Pick<ProcessKeys, "isSignedBy">, message: Pick<Msg, "subject" | "string"> & { headers?: MsgHdrs | undefined }): Envelope[] {
  const payload = message.string();
  const signature = message.headers?.get(SIGNATURE_HEADER) ?? "";
  const { subject } = message;
  const { publisher, organizationId } = readSubject(subject);
  if (!keys.isSignedBy(publisher, signedText(subject, payload), signature))
    throw new UnreadableMessageError(`The message on ${subject} is not signed by its publisher.`);
  const envelopes = parseEnvelopes(payload, subject);
  const isOwn = (event: Envelope) => event.organizationId === organizationId && (!isEventType(event.type) || isPublishedBy(event.type, publisher));
  if (!envelopes.every(isOwn)) throw new UnreadableMessageError(`The message on ${subject} has events that its publisher does not publish there.`);
  return envelopes;
}

function parseEnvelopes(payload: string, subject: string): Envelope[] {
  try {
    const envelopes: unknown = JSON.parse(payload);
    if (Array.isArray(envelopes)) return (envelopes as Envelope[]).map(withCurrentType);
  } catch {
    // Reported below.
  }
  throw new UnreadableMessageError(`The message on ${subject} is not a list of events.`);
}

function withCurrentType(event: Envelope): Envelope {
  const type = currentEventType(event.type);
  return type === event.type ? event : { ...event, type };
}

function isPublishedBy(type: EventType, publisher: string): boolean {
  const definition: { from: string; alsoFrom?: string } = events[type];
  return definition.from === publisher || definition.alsoFrom === publisher;
}
