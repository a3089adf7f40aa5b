import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { database as definition } from "../database.ts";
import { deleteMessages } from "./delete-messages.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

const findIds = async (db: OrgDb) =>
  (await db.all(sql<{ id: string }>`select id from message where organization_id = ${db.organizationId} order by id`)).map(({ id }) => id);
/** Inserts messages of an age, one for each template and status. */
const insert = (db: OrgDb, days: number, rows: readonly (readonly [template: string, status: string])[]): Promise<string[]> =>
  Promise.all(
    rows.map(async ([template, status]) => {
      const id = newId();
      await db.all(sql`insert into message (organization_id, id, created_at, updated_at, channel, template, to_address, from_address, subject, text, provider, status, attempts, next_attempt_at, provider_message_id)
        values (${db.organizationId}, ${id}, now() - make_interval(days => ${days}), now(), 'sms', ${template}, '+15185550100', '+15185550199', null,
          case when ${status === "queued"} then 'Hello' end, 'sms', ${status}, 1, case when ${status === "queued"} then now() + interval '1 day' end, ${`SM${id}`})`);
      return id;
    }),
  );
const countRoutes = async (db: OrgDb, ids: readonly string[]) => {
  const keys = ids.flatMap((id) => [`id:${id}`, `sid:SM${id}`]);
  return (await db.first(
    sql<{ count: number }>`select count(*)::int as count from message_route where organization_id = ${db.organizationId} and key = any(${keys}::text[])`,
  ))!.count;
};

describe("deleteMessages", () => {
  test("deletes finished messages older than the window with their routes, and neither waiting nor recent ones, nor those of conversations", async () => {
    const [db, other] = [new OrgDb(database, systemPrincipal(newId())), new OrgDb(database, systemPrincipal(newId()))];
    const old = await insert(db, 1_096, [
      ["notification", "sent"],
      ["invite", "failed"],
      ["blast", "delivered"],
      ["password-reset", "skipped"],
    ]);
    const kept = [
      ...(await insert(db, 1_096, [
        ["notification", "queued"],
        ["conversation-message", "sent"],
        ["blast", "failed"],
        ["blast", "skipped"],
      ])),
      ...(await insert(db, 1_094, [["notification", "sent"]])),
    ];
    const foreign = await insert(other, 1_096, [["notification", "sent"]]);
    expect((await deleteMessages(db, 1_095)).getTime()).toBeGreaterThan(Date.now());
    expect([await findIds(db), await findIds(other)]).toEqual([kept.toSorted(), foreign]);
    expect([await countRoutes(db, old), await countRoutes(db, kept), await countRoutes(other, foreign)]).toEqual([0, 10, 2]);
  });

  test("deletes more messages than fit in one lot, also in two replicas at the same time", async () => {
    const db = new OrgDb(database, systemPrincipal(newId()));
    await db.all(sql`insert into message (organization_id, id, created_at, updated_at, channel, template, to_address, from_address, provider, status, attempts)
      select ${db.organizationId}, gen_random_uuid(), now() - interval '2000 days', now(), 'email', 'notification', 'ana@example.com', 'office@example.com', 'smtp', 'sent', 1 from generate_series(1, 2500)`);
    const recent = await insert(db, 1, [["notification", "sent"]]);
    await Promise.all([deleteMessages(db, 1_095), deleteMessages(db, 1_095)]);
    await deleteMessages(db, 1_095);
    expect(await findIds(db)).toEqual(recent);
  });

  test("leaves the counts of a blast, and is scheduled by each message", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail() } });
    const { blast } = await office.call("createBlast", {
      body: { title: "Water", body: "Off at noon.", channels: ["email"], target: { tenantIds: [tenant.id] } },
    });
    await office.call("sendBlast", { params: { id: blast.id } });
    const read = async () => (await office.call("getBlast", { params: { id: blast.id } })).blast;
    const { recipientStats } = await eventually("ended blast", async () => {
      const current = await read();
      return current.completedAt !== null && current;
    });
    const db = new OrgDb(database, systemPrincipal(office.organizationId));
    await db.all(sql`update message set created_at = created_at - interval '1096 days' where organization_id = ${db.organizationId}`);
    await deleteMessages(db, 1_095);
    expect(await findIds(db)).toEqual([]);
    expect([recipientStats, (await read()).recipientStats]).toEqual(Array(2).fill({ dispatched: 1, failed: 0, pending: 0, total: 1 }));
    expect(await db.all(sql`select job from scheduled_work where organization_id = ${db.organizationId} and job = 'delete_messages'`)).toHaveLength(1);
  });
});
