/**
 * Leases of event partitions, by which the replicas of a service share them. A partition has one holder at a time; those of
 * a replica that died are taken over when its registration expires.
 *
 * A registration has no end until another replica challenges it by setting one, and its replica answers by removing the end. So a
 * replica that is alone writes nothing while it consumes nothing.
 */
import type pg from "pg";
import { newId } from "../db/entity.ts";
import { sendOnce, sql, type RawBuilder } from "../db/statement.ts";
import type { ReadPosition } from "./lost-messages.ts";
import { PARTITIONS } from "./nats.ts";

/** Time in which a replica answers a challenge. */
const CHALLENGE_SECONDS = 5;

/** A partition held by this replica, and the sequence up to which its messages in the stream of `streamEpoch` are consumed. */
export interface PartitionLease extends ReadPosition {
  partition: number;
  streamEpoch: string | null;
  /** Last sequence of the stream, of whichever partition, when no message of this one was left; null if unknown. */
  streamSequence: number | null;
}

export interface PartitionLeases {
  /** Renews the registration of this replica, and acquires leases up to its share. Returns all of its leases. */
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

  /** Registers this replica, or answers the challenge of its registration, and challenges the registrations of other replicas. */
  async function register(): Promise<void> {
    await all(sql`merge into consumer_replica using (values (${consumer}::text, ${holder}::uuid)) as this_replica (consumer, holder)
        on consumer_replica.consumer = this_replica.consumer and consumer_replica.holder = this_replica.holder
      when matched and until <> 'infinity' then update set until = 'infinity'
      when not matched then insert (consumer, holder, until) values (this_replica.consumer, this_replica.holder, 'infinity')`);
    await all(sql`update consumer_replica set until = now() + make_interval(secs => ${CHALLENGE_SECONDS})
      where consumer = ${consumer} and holder <> ${holder} and until = 'infinity'`);
    await all(sql`delete from consumer_replica where consumer = ${consumer} and until < now() - interval '1 minute'`);
  }

  async function targetPartitionCount(): Promise<number> {
    const [count] = await all(sql<{ replicas: number }>`select count(*) as replicas from consumer_replica where consumer = ${consumer} and until > now()`);
    return Math.ceil(PARTITIONS / Math.max(1, count!.replicas));
  }

  return {
    targetPartitionCount,
    async renew() {
      await register();
      const held = await all(
        sql<PartitionLease>`select partition, stream_epoch, sequence, read_until, stream_sequence from consumer_share where consumer = ${consumer} and holder = ${holder}`,
      );
      const missing = Math.max(0, (await targetPartitionCount()) - held.length);
      if (missing === 0) return held;
      await all(sql`insert into consumer_share (consumer, partition) select ${consumer}, generate_series(0, ${PARTITIONS - 1}) on conflict do nothing`);
      // `until` is read only by replicas of an earlier version, which take over a partition once it has passed.
      const acquired =
        await all(sql<PartitionLease>`update consumer_share set holder = ${holder}, until = 'infinity' where consumer = ${consumer} and partition in (
          select partition from consumer_share where consumer = ${consumer} and (holder is null or not exists (
            select from consumer_replica replica where replica.consumer = ${consumer} and replica.holder = consumer_share.holder and replica.until > now()))
          order by partition limit ${missing} for update skip locked)
        returning partition, stream_epoch, sequence, read_until, stream_sequence`);
      return [...held, ...acquired];
    },
    async saveProgress({ partition, streamEpoch, sequence, readUntil, streamSequence }) {
      // A replica that lost the partition must not overwrite the progress of the new holder.
      await all(sql`update consumer_share set stream_epoch = ${streamEpoch}, sequence = ${sequence}, read_until = ${readUntil}, stream_sequence = ${streamSequence}
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
