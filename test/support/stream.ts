/** Clients of the event stream for tests. */
import type { Envelope } from "@freehold/contract/events";
import { setTimeout as sleep } from "node:timers/promises";

export type StreamedEvent = Omit<Envelope, "audience">;

export interface Frame {
  id: string;
  event: string;
  /** Event, or the members of a `stream.…` frame. */
  data: StreamedEvent & Record<string, unknown>;
}

export interface StreamOptions {
  types?: string[];
  /** Id to resume after, sent in the `Last-Event-ID` header. */
  lastEventId?: string | undefined;
  /** Id to resume after, sent in the query as a browser does on its first connection. */
  lastEventIdInQuery?: string | undefined;
}

export class EventReader {
  readonly frames: Frame[] = [];
  readonly comments: number[] = [];
  /** Resolves when either side has ended the stream. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response.body!).catch(() => undefined);
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
    if (response.status !== 200) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
    return new EventReader(response, abort);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    if (block.startsWith(":")) {
      this.comments.push(Date.now());
      return;
    }
    const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    this.frames.push({ id: fields["id"] ?? "", event: fields["event"]!, data: JSON.parse(fields["data"]!) as Frame["data"] });
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
  async next(description: string, matches: (frame: Frame) => boolean, timeoutMs = 30_000): Promise<Frame> {
    for (const deadline = Date.now() + timeoutMs; ;) {
      const frame = this.frames.find(matches);
      if (frame) return frame;
      if (Date.now() > deadline)
        throw new Error(`No ${description} within ${timeoutMs / 1000} s; received: ${this.frames.map(({ event }) => event).join(", ")}.`);
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }
}

/** Reader that reconnects with its last id whenever the connection ends, until it is closed. */
export class ReconnectingReader {
  readonly frames: Frame[] = [];
  resets = 0;
  connections = 0;
  #lastId: string | undefined;
  #current: EventReader | undefined;
  #isClosed = false;
  readonly #following: Promise<void>;

  constructor(baseUrl: string, token: () => string | Promise<string>, options: StreamOptions = {}) {
    this.#following = this.#follow(baseUrl, token, options);
  }

  async #follow(baseUrl: string, token: () => string | Promise<string>, options: StreamOptions): Promise<void> {
    while (!this.#isClosed) {
      const reader = await EventReader.open(baseUrl, await token(), { ...options, lastEventId: this.#lastId }).catch(() => undefined);
      if (!reader) {
        await sleep(200);
        continue;
      }
      this.connections++;
      this.#current = reader;
      if (this.#isClosed) await reader.close();
      await reader.ended;
      this.#keep(reader);
    }
  }

  #keep(reader: EventReader): void {
    this.frames.push(...reader.events);
    this.resets += reader.frames.filter(({ event }) => event === "stream.reset").length;
    this.#lastId = reader.lastId ?? this.#lastId;
  }

  /** Events received so far, including those of the open connection. */
  get all(): Frame[] {
    return this.#current && !this.#isClosed ? [...this.frames, ...this.#current.events] : this.frames;
  }

  /** Resolves after the first frame of the first connection. */
  async ready(): Promise<void> {
    while (!this.#current?.frames.length) await sleep(20);
  }

  /** Closes the connection; the reader reconnects. */
  async interrupt(): Promise<void> {
    await this.#current?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.close();
    await this.#following;
  }
}

/** Returns the stream sequence of a frame. */
export const sequenceOf = ({ id }: Frame): number => Number(id.split("-")[1]);
