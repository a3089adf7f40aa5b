/** What the way of an event is held against: a row, its commit, and a plain publication of the same text. Runs as a process of its own. */
import { connectBus } from "@freehold/kit/events/nats";
import pg from "pg";
import { paced } from "../paced.ts";

export interface Order {
  count: number;
  perSecond: number;
  subject: string;
  organizationId: string;
}

const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 8 });
const { connection } = await connectBus(process.env["BENCH_NATS_URL"]!, "freehold-bench-writer");

/** As an announced vendor is: of the same members, so of about the same size. */
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

process.on("message", ({ count, perSecond, subject, organizationId }: Order) => {
  const write = async () => {
    const id = crypto.randomUUID();
    const envelope = envelopeOf(id, organizationId);
    await pool.query({ name: "write", text: "insert into bare_event (id, envelope) values ($1, $2)", values: [id, envelope] });
    connection.publish(subject, envelope);
    return id;
  };
  void paced(count, perSecond, write).then((written) => process.send!({ written }));
});
process.on("disconnect", () => process.exit(0));
process.send!({ ready: true });
