/** Stream client whose connection breaks at random intervals. Resumes after its last id, and starts a new span after a reset. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "./listeners.ts";
import { openStream } from "./http.ts";

const MIN_CONNECTION_MS = 200;
const MAX_CONNECTION_MS = 2_000;

export interface Delivery {
  sequence: number;
  eventId: string;
  organizationId: string;
}

/** Deliveries between two resets: events of one stream after a sequence. */
export interface Span {
  epoch: string;
  /** Sequence of the frame that started the span; its events follow. */
  startSequence: number;
  deliveries: Delivery[];
}

export class FlakyClient {
  readonly listener: Listener;
  readonly spans: Span[] = [];
  /** Number of connections opened so far. */
  connections = 0;
  /** Number of `stream.reset` frames. */
  resets = 0;
  #lastId: string | undefined;
  #startsSpan = true;
  #isClosing = false;
  #isStable = false;
  #current: IncomingMessage | undefined;
  readonly #onReset: () => void;
  readonly #following: Promise<void>;

  constructor(baseUrl: string, listener: Listener, onReset: () => void) {
    this.listener = listener;
    this.#onReset = onReset;
    this.#following = this.#follow(baseUrl);
  }

  async #follow(baseUrl: string): Promise<void> {
    const { user, types } = this.listener;
    const query = new URLSearchParams({ token: user.token!, ...(types && { types: types.join(",") }) });
    while (!this.#isClosing) {
      const response = await openStream(`${baseUrl}/api/events/stream?${query.toString()}`, this.#lastId);
      if (!response) {
        await sleep(MIN_CONNECTION_MS);
        continue;
      }
      this.connections++;
      this.#current = response;
      await this.#read(response);
    }
  }

  async #read(response: IncomingMessage): Promise<void> {
    let incompleteBlock = "";
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    response.on("data", (chunk: string) => {
      const blocks = (incompleteBlock + chunk).split("\n\n");
      incompleteBlock = blocks.pop()!;
      for (const block of blocks) this.#handleBlock(block);
    });
    const ended = once(response, "close").catch(() => undefined);
    if (this.#isClosing) response.destroy();
    const timer = this.#isStable
      ? undefined
      : setTimeout(() => response.destroy(), MIN_CONNECTION_MS + Math.random() * (MAX_CONNECTION_MS - MIN_CONNECTION_MS));
    await ended;
    clearTimeout(timer);
  }

  #handleBlock(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const [id, event] = [field("id"), field("event")];
    if (!event) return;
    const [epoch, sequence] = (id ?? "").split("-");
    if (id) this.#lastId = id;
    if (event === "stream.reset") {
      this.resets++;
      this.#startsSpan = true;
      this.#onReset();
    }
    if (!event.startsWith("stream.")) {
      const { id: eventId, organizationId } = JSON.parse(field("data")!) as { id: string; organizationId: string };
      this.spans.at(-1)!.deliveries.push({ sequence: Number(sequence), eventId, organizationId });
    } else if (this.#startsSpan && id) {
      this.spans.push({ epoch: epoch!, startSequence: Number(sequence), deliveries: [] });
      this.#startsSpan = false;
    }
  }

  /** Stops breaking the connection. */
  stabilize(): void {
    this.#isStable = true;
  }
  /** Sequence of the last frame with an id; -1 before the first. */
  get position(): number {
    return Number(this.#lastId?.split("-")[1] ?? -1);
  }
  get isConnected(): boolean {
    return this.#current?.destroyed === false;
  }
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#current?.destroy();
    await this.#following;
  }
}
