/** A client of the stream whose connection breaks all the time: it comes back with its last id, and starts afresh when it is told to. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "./listeners.ts";
import { openStream } from "./http.ts";

const SHORTEST_MS = 200;
const LONGEST_MS = 2_000;

export interface Delivery {
  sequence: number;
  eventId: string;
  organizationId: string;
}

/** What was told without interruption by a reset: everything after a sequence of one stream. */
export interface Span {
  epoch: string;
  after: number;
  deliveries: Delivery[];
}

export class FlakyClient {
  readonly who: Listener;
  readonly spans: Span[] = [];
  connections = 0;
  resets = 0;
  #lastId: string | undefined;
  #isAfresh = true;
  #isClosing = false;
  #isSteady = false;
  #current: IncomingMessage | undefined;
  readonly #onReset: () => void;
  readonly #following: Promise<void>;

  constructor(baseUrl: string, who: Listener, onReset: () => void) {
    this.who = who;
    this.#onReset = onReset;
    this.#following = this.#follow(baseUrl);
  }

  async #follow(baseUrl: string): Promise<void> {
    const { user, types } = this.who;
    const query = new URLSearchParams({ token: user.token!, ...(types && { types: types.join(",") }) });
    while (!this.#isClosing) {
      const response = await openStream(`${baseUrl}/api/events/stream?${query.toString()}`, this.#lastId);
      if (!response) {
        await sleep(SHORTEST_MS);
        continue;
      }
      this.connections++;
      this.#current = response;
      await this.#read(response);
    }
  }

  async #read(response: IncomingMessage): Promise<void> {
    let rest = "";
    response.setEncoding("utf8");
    response.on("error", () => undefined);
    response.on("data", (chunk: string) => {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) this.#take(block);
    });
    const ends = once(response, "close").catch(() => undefined);
    if (this.#isClosing) response.destroy();
    const stays = this.#isSteady ? undefined : setTimeout(() => response.destroy(), SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
    await ends;
    clearTimeout(stays);
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const [id, event] = [field("id"), field("event")];
    if (!event) return;
    const [epoch, sequence] = (id ?? "").split("-");
    if (id) this.#lastId = id;
    if (event === "stream.reset") {
      this.resets++;
      this.#isAfresh = true;
      this.#onReset();
    }
    if (!event.startsWith("stream.")) {
      const { id: eventId, organizationId } = JSON.parse(field("data")!) as { id: string; organizationId: string };
      this.spans.at(-1)!.deliveries.push({ sequence: Number(sequence), eventId, organizationId });
    } else if (this.#isAfresh && id) {
      this.spans.push({ epoch: epoch!, after: Number(sequence), deliveries: [] });
      this.#isAfresh = false;
    }
  }

  /** From now on its connections last. */
  calmDown(): void {
    this.#isSteady = true;
  }
  /** How far it has come in the stream that it reads. */
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
