/** System under test with durable writes, its fixtures, and the baselines nginx and pgbench. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import pg from "pg";
import { freePorts } from "../../deploy/system/ports.ts";
import { startSystem, type System, type SystemOptions } from "../../deploy/system/system.ts";
import { anOffice, type Office } from "../support/office.ts";
import { aTenancy, type Tenancy } from "../support/tenancy.ts";
import { testSettings } from "../support/settings.ts";
import { eventually } from "../support/eventually.ts";

export interface Payer {
  office: Office;
  tenancy: Tenancy;
  chargeIds: string[];
}

export interface BenchSystem {
  system: System;
  dataDir: string;
  /** Stops the system and removes its directory. */
  end(): Promise<void>;
}

/** Starts a system in a temporary directory, which is removed by `end`, or when the benchmark is interrupted after the start. */
export async function startBenchSystem(
  log: (text: string) => void,
  { environment, ...options }: Partial<Pick<SystemOptions, "programOf" | "environment">> = {},
): Promise<BenchSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "freehold-bench-"));
  const system = await startSystem({
    dataDir,
    host: "127.0.0.1",
    port: 0,
    environment: { ...testSettings, VALIDATE_RESPONSES: "false", ...environment },
    say: log,
    ...options,
  });
  const end = async () => {
    await system.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const onSignal = (signal: NodeJS.Signals) => {
    log(`${signal}: stopping the system and removing ${dataDir}.`);
    void end().then(() => process.exit(130));
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, onSignal);
  return {
    system,
    dataDir,
    end: async () => {
      for (const signal of signals) process.off(signal, onSignal);
      await end();
    },
  };
}

/** Creates an organization with a tenant and many open charges, each far larger than its payments and due in 2099, so that none becomes overdue. */
export async function createPayer({ system }: BenchSystem, chargeCount: number): Promise<Payer> {
  const office = await anOffice(system.baseUrl);
  const tenancy = await aTenancy(office);
  const { charge } = await office.call("createCharge", {
    body: { leaseId: tenancy.leaseId, amountCents: 1_000_000_000_000, dueDate: "2099-01-01", chargeType: "rent" },
  });
  const client = new pg.Client({ connectionString: system.databaseUrls.ledger.owner });
  await client.connect();
  await client.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
  const { rows } = await client.query<{ id: string }>(
    `insert into charge (organization_id, id, created_at, updated_at, lease_id, tenant_id, property_id, unit_id, name, charge_type, category_id,
      amount_cents, allocated_cents, credited_cents, balance_cents, due_date, posted_at, status, entry_id)
    select organization_id, gen_random_uuid(), created_at, updated_at, lease_id, tenant_id, property_id, unit_id, name, charge_type, category_id,
      amount_cents, 0, 0, amount_cents, due_date, posted_at, 'pending', entry_id from charge, generate_series(2, $2) where id = $1 returning id`,
    [charge.id, chargeCount],
  );
  await client.end();
  return { office, tenancy, chargeIds: [charge.id, ...rows.map(({ id }) => id)] };
}

/** Stops every process except PostgreSQL and the given ones, for benchmarks of code in a single process. */
export async function stopAllButPostgres({ system }: BenchSystem, ...needed: readonly string[]): Promise<void> {
  for (const [name, child] of system.children) if (name !== "postgres" && !needed.includes(name)) await child.stop();
}

/** Updates the planner statistics of the ledger's database, as autovacuum would within seconds. */
export async function analyze({ system }: BenchSystem): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrls.ledger.owner });
  await client.connect();
  await client.query("analyze");
  await client.end();
}

/** Returns a factory of payments with one allocation each, to the charges in turn. */
export const paymentFactory = ({ tenancy, chargeIds }: Payer) => {
  let chargeIndex = 0;
  return () => ({
    tenantId: tenancy.tenantId,
    leaseId: tenancy.leaseId,
    amountCents: 100,
    paymentMethod: "ach" as const,
    receivedAt: "2026-01-05T15:00:00.000Z",
    idempotencyKey: randomUUID(),
    allocations: [{ chargeId: chargeIds[chargeIndex++ % chargeIds.length]!, amountCents: 100 }],
  });
};

const searchPath = { PATH: `${process.env["PATH"]}:/usr/sbin` };

/** Throws unless the programs with which requests are compared are installed. */
export function requireBaselinePrograms(): void {
  const packages = { nginx: "nginx", pgbench: "postgresql-contrib" };
  for (const [program, debianPackage] of Object.entries(packages))
    if (spawnSync(program, ["-V"], { env: searchPath }).error)
      throw new Error(
        `The benchmarks of requests need ${program}, which is not installed. Install it (Debian: ${debianPackage}), or select others with BENCH_ONLY.`,
      );
}

/** Starts nginx as a reverse proxy of the ledger with keep-alive connections. */
export async function startNginx(bench: BenchSystem): Promise<{ port: number; end: () => Promise<void> }> {
  const [port] = (await freePorts(1)) as [number];
  const dir = join(bench.dataDir, "nginx");
  spawnSync("mkdir", ["-p", dir]);
  writeFileSync(
    join(dir, "nginx.conf"),
    `worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log; daemon off;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
upstream ledger { server 127.0.0.1:${bench.system.ports.ledger}; keepalive 128; keepalive_requests 1000000; }
server { listen 127.0.0.1:${port}; location / { proxy_pass http://ledger; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const nginx = spawn("nginx", ["-c", join(dir, "nginx.conf"), "-p", dir], { stdio: "ignore", env: searchPath });
  const failure = once(nginx, "error").then(([error]) => Promise.reject(new Error(`nginx could not be started: ${String(error)}.`)));
  await Promise.race([failure, eventually("nginx", () => fetch(`http://127.0.0.1:${port}`).then(Boolean, () => undefined))]);
  return { port, end: () => stopProcess(nginx) };
}

export const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
};

/** Returns a function that measures the TPC-B transactions per second of pgbench with eight clients on the same server. */
export function pgbench(bench: BenchSystem, seconds: number): () => Promise<number> {
  const url = new URL(bench.system.adminUrl!);
  const env = { ...process.env, PGPASSWORD: url.password };
  const args = ["-h", url.hostname, "-p", url.port, "-U", url.username];
  let isInitialized = false;
  return async () => {
    if (!isInitialized) {
      const admin = new pg.Client({ connectionString: bench.system.adminUrl! });
      await admin.connect();
      await admin.query("create database pgbench");
      await admin.end();
      const initialization = spawnSync("pgbench", [...args, "-i", "-s", "20", "-q", "pgbench"], { env, encoding: "utf8" });
      if (initialization.status !== 0) throw new Error(`pgbench could not be set up: ${initialization.stderr || initialization.error?.message}.`);
      isInitialized = true;
    }
    const child = spawn("pgbench", [...args, "-c", "8", "-j", "2", "-M", "prepared", "-T", String(seconds), "pgbench"], { env });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(child, "close");
    return Number(/tps = ([\d.]+)/.exec(output)?.[1]);
  };
}
