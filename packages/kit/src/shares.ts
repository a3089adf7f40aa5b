/**
 * How the replicas of a consumer share its work: each partition of the events belongs to one replica at a time, which
 * holds it by a lease and keeps in PostgreSQL how far it has come. Another takes over where the last one stopped.
 */
import type pg from "pg";
import { newId } from "./entity.ts";
import { PARTITIONS } from "./nats.ts";
import { sendOnce, sql, type RawBuilder } from "./statement.ts";

const LEASE_SECONDS = 5;

/** A partition that is ours, and the last event of it that needs no more work, in the stream of that epoch. */
export interface Share {
  partition: number;
  streamEpoch: string | null;
  sequence: number;
}

export interface Shares {
  /** Says that this replica lives, keeps what it holds, and takes what it should have; answers all that is ours. */
  hold(): Promise<Share[]>;
  /** How many partitions this replica should hold, so that all have about as many. */
  fair(): Promise<number>;
  saveProgress(share: Share): Promise<void>;
  giveUp(partitions: readonly number[]): Promise<void>;
  leave(): Promise<void>;
}

export function shares(pool: pg.Pool, consumer: string): Shares {
  const holder = newId();
  const all = <R>(query: RawBuilder<R>): Promise<R[]> => sendOnce(pool, query);
  const until = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

  async function fair(): Promise<number> {
    const [count] = await all(sql<{ replicas: number }>`select count(*) as replicas from consumer_replica where consumer = ${consumer} and until > now()`);
    return Math.ceil(PARTITIONS / Math.max(1, count!.replicas));
  }

  return {
    fair,
    async hold() {
      await all(sql`insert into consumer_replica (consumer, holder, until) values (${consumer}, ${holder}, ${until})
        on conflict (consumer, holder) do update set until = excluded.until`);
      await all(sql`delete from consumer_replica where consumer = ${consumer} and until < now() - interval '1 minute'`);
      await all(sql`insert into consumer_share (consumer, partition) select ${consumer}, generate_series(0, ${PARTITIONS - 1}) on conflict do nothing`);
      const kept = await all(sql<Share>`update consumer_share set until = ${until} where consumer = ${consumer} and holder = ${holder}
        returning partition, stream_epoch, sequence`);
      const taken = await all(sql<Share>`update consumer_share set holder = ${holder}, until = ${until} where consumer = ${consumer} and partition in (
          select partition from consumer_share where consumer = ${consumer} and (holder is null or until < now())
          order by partition limit ${Math.max(0, (await fair()) - kept.length)} for update skip locked)
        returning partition, stream_epoch, sequence`);
      return [...kept, ...taken];
    },
    async saveProgress({ partition, streamEpoch, sequence }) {
      // Who lost the partition has no more say in how far it has come.
      await all(sql`update consumer_share set stream_epoch = ${streamEpoch}, sequence = ${sequence}
        where consumer = ${consumer} and partition = ${partition} and holder = ${holder}`);
    },
    async giveUp(partitions) {
      await all(
        sql`update consumer_share set holder = null, until = null where consumer = ${consumer} and holder = ${holder} and partition = any(${partitions}::int[])`,
      );
    },
    async leave() {
      await all(sql`update consumer_share set holder = null, until = null where consumer = ${consumer} and holder = ${holder}`);
      await all(sql`delete from consumer_replica where consumer = ${consumer} and holder = ${holder}`);
    },
  };
}
