/**
 * `GET /api/events/stream`: server-sent events of the caller's organization, as far as the caller may see them.
 *
 * A connection first replays what followed its last id, holding back what arrives meanwhile, then goes live; a sequence
 * is sent once at most. It ends with the token, with the caller's rights, or when the client cannot keep up.
 */
import { system } from "@freehold/contract/system";
import { rateLimited, unavailable } from "@freehold/kit/errors";
import type { Logger } from "@freehold/kit/observability/log";
import type { EventBus } from "@freehold/kit/events/nats";
import { parse } from "@freehold/kit/http/validation";
import type { Request, RequestHandler, Response } from "express";
import { once } from "node:events";
import { endsRights, maySee } from "./audience.ts";
import type { Authenticator, Caller } from "../authenticate.ts";
import type { Hub, Listener, Streamed } from "./hub.ts";
import { requireWholeReach } from "../key-limits.ts";
import type { Peers } from "./peers.ts";
import { resume } from "./replay.ts";

const HEARTBEAT_MS = 10_000;
const EXPIRING_MS = 60_000;
const BLOCKED_BYTES = 262_144;
const BLOCKED_MS = 5_000;
const HELD_BACK = 10_000;

export interface StreamLimits {
  perUser: number;
  perOrganization: number;
}

export interface EventStreams {
  handler: RequestHandler;
  /** How many are open here. */
  count(): number;
  /** Ends every stream; clients come back to another replica by themselves. */
  stop(): void;
}

interface Parts {
  authenticator: Authenticator;
  /** Undefined until NATS has answered once. */
  events: () => { hub: Hub; bus: EventBus } | undefined;
  limits: StreamLimits;
  peers: Peers;
  log: Logger;
}

export function eventStreams({ authenticator, events, limits, peers, log }: Parts): EventStreams {
  const open = new Set<Connection>();
  const here = (of: Holder): Count => countOf(open, of);
  peers.answer("streams", here);
  const beat = setInterval(() => {
    for (const connection of open) connection.write(":\n\n");
  }, HEARTBEAT_MS);
  beat.unref();

  const handler = async (req: Request, res: Response): Promise<void> => {
    const query = parse(system.streamEvents.query, req.query);
    const caller = await authenticator.authenticate(query.token);
    requireWholeReach(caller);
    const source = events();
    if (!source?.hub.isReading) throw unavailable();
    await refuseTooMany(caller.principal, limits, here, peers);
    const types = query.types ? new Set(query.types.split(",")) : undefined;
    const lastEventId = (req.headers["last-event-id"] as string | undefined) ?? query.lastEventId;
    const connection = new Connection(res, caller, source.hub, types);
    open.add(connection);
    res.once("close", () => {
      open.delete(connection);
      connection.close();
    });
    await connection.start(source.bus, lastEventId).catch((error: unknown) => {
      log.warn({ err: error }, "a stream could not be resumed");
      connection.close();
    });
  };
  return {
    handler: (req, res, next) => {
      handler(req, res).catch(next);
    },
    count: () => open.size,
    stop() {
      clearInterval(beat);
      for (const connection of open) connection.close();
    },
  };
}

interface Holder {
  userId: string;
  organizationId: string;
}
interface Count {
  ofUser: number;
  ofOrganization: number;
}

function countOf(open: Set<Connection>, { userId, organizationId }: Holder): Count {
  const count = { ofUser: 0, ofOrganization: 0 };
  for (const { caller } of open) {
    if (caller.principal.userId === userId) count.ofUser++;
    if (caller.principal.organizationId === organizationId) count.ofOrganization++;
  }
  return count;
}

