/**
 * `GET /api/events/stream`: server-sent events of the caller's organization that are visible to the caller.
 *
 * A connection first replays the events after its last id while it buffers new ones, then sends new ones directly; each
 * sequence is sent at most once per connection. The connection ends when the token expires, the caller's access changes, the
 * client reads too slowly, NATS has replaced its stream, or the gateway stops.
 */
import { system } from "@freehold/contract/system";
import { rateLimited, unavailable } from "@freehold/kit/errors";
import type { Logger } from "@freehold/kit/observability/log";
import type { Holder } from "@freehold/kit/fair-turns";
import { transferHolderOf } from "@freehold/kit/http/transfers";
import { parseQuery } from "@freehold/kit/http/validation";
import type { Request, RequestHandler, Response } from "express";
import { endsAccess, isVisibleTo } from "./audience.ts";
import { drained } from "./drained.ts";
import { bearerOf, type Authenticator, type Caller } from "../auth/authenticate.ts";
import type { Hub, Listener } from "./hub.ts";
import type { StreamedEvent } from "./streamed-event.ts";
import { requireUnscopedKey } from "../auth/key-scope.ts";
import type { Peers } from "./peers.ts";
import { requireWithinRateLimit, type RateLimiter } from "../limits/rate-limit.ts";
import { resume, type StreamSource } from "./replay.ts";

