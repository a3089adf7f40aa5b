/** Events with their sequences in the event stream: 64 times the sequence of the message, plus the index of the event in the message. */
import type { Envelope } from "@freehold/contract/events";
import type { ProcessKeys } from "@freehold/kit/auth/keys";
import { MAX_MESSAGE_EVENTS, readMessage, UnreadableMessageError } from "@freehold/kit/events/message";
import type { JsMsg } from "@nats-io/jetstream";
import type { Caller } from "../auth/authenticate.ts";
import { dataFor } from "./audience.ts";

export interface StreamedEvent {
  sequence: number;
  event: Envelope;
  /** Returns the server-sent event frame for a reader. That of the office is encoded once. */
  readonly frameFor: (reader: Caller["principal"]) => string;
}

/** Returns the sequence of the message that contains an event. */
export const messageSequenceOf = (sequence: number): number => Math.floor(sequence / MAX_MESSAGE_EVENTS);

/** Returns the highest sequence that an event of a message can have. */
export const lastSequenceOf = (messageSequence: number): number => (messageSequence + 1) * MAX_MESSAGE_EVENTS - 1;

/** Returns the events of a message; none of an unreadable one, which `onUnreadable` reports. */
export function streamedEvents(epoch: string, keys: Pick<ProcessKeys, "isSignedBy">, message: JsMsg, onUnreadable?: (error: unknown) => void): StreamedEvent[] {
  try {
    return readMessage(keys, message).map((event, index) => streamedEvent(epoch, message.seq * MAX_MESSAGE_EVENTS + index, event));
  } catch (error) {
    if (!(error instanceof UnreadableMessageError)) throw error;
    onUnreadable?.(error);
    return [];
  }
}

/** Creates a streamed event. The frame leaves out the audience, the recorded changes, the address of the caller and the mark of history. */
function streamedEvent(epoch: string, sequence: number, envelope: Envelope): StreamedEvent {
  const { changes: _, clientAddress: __, isHistory: ___, ...event } = envelope;
  const encode = (data: Envelope["data"]) =>
    `id: ${epoch}-${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, data, audience: undefined })}\n\n`;
  let frame: string | undefined;
  return {
    sequence,
    event,
    frameFor(reader) {
      const data = dataFor(reader, event.data);
      return data === event.data ? (frame ??= encode(data)) : encode(data);
    },
  };
}
