/** The stage of the benchmarks: a system with durable writes, organizations with tenants, and charges to pay. */
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

export interface Payer {
  office: Office;
  tenancy: Tenancy;
  chargeIds: string[];
}

export interface Stage {
  system: System;
  dataDir: string;
  end(): Promise<void>;
}

/** Starts a system of its own; what it wrote is removed when the stage ends, also when the benchmark is interrupted. */
export async function setStage(say: (text: string) => void, options: Pick<SystemOptions, "programOf"> = {}): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), "freehold-bench-"));
  const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, environment: { ...testSettings, VALIDATE_RESPONSES: "false" }, say, ...options });
  const end = async () => {
    await system.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const interrupted = (signal: NodeJS.Signals) => {
    say(`${signal}: ending the stage and removing ${dataDir}.`);
    void end().then(() => process.exit(130));
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, interrupted);
  return {
    system,
    dataDir,
    end: async () => {
      for (const signal of signals) process.off(signal, interrupted);
      await end();
    },
  };
}

/** An organization with a tenant who will owe on many charges, each far more than is paid on it; none is overdue, so none is announced. */
export async function aPayer({ system }: Stage, charges: number): Promise<Payer> {
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
    [charge.id, charges],
  );
  await client.end();
  return { office, tenancy, chargeIds: [charge.id, ...rows.map(({ id }) => id)] };
}

/** Ends every process but the database, for what is measured in one process alone. */
export async function leaveOnlyPostgres({ system }: Stage): Promise<void> {
  for (const [name, child] of system.children) if (name !== "postgres") await child.stop();
}

/** Statistics of what was staged, as autovacuum would have gathered within seconds. */
export async function analyze({ system }: Stage): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrls.ledger.owner });
  await client.connect();
  await client.query("analyze");
  await client.end();
}

/** A payment with one allocation, each to the next charge. */
export const paymentsOf = ({ tenancy, chargeIds }: Payer) => {
  let next = 0;
  return () => ({
    tenantId: tenancy.tenantId,
    leaseId: tenancy.leaseId,
    amountCents: 100,
    paymentMethod: "ach" as const,
    receivedAt: "2026-01-05T15:00:00.000Z",
    idempotencyKey: randomUUID(),
    allocations: [{ chargeId: chargeIds[next++ % chargeIds.length]!, amountCents: 100 }],
  });
};

/** nginx in front of the ledger, with keep-alive to it. */
export async function nginxFor(stage: Stage): Promise<{ port: number; end: () => Promise<void> }> {
  const [port] = (await freePorts(1)) as [number];
  const dir = join(stage.dataDir, "nginx");
  spawnSync("mkdir", ["-p", dir]);
  writeFileSync(
    join(dir, "nginx.conf"),
    `worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log; daemon off;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
upstream ledger { server 127.0.0.1:${stage.system.ports.ledger}; keepalive 128; }
server { listen 127.0.0.1:${port}; location / { proxy_pass http://ledger; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const nginx = spawn("nginx", ["-c", join(dir, "nginx.conf"), "-p", dir], { stdio: "ignore", env: { PATH: `${process.env["PATH"]}:/usr/sbin` } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { port, end: () => ended(nginx) };
}

export const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
};

/** Transactions a second of pgbench's TPC-B at eight clients, on the same server. */
export function pgbench(stage: Stage, seconds: number): () => Promise<number> {
  const url = new URL(stage.system.adminUrl!);
  const env = { ...process.env, PGPASSWORD: url.password };
  const args = ["-h", url.hostname, "-p", url.port, "-U", url.username];
  let isReady = false;
  return async () => {
    if (!isReady) {
      const admin = new pg.Client({ connectionString: stage.system.adminUrl! });
      await admin.connect();
      await admin.query("create database pgbench");
      await admin.end();
      const made = spawnSync("pgbench", [...args, "-i", "-s", "20", "-q", "pgbench"], { env, encoding: "utf8" });
      if (made.status !== 0) throw new Error(`pgbench could not be set up: ${made.stderr || made.error?.message}. Install it (Debian: postgresql-contrib).`);
      isReady = true;
    }
    const child = spawn("pgbench", [...args, "-c", "8", "-j", "2", "-M", "prepared", "-T", String(seconds), "pgbench"], { env });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await once(child, "exit");
    return Number(/tps = ([\d.]+)/.exec(out)?.[1]);
  };
}
