import type { Envelope } from "@freehold/contract/events";

/** An event with its position in the stream. */
export interface StreamedEvent {
  sequence: number;
  event: Envelope;
  /** Server-sent event frame, encoded once on first use. */
  readonly frame: string;
}

/** Creates a streamed event. The frame leaves out the audience and the recorded changes. */
export function streamedEvent(epoch: string, sequence: number, envelope: Envelope): StreamedEvent {
  const { changes: _, ...event } = envelope;
  let frame: string | undefined;
  return {
    sequence,
    event,
    get frame() {
      return (frame ??= `id: ${epoch}-${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, audience: undefined })}\n\n`);
    },
  };
}