/** Counts what is open at all gateways; one that does not answer counts for nothing. */
async function refuseTooMany({ userId, organizationId }: Holder, limits: StreamLimits, here: (of: Holder) => Count, peers: Peers): Promise<void> {
  if (limits.perUser === 0 && limits.perOrganization === 0) return;
  const holder = { userId, organizationId };
  const nothing = { ofUser: 0, ofOrganization: 0 };
  const elsewhere = await Promise.all(peers.others().map((gateway) => peers.ask<Holder, Count>(gateway, "streams", holder).catch(() => nothing)));
  const counts = [here(holder), ...elsewhere];
  const isFull = (limit: number, held: (count: Count) => number) => limit > 0 && counts.reduce((sum, count) => sum + held(count), 0) >= limit;
  if (isFull(limits.perUser, ({ ofUser }) => ofUser) || isFull(limits.perOrganization, ({ ofOrganization }) => ofOrganization)) throw rateLimited(5);
}

class Connection implements Listener {
  readonly caller: Caller;
  readonly organizationId: string;
  readonly #res: Response;
  readonly #hub: Hub;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #lastSequence = 0;
  /** What arrives while the past is replayed; undefined once live. */
  #heldBack: Streamed[] | undefined = [];
  #blockedSince: number | undefined;

  constructor(res: Response, caller: Caller, hub: Hub, types: ReadonlySet<string> | undefined) {
    this.#res = res;
    this.caller = caller;
    this.organizationId = caller.principal.organizationId;
    this.#hub = hub;
    this.#types = types;
  }

  async start(bus: EventBus, lastEventId: string | undefined): Promise<void> {
    this.#hub.add(this);
    const live = this.#hub.position;
    const resumed = lastEventId === undefined ? undefined : await resume(bus, this.#hub, this.organizationId, lastEventId);
    this.#begin(resumed?.after ?? live);
    if (lastEventId !== undefined && !resumed) this.write(`id: ${this.#hub.epoch}-${live}\nevent: stream.reset\ndata: {"reason":"too_old"}\n\n`);
    this.#lastSequence = resumed?.after ?? live;
    for await (const missed of resumed?.missed ?? []) {
      this.#send(missed);
      if (this.#res.writableNeedDrain) await Promise.race([once(this.#res, "drain"), once(this.#res, "close")]);
      if (this.#res.destroyed) return;
    }
    const heldBack = this.#heldBack ?? [];
    this.#heldBack = undefined;
    for (const streamed of heldBack) this.#send(streamed);
  }

  #begin(sequence: number): void {
    this.#res.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no" });
    this.write(`retry: 3000\nid: ${this.#hub.epoch}-${sequence}\nevent: stream.ready\ndata: {"sequence":${sequence}}\n\n`);
    const left = this.caller.expiresAt - Date.now();
    this.#timers.push(
      setTimeout(
        () => this.write(`event: stream.expiring\ndata: {"expiresAt":"${new Date(this.caller.expiresAt).toISOString()}"}\n\n`),
        Math.max(0, left - EXPIRING_MS),
      ),
      setTimeout(() => this.close(), left),
    );
  }

  receive(streamed: Streamed): void {
    if (this.#heldBack) {
      if (this.#heldBack.push(streamed) > HELD_BACK) this.close();
    } else this.#send(streamed);
  }

  reset(): void {
    this.write(`event: stream.reset\ndata: {"reason":"stream_replaced"}\n\n`);
    this.close();
  }

  #send({ sequence, event, frame }: Streamed): void {
    if (sequence <= this.#lastSequence) return;
    this.#lastSequence = sequence;
    if (maySee(this.caller.principal, event) && (!this.#types || this.#types.has(event.type))) this.write(frame);
    if (endsRights(this.caller.principal, event)) this.close();
  }

  write(text: string): void {
    if (this.#res.destroyed || this.#res.writableEnded || !this.#res.headersSent) return;
    if (this.#res.write(text)) this.#blockedSince = undefined;
    else this.#blockedSince ??= Date.now();
    // While replaying, `start` waits for the client; live, a client that does not read is let go and resumes by id.
    const isStuck = this.#blockedSince !== undefined && Date.now() - this.#blockedSince > BLOCKED_MS;
    if (!this.#heldBack && (this.#res.writableLength > BLOCKED_BYTES || isStuck)) this.#res.destroy();
  }

  close(): void {
    this.#hub.remove(this);
    for (const timer of this.#timers) clearTimeout(timer);
    if (!this.#res.writableEnded) this.#res.end();
  }
}
