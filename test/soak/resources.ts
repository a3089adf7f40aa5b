/** Samples of the resources that the processes of a system hold: memory, open files, database connections and table sizes. */
import { readdirSync } from "node:fs";
import pg from "pg";
import type { System } from "../../deploy/system/system.ts";
import { residentSetKib } from "../bench/memory.ts";

export interface Sample {
  /** Seconds since the traffic began. */
  seconds: number;
  /** Resident memory of each process in MiB. PostgreSQL has one process for each connection and is not in it. */
  memoryMib: Record<string, number>;
  /** Open files and sockets of each process. */
  openFiles: Record<string, number>;
  databaseConnections: number;
}

const processesOf = ({ children }: System) =>
  [...children].flatMap(([name, { pid }]) => (pid === undefined || name === "postgres" ? [] : [[name, pid] as const]));

export async function sampleResources(system: System, database: pg.Client, seconds: number): Promise<Sample> {
  const running = processesOf(system);
  const { rows } = await database.query<{ count: number }>("select count(*)::int from pg_stat_activity where backend_type = 'client backend'");
  return {
    seconds,
    memoryMib: Object.fromEntries(running.map(([name, pid]) => [name, residentSetKib(pid) / 1_024])),
    openFiles: Object.fromEntries(running.map(([name, pid]) => [name, readdirSync(`/proc/${pid}/fd`).length])),
    databaseConnections: rows[0]!.count,
  };
}

/** Returns the bytes of each table with its indexes by `service.table`. The partitions of a table count as the table. */
export async function tableSizes({ databaseUrls }: System): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const [service, { owner }] of Object.entries(databaseUrls)) {
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    const { rows } = await client.query<{ name: string; bytes: number }>(
      `select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid))::float8 as bytes
       from pg_class where relkind in ('r', 'p') and relnamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema)') group by 1`,
    );
    await client.end();
    for (const { name, bytes } of rows) sizes.set(`${service}.${name}`, bytes);
  }
  return sizes;
}
