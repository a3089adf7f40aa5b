/** Leases of event partitions, of a consumer of its own in the database of a running service. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { PARTITIONS } from "@freehold/kit/events/nats";
import { partitionLeases, type PartitionLeases } from "@freehold/kit/events/partition-leases";
import pg from "pg";
import { eventually } from "./support/eventually.ts";
import { running } from "./support/running.ts";

const pool = new pg.Pool({ connectionString: running().databaseUrls.communications.service });
let consumer: string;
const replicas: PartitionLeases[] = [];
beforeEach(() => {
  consumer = `consumer-${newId()}`;
});
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.deregister();
});
afterAll(() => pool.end());

function aReplica(): PartitionLeases {
  const replica = partitionLeases(pool, consumer);
  replicas.push(replica);
  return replica;
}

/** Renews the leases as the consumer does: releases those beyond the share of the replica. Returns the number of the others. */
async function renew(replica: PartitionLeases): Promise<number> {
  const held = await replica.renew();
  const kept = held.slice(0, await replica.targetPartitionCount());
  await replica.release(held.slice(kept.length).map(({ partition }) => partition));
  return kept.length;
}

/** Returns the versions of all rows of the consumer; a write changes them. */
async function readRowVersions(): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select xmin::text, ctid::text, holder from consumer_replica where consumer = $1
      union all select xmin::text, ctid::text, holder from consumer_share where consumer = $1 order by 1, 2`,
    [consumer],
  );
  return rows;
}

describe("the partitions of a consumer", () => {
  test("belong to a replica that is alone, which renews its leases without a write", async () => {
    const replica = aReplica();
    expect(await renew(replica)).toBe(PARTITIONS);
    const before = await readRowVersions();
    for (let count = 0; count < 3; count++) expect(await renew(replica)).toBe(PARTITIONS);
    expect(await readRowVersions()).toEqual(before);
  });

  test("are shared by replicas that answer each other", async () => {
    const [first, second] = [aReplica(), aReplica()];
    expect(await renew(first)).toBe(PARTITIONS);
    expect(await renew(second)).toBe(0);
    expect(await renew(first)).toBe(PARTITIONS / 2);
    for (let count = 0; count < 3; count++) expect([await renew(second), await renew(first)]).toEqual([PARTITIONS / 2, PARTITIONS / 2]);
  });

  test("of a replica that no longer answers go to another one, and are not its own when it answers again", async () => {
    const [stopped, other] = [aReplica(), aReplica()];
    expect(await renew(stopped)).toBe(PARTITIONS);
    await eventually("takeover of all partitions", async () => (await renew(other)) === PARTITIONS);
    expect(await stopped.renew()).toEqual([]);
    await renew(other);
    expect(await renew(stopped)).toBe(PARTITIONS / 2);
  });
});
