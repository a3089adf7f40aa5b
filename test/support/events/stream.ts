/** Clients of the event stream for tests. */
import type { Envelope } from "@freehold/contract/events";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTUALLY_TIMEOUT_MS } from "../eventually.ts";

export type StreamedEvent = Omit<Envelope, "audience">;

export interface Frame {
  id: string;
  event: string;
  /** Published event, or the members of a `stream.…` frame of the stream itself. */
  data: StreamedEvent & Record<string, unknown>;
}

export interface StreamOptions {
  types?: string[];
  /** Id to resume after, sent in the `Last-Event-ID` header. */
  lastEventId?: string | undefined;
  /** Id to resume after, sent in the query parameter `lastEventId`, as by a page whose new `EventSource` cannot set the header. */
  lastEventIdInQuery?: string | undefined;
}

/**
 * Client of one connection to the event stream. A frame that cannot be parsed ends the connection; `close` then throws the parse
 * error, and so does `waitForFrame` when no received frame matches.
 */
export class EventReader {
  readonly frames: Frame[] = [];
  heartbeatCount = 0;
  /** Error of a frame that could not be parsed. */
  failure: Error | undefined;
  /** Resolves when either side has ended the stream. */
  readonly ended: Promise<void>;
  readonly #abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response.body!);
  }

  /** Opens a stream. Throws an error with status and body when the response is not 200. */
  static async open(baseUrl: string, token: string, { types, lastEventId, lastEventIdInQuery }: StreamOptions = {}): Promise<EventReader> {
    const query = new URLSearchParams({
      token,
      ...(types && { types: types.join(",") }),
      ...(lastEventIdInQuery !== undefined && { lastEventId: lastEventIdInQuery }),
    });
    const abort = new AbortController();
    const response = await fetch(`${baseUrl}/api/events/stream?${query.toString()}`, {
      headers: { Accept: "text/event-stream", ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) },
      signal: abort.signal,
    });
    if (response.status !== 200) throw new Error(`The stream returned ${response.status}: ${await response.text()}`);
    return new EventReader(response, abort);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let incompleteBlock = "";
    try {
      for await (const chunk of body) {
        const blocks = (incompleteBlock + decoder.decode(chunk, { stream: true })).split("\n\n");
        incompleteBlock = blocks.pop()!;
        for (const block of blocks) this.#parseBlock(block);
        if (this.failure) break;
      }
    } catch {
      // Either side has ended the connection.
    }
  }

  #parseBlock(block: string): void {
    if (block.startsWith(":")) {
      this.heartbeatCount++;
      return;
    }
    const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    try {
      this.frames.push({ id: fields["id"] ?? "", event: fields["event"]!, data: JSON.parse(fields["data"]!) as Frame["data"] });
    } catch (error) {
      this.failure ??= new Error(`The stream sent a frame that cannot be parsed: ${JSON.stringify(block)}`, { cause: error });
    }
  }

  /** Events received so far, without `stream.…` frames. */
  get events(): Frame[] {
    return this.frames.filter(({ event }) => !event.startsWith("stream."));
  }

  /** Id of the last frame that has an id, to resume after. */
  get lastId(): string | undefined {
    return this.frames.findLast(({ id }) => id !== "")?.id;
  }

  /** Waits for the first frame that matches, received before or after the call. Throws after the timeout. */
  async waitForFrame(description: string, matches: (frame: Frame) => boolean, timeoutMs = EVENTUALLY_TIMEOUT_MS): Promise<Frame> {
    for (const deadline = Date.now() + timeoutMs; ;) {
      const frame = this.frames.find(matches);
      if (frame) return frame;
      if (this.failure) throw this.failure;
      if (Date.now() > deadline)
        throw new Error(`No ${description} within ${timeoutMs / 1000} s; received: ${this.frames.map(({ event }) => event).join(", ")}.`);
      await sleep(20);
    }
  }

  /** Closes the connection. Throws the error of a frame that could not be parsed. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
    if (this.failure) throw this.failure;
  }
}

/**
 * Client that reconnects with its last id whenever the connection ends, until it is closed. A frame that cannot be parsed ends
 * the client; `events` and `close` throw the error.
 */
export class ReconnectingReader {
  /** Number of `stream.reset` frames of the ended connections. */
  resetCount = 0;
  /** Number of connections opened so far. */
  connectionCount = 0;
  /** Events of the ended connections. */
  readonly #pastEvents: Frame[] = [];
  #lastId: string | undefined;
  /** Open connection; undefined while reconnecting. */
  #current: EventReader | undefined;
  #hasReceivedFrame = false;
  #failure: Error | undefined;
  #isClosed = false;
  readonly #following: Promise<void>;

  constructor(baseUrl: string, token: () => string | Promise<string>, options: StreamOptions = {}) {
    this.#following = this.#follow(baseUrl, token, options);
  }

  async #follow(baseUrl: string, token: () => string | Promise<string>, options: StreamOptions): Promise<void> {
    while (!this.#isClosed && !this.#failure) {
      const reader = await EventReader.open(baseUrl, await token(), { ...options, lastEventId: this.#lastId ?? options.lastEventId }).catch(() => undefined);
      if (!reader) {
        await sleep(200);
        continue;
      }
      this.connectionCount++;
      this.#current = reader;
      if (this.#isClosed) await reader.close().catch(() => undefined);
      await reader.ended;
      this.#endConnection(reader);
    }
  }

  /** Stores the events, resets and last id of an ended connection. */
  #endConnection(reader: EventReader): void {
    this.#current = undefined;
    this.#pastEvents.push(...reader.events);
    this.resetCount += reader.frames.filter(({ event }) => event === "stream.reset").length;
    this.#lastId = reader.lastId ?? this.#lastId;
    this.#hasReceivedFrame ||= reader.frames.length > 0;
    this.#failure ??= reader.failure;
  }

  #throwFailure(): void {
    const failure = this.#failure ?? this.#current?.failure;
    if (failure) throw failure;
  }

  /** Events received so far, of the ended connections and of the open one, without `stream.…` frames. */
  get events(): Frame[] {
    this.#throwFailure();
    return [...this.#pastEvents, ...(this.#current?.events ?? [])];
  }

  /** Resolves after the first frame. */
  async ready(): Promise<void> {
    while (!this.#hasReceivedFrame && !this.#current?.frames.length) {
      this.#throwFailure();
      await sleep(20);
    }
  }

  /** Closes the connection; the reader reconnects. */
  async interrupt(): Promise<void> {
    await this.#current?.close();
  }

  /** Ends the reader. Throws the error of a frame that could not be parsed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.close().catch(() => undefined);
    await this.#following;
    this.#throwFailure();
  }
}

/** Returns the stream sequence of a frame. */
export const sequenceOf = ({ id }: Frame): number => Number(id.split("-")[1]);
