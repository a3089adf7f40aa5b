/** A reader of the event stream, as a program would write one: it keeps what it saw and comes back by its last id. */
import type { Envelope } from "@freehold/contract/events";
import { setTimeout as sleep } from "node:timers/promises";

export type StreamedEvent = Omit<Envelope, "audience">;

export interface Frame {
  id: string;
  event: string;
  /** An event, or the few members of a `stream.…` frame. */
  data: StreamedEvent & Record<string, unknown>;
}

export interface StreamOptions {
  types?: string[];
  /** Resume after this id, in the header as a program does. */
  lastEventId?: string | undefined;
  /** The same in the query, as a browser does on its first connection. */
  lastEventIdInQuery?: string | undefined;
}

export class EventReader {
  readonly frames: Frame[] = [];
  readonly comments: number[] = [];
  /** Resolves when the stream has ended, whoever ended it. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response.body!).catch(() => undefined);
  }

  /** Opens a stream; throws with the status and the sentence when it is refused. */
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

  /** The events, without the frames about the stream itself. */
  get events(): Frame[] {
    return this.frames.filter(({ event }) => !event.startsWith("stream."));
  }

  /** Where to resume: the id of the last frame that had one. */
  get lastId(): string | undefined {
    return this.frames.findLast(({ id }) => id !== "")?.id;
  }

  /** The first frame that is as asked for; fails when it does not come in time. */
  async next(what: string, isIt: (frame: Frame) => boolean, withinMs = 30_000): Promise<Frame> {
    for (const until = Date.now() + withinMs; ;) {
      const found = this.frames.find(isIt);
      if (found) return found;
      if (Date.now() > until) throw new Error(`No ${what} within ${withinMs / 1000} s; seen: ${this.frames.map(({ event }) => event).join(", ")}.`);
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }
}

/** Reads through everything: whenever its connection ends it comes back with its last id, until it is closed. */
export class FaithfulReader {
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

  /** Everything so far, the open connection included. */
  get all(): Frame[] {
    return this.#current && !this.#isClosed ? [...this.frames, ...this.#current.events] : this.frames;
  }

  /** Resolves once connected for the first time. */
  async ready(): Promise<void> {
    while (!this.#current?.frames.length) await sleep(20);
  }

  /** Breaks the connection, as a network does. */
  async interrupt(): Promise<void> {
    await this.#current?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.close();
    await this.#following;
  }
}

/** The place of a frame in the stream. */
export const sequenceOf = ({ id }: Frame): number => Number(id.split("-")[1]);
