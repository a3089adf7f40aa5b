/**
 * Leases of event partitions, by which the replicas of a service share them. A partition has one holder at a time; those of
 * a replica that died are taken over when their leases expire.
 */
import type pg from "pg";
import { newId } from "../db/entity.ts";
import { sendOnce, sql, type RawBuilder } from "../db/statement.ts";
import { PARTITIONS } from "./nats.ts";

const LEASE_SECONDS = 5;

/** A partition held by this replica, and the sequence up to which its messages in the stream of `streamEpoch` are consumed. */
export interface PartitionLease {
  partition: number;
  streamEpoch: string | null;
  sequence: number;
}

export interface PartitionLeases {
  /** Renews the registration of this replica and its leases, and acquires more up to its share. Returns all of its leases. */
  renew(): Promise<PartitionLease[]>;
  /** Returns the number of partitions per replica in an even distribution. */
  targetPartitionCount(): Promise<number>;
  saveProgress(lease: PartitionLease): Promise<void>;
  release(partitions: readonly number[]): Promise<void>;
  /** Releases all leases and removes the registration of this replica. */
  deregister(): Promise<void>;
}

export function partitionLeases(pool: pg.Pool, consumer: string): PartitionLeases {
  const holder = newId();
  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);
  const until = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

  async function targetPartitionCount(): Promise<number> {
    const [count] = await all(sql<{ replicas: number }>`select count(*) as replicas from consumer_replica where consumer = ${consumer} and until > now()`);
    return Math.ceil(PARTITIONS / Math.max(1, count!.replicas));
  }

  return {
    targetPartitionCount,
    async renew() {
      await all(sql`insert into consumer_replica (consumer, holder, until) values (${consumer}, ${holder}, ${until})
        on conflict (consumer, holder) do update set until = excluded.until`);
      await all(sql`delete from consumer_replica where consumer = ${consumer} and until < now() - interval '1 minute'`);
      await all(sql`insert into consumer_share (consumer, partition) select ${consumer}, generate_series(0, ${PARTITIONS - 1}) on conflict do nothing`);
      const renewed = await all(sql<PartitionLease>`update consumer_share set until = ${until} where consumer = ${consumer} and holder = ${holder}
        returning partition, stream_epoch, sequence`);
      const missing = Math.max(0, (await targetPartitionCount()) - renewed.length);
      const acquired =
        await all(sql<PartitionLease>`update consumer_share set holder = ${holder}, until = ${until} where consumer = ${consumer} and partition in (
          select partition from consumer_share where consumer = ${consumer} and (holder is null or until < now())
          order by partition limit ${missing} for update skip locked)
        returning partition, stream_epoch, sequence`);
      return [...renewed, ...acquired];
    },
    async saveProgress({ partition, streamEpoch, sequence }) {
      // A replica that lost the partition must not overwrite the progress of the new holder.
      await all(sql`update consumer_share set stream_epoch = ${streamEpoch}, sequence = ${sequence}
        where consumer = ${consumer} and partition = ${partition} and holder = ${holder}`);
    },
    async release(partitions) {
      await all(
        sql`update consumer_share set holder = null, until = null where consumer = ${consumer} and holder = ${holder} and partition = any(${partitions}::int[])`,
      );
    },
    async deregister() {
      await all(sql`update consumer_share set holder = null, until = null where consumer = ${consumer} and holder = ${holder}`);
      await all(sql`delete from consumer_replica where consumer = ${consumer} and holder = ${holder}`);
    },
  };
}
