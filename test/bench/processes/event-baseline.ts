/** Baseline process of event delivery: for each event, inserts one row with its envelope and publishes the envelope to NATS. */
import type { BusOptions } from "@freehold/kit/events/connection";
import { connectBus } from "@freehold/kit/events/nats";
import pg from "pg";
import { runAtRate } from "../run-at-rate.ts";

export interface Command {
  count: number;
  perSecond: number;
  subject: string;
  organizationId: string;
}

const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 8 });
const { connection } = await connectBus(JSON.parse(process.env["BENCH_NATS"]!) as BusOptions);

/** Returns an envelope with the members, and about the size, of a published vendor event. */
const envelopeOf = (id: string, organizationId: string) =>
  JSON.stringify({
    id: crypto.randomUUID(),
    type: "vendor.created",
    organizationId,
    occurredAt: new Date().toISOString(),
    entityType: "vendor",
    entityId: id,
    actorUserId: organizationId,
    requestId: crypto.randomUUID(),
    data: {},
    audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
  });

process.on("message", ({ count, perSecond, subject, organizationId }: Command) => {
  const write = async () => {
    const id = crypto.randomUUID();
    const envelope = envelopeOf(id, organizationId);
    await pool.query({ name: "write", text: "insert into bare_event (id, envelope) values ($1, $2)", values: [id, envelope] });
    connection.publish(subject, envelope);
    return id;
  };
  void runAtRate(count, perSecond, write).then((written) => process.send!({ written }));
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