const STREAM_HEADERS = { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" };
const HEARTBEAT_MS = 10_000;
const EXPIRY_NOTICE_MS = 60_000;
/** Maximum number of bytes that wait for the client after the replay. */
const MAX_UNREAD_BYTES = 262_144;
/** Maximum time for which the client may leave the connection blocked after the replay. */
const MAX_BLOCKED_MS = 5_000;
/** Maximum number of new events during a replay; the connection ends when there are more. */
const MAX_BUFFERED_EVENTS = 10_000;

export interface StreamLimits {
  perUser: number;
  /** Streams of the office of an organization, and as many of its portal users, so that neither takes those of the other. */
  perOrganization: number;
}

export interface EventStreams {
  handler: RequestHandler;
  /** Returns the number of open streams of this gateway. */
  count(): number;
  /** Ends every stream; clients reconnect to another replica. */
  stop(): void;
}

interface StreamDependencies {
  authenticator: Authenticator;
  /** Returns the source of events; undefined before NATS has responded. */
  events: () => StreamSource | undefined;
  limits: StreamLimits;
  /** Limit that the opening of streams shares with the user's other requests. */
  rateLimiter: RateLimiter | undefined;
  peers: Peers;
  log: Logger;
}

export function eventStreams({ authenticator, events, limits, rateLimiter, peers, log }: StreamDependencies): EventStreams {
  const open = new Set<Connection>();
  const countLocalStreams = (holder: Holder): StreamCount => countStreams(open, holder);
  peers.register("streams", countLocalStreams);
  const heartbeat = setInterval(() => {
    for (const connection of open) connection.write(":\n\n");
  }, HEARTBEAT_MS);
  heartbeat.unref();

  const handler = async (req: Request, res: Response): Promise<void> => {
    const token = bearerOf(req.headers.authorization) ?? (typeof req.query["token"] === "string" ? req.query["token"] : undefined);
    const caller = await authenticator.authenticate(token);
    if (rateLimiter) await requireWithinRateLimit(rateLimiter, caller.principal.userId, res);
    requireUnscopedKey(caller);
    const query = parseQuery(system.streamEvents.query, req.query);
    const source = events();
    if (!source?.hub.isReading) throw unavailable();
    await requireFreeStream(transferHolderOf(caller.principal), limits, countLocalStreams, peers);
    // A client that disconnected during the checks emits no further `close`, and its stream would be counted for ever.
    if (res.destroyed) return;
    if (req.method === "HEAD") {
      res.writeHead(200, STREAM_HEADERS).end();
      return;
    }
    const types = query.types && new Set<string>(query.types);
    const lastEventId = (req.headers["last-event-id"] as string | undefined) ?? query.lastEventId;
    const connection = new Connection(res, caller, source.hub, types);
    open.add(connection);
    res.once("close", () => {
      open.delete(connection);
      connection.close();
    });
    connection.listen();
    // The caller's access may have ended during the checks; later changes reach the connection as events.
    await authenticator.authenticate(token);
    await connection.start(source, lastEventId).catch((error: unknown) => {
      log.warn({ err: error }, "a stream could not be resumed");
      connection.close();
    });
  };
  return {
    handler,
    count: () => open.size,
    stop() {
      clearInterval(heartbeat);
      for (const connection of open) connection.close();
    },
  };
}

/** Number of open streams of a user, and of the user's group: the office of an organization, or its portal users. */
interface StreamCount {
  ofUser: number;
  ofGroup: number;
}

function countStreams(open: Set<Connection>, { group, member }: Holder): StreamCount {
  const count = { ofUser: 0, ofGroup: 0 };
  for (const { caller } of open) {
    const holder = transferHolderOf(caller.principal);
    if (holder.member === member) count.ofUser++;
    if (holder.group === group) count.ofGroup++;
  }
  return count;
}

/**
 * Throws 429 when the user or the user's group has its maximum of streams, counted over all gateways that respond. Streams that
 * open concurrently do not count each other and can exceed the maximum.
 */
async function requireFreeStream(holder: Holder, limits: StreamLimits, countLocalStreams: (holder: Holder) => StreamCount, peers: Peers): Promise<void> {
  if (limits.perUser === 0 && limits.perOrganization === 0) return;
  const unknownCount = { ofUser: 0, ofGroup: 0 };
  const others = await Promise.all(
    peers.otherGateways().map((gateway) => peers.call<Holder, StreamCount>(gateway, "streams", holder).catch(() => unknownCount)),
  );
  const counts = [countLocalStreams(holder), ...others];
  const isFull = (limit: number, select: (count: StreamCount) => number) => limit > 0 && counts.reduce((sum, count) => sum + select(count), 0) >= limit;
  if (isFull(limits.perUser, ({ ofUser }) => ofUser) || isFull(limits.perOrganization, ({ ofGroup }) => ofGroup)) throw rateLimited(5);
}

class Connection implements Listener {
  readonly caller: Caller;
  readonly organizationId: string;
  readonly #res: Response;
  readonly #hub: Hub;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #lastSequence = 0;
  /** New events received during the replay; undefined after it. */
  #buffered: StreamedEvent[] | undefined = [];
  #blockedSince: number | undefined;

  constructor(res: Response, caller: Caller, hub: Hub, types: ReadonlySet<string> | undefined) {
    this.#res = res;
    this.caller = caller;
    this.organizationId = caller.principal.organizationId;
    this.#hub = hub;
    this.#types = types;
  }

  /** Begins to receive new events, which wait until `start`. */
  listen(): void {
    this.#hub.add(this);
  }

  /** Sends the missed events, then those received meanwhile. Later events are sent as they are received. */
  async start(source: StreamSource, lastEventId: string | undefined): Promise<void> {
    const currentSequence = this.#hub.position;
    const result = lastEventId === undefined ? undefined : await resume(source, this.caller.principal, lastEventId);
    if (this.#hasEnded()) return;
    const resetReason = typeof result === "string" ? result : undefined;
    const resumption = typeof result === "string" ? undefined : result;
    const startSequence = resumption?.afterSequence ?? currentSequence;
    this.#sendReady(startSequence);
    if (resetReason) this.write(`id: ${this.#hub.epoch}-${currentSequence}\nevent: stream.reset\ndata: {"reason":"${resetReason}"}\n\n`);
    this.#lastSequence = startSequence;
    for await (const missed of resumption?.missed ?? []) {
      this.#send(missed);
      await drained(this.#res);
      if (this.#hasEnded()) return;
    }
    for (let buffered = this.#buffered?.shift(); buffered; buffered = this.#buffered?.shift()) {
      this.#send(buffered);
      await drained(this.#res);
      if (this.#hasEnded()) return;
    }
    this.#buffered = undefined;
  }

  #hasEnded(): boolean {
    return this.#res.destroyed || this.#res.writableEnded;
  }

  /** Sends the headers and `stream.ready`, and schedules `stream.expiring` and the end of the connection. */
  #sendReady(sequence: number): void {
    this.#res.writeHead(200, STREAM_HEADERS);
    this.write(`retry: 3000\nid: ${this.#hub.epoch}-${sequence}\nevent: stream.ready\ndata: {"sequence":${sequence}}\n\n`);
    const remainingMs = this.caller.expiresAtMs - Date.now();
    this.#timers.push(
      setTimeout(
        () => this.write(`event: stream.expiring\ndata: {"expiresAt":"${new Date(this.caller.expiresAtMs).toISOString()}"}\n\n`),
        Math.max(0, remainingMs - EXPIRY_NOTICE_MS),
      ),
      setTimeout(() => this.close(), remainingMs),
    );
  }

  receive(streamed: StreamedEvent): void {
    if (!this.#buffered) return this.#send(streamed);
    // The end of access does not wait for the client to read the replay.
    if (endsAccess(this.caller.principal, streamed.event) || this.#buffered.push(streamed) > MAX_BUFFERED_EVENTS) this.close();
  }

  reset(): void {
    this.write(`event: stream.reset\ndata: {"reason":"stream_replaced"}\n\n`);
    this.close();
  }

  #send({ sequence, event, frameFor }: StreamedEvent): void {
    if (sequence <= this.#lastSequence) return;
    this.#lastSequence = sequence;
    if (isVisibleTo(this.caller.principal, event) && (!this.#types || this.#types.has(event.type))) this.write(frameFor(this.caller.principal));
    if (endsAccess(this.caller.principal, event)) this.close();
  }

  /** Writes text to the client, unless the response has not begun or has ended. Disconnects a client that reads too slowly. */
  write(text: string): void {
    if (this.#hasEnded() || !this.#res.headersSent) return;
    if (this.#res.write(text)) this.#blockedSince = undefined;
    else this.#blockedSince ??= Date.now();
    // During the replay `start` waits for the client. After it, a client that does not read is disconnected and can resume by id.
    const isStuck = this.#blockedSince !== undefined && Date.now() - this.#blockedSince > MAX_BLOCKED_MS;
    if (!this.#buffered && (this.#res.writableLength > MAX_UNREAD_BYTES || isStuck)) this.#res.destroy();
  }

  close(): void {
    this.#hub.remove(this);
    for (const timer of this.#timers) clearTimeout(timer);
    // An `EventSource` reconnects after a connection error, but not after a response without the content type of an event stream.
    // A client that does not read would keep an ended response open.
    if (!this.#res.headersSent || this.#res.writableNeedDrain) this.#res.destroy();
    else if (!this.#res.writableEnded) this.#res.end();
  }
}
