/** Backup drill: backs up a running system under load and restores it to chosen points in time. */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { listBaseBackups, sha256OfFile, walArchiveDir } from "../../deploy/backup/archive.ts";
import type { ExportManifest } from "../../deploy/export.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { Client } from "../support/client.ts";
import { anOffice, Office, password } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";
import { EventReader } from "../support/events/stream.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "freehold-backup-"));
const [dataDir, backupDir] = [join(directory, "data"), join(directory, "backups")];
let system: System;
let office: Office;
let tenancy: Tenancy;
/** Ids of payments recorded before and during the backup, between it and the restore point, and after the restore point. */
const paymentsUntilBackup: string[] = [];
const paymentsUntilRestorePoint: string[] = [];
const paymentsAfterRestorePoint: string[] = [];
let restorePoint: Date;
let documentId: string;

/** Age at which changes are archived; less than that of an operator's system, which is 30 seconds. */
const archiveAfterMs = 5_000;
const start = (dir: string) => startSystem({ dataDir: dir, host: "127.0.0.1", port: 0, backupDir, environment: testSettings, archiveAfterMs });

/** Runs a command of the project as an operator does. */
async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ["-C", "source", `deploy/${command}.ts`, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

async function recordPayments(count: number, ids: string[]): Promise<void> {
  for (let recorded = 0; recorded < count; recorded++) ids.push((await office.call("recordPayment", { body: aPayment(tenancy, 1_000) })).payment.id);
}

beforeAll(async () => {
  system = await start(dataDir);
  office = await anOffice(system.baseUrl);
  tenancy = await aTenancy(office);
  await aCharge(office, tenancy.leaseId, 100_000);
  const body = { file: new File(["The lease"], "lease.txt"), entityType: "lease" as const, entityId: tenancy.leaseId };
  documentId = (await office.call("uploadDocument", { body })).document.id;
});
afterAll(async () => {
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Signs in to a restored system. */
async function signInTo(baseUrl: string): Promise<Office> {
  const client = new Client(baseUrl);
  client.token = (await client.call("login", { body: { email: office.email, password } })).accessToken;
  return new Office(client, office.organizationId, office.userId, office.email);
}

async function paymentsOf(restoredOffice: Office): Promise<string[]> {
  const { payments } = await restoredOffice.call("listPayments", { query: { pageSize: 100 } });
  return payments.map(({ id }) => id).toSorted();
}

const WAL_FILE_BYTES = 16 * 1_048_576;

/** Returns the paths of the archived WAL files, oldest first. */
const listWalFiles = (): string[] =>
  readdirSync(walArchiveDir(backupDir))
    .filter((file) => /^[0-9A-F]{24}(\.gz)?$/.test(file))
    .toSorted()
    .map((file) => join(walArchiveDir(backupDir), file));

/** Returns the position up to which WAL is written, and the number of transactions committed since the start. */
async function readWalState(client: pg.Client): Promise<{ position: string; commits: number }> {
  const { rows } = await client.query<{ position: string; commits: number }>(
    "select pg_current_wal_insert_lsn()::text as position, sum(xact_commit)::int as commits from pg_stat_database",
  );
  return rows[0]!;
}

describe("an idle system", () => {
  test("writes no WAL, so that nothing is archived, while its processes look for work", async () => {
    const client = new pg.Client({ connectionString: system.adminUrl });
    await client.connect();
    try {
      await eventually("time without WAL", async () => {
        const before = await readWalState(client);
        const after = await eventually("400 transactions", async () => {
          const state = await readWalState(client);
          return state.commits >= before.commits + 400 && state;
        });
        return after.position === before.position;
      });
    } finally {
      await client.end();
    }
  });
});

describe("a change", () => {
  async function connect(): Promise<pg.Client | undefined> {
    const client = new pg.Client({ connectionString: system.adminUrl });
    return client.connect().then(
      () => client,
      () => undefined,
    );
  }

  /** Records a payment as soon as PostgreSQL and the ledger accept it, and waits until its WAL is archived. */
  async function archivePayment(): Promise<void> {
    const client = await eventually("connection", connect);
    const body = aPayment(tenancy, 1_000);
    const { payment } = await eventually("recorded payment", async () => {
      const { status, body: response } = await office.attempt("recordPayment", { body });
      return status < 300 && response;
    });
    paymentsUntilBackup.push(payment.id);
    const { rows } = await client.query<{ file: string }>("select pg_walfile_name(pg_current_wal_insert_lsn() - 1) as file");
    await client.end();
    await eventually("archived payment", () => existsSync(join(walArchiveDir(backupDir), `${rows[0]!.file}.gz`)));
  }

  test("is archived although its WAL file is not full, soon after a start and also after PostgreSQL was killed", async () => {
    await archivePayment();
    const postgres = system.children.get("postgres")!;
    const killed = postgres.pid!;
    process.kill(killed, "SIGKILL");
    await eventually("next server", () => postgres.pid !== killed);
    await archivePayment();
  });
});

describe("backup", () => {
  test("makes a base backup of the running system while payments are recorded", async () => {
    await recordPayments(10, paymentsUntilBackup);
    const [{ code, output }] = await Promise.all([run("backup/backup", []), recordPayments(10, paymentsUntilBackup)]);
    process.stdout.write(output);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Copied \d+ files, \d+ MB, in .* s: .*\nAny second from \S+Z on can be restored\.\n$/)]);
    expect(listBaseBackups(backupDir)).toHaveLength(1);
    await recordPayments(10, paymentsUntilRestorePoint);
    // The restore point is more than a second away from every payment.
    await sleep(1_100);
    restorePoint = new Date();
    await sleep(1_100);
    await recordPayments(10, paymentsAfterRestorePoint);
    // A clean stop archives the remaining WAL; a lost machine loses at most 30 seconds.
    await system.stop();
  });

  test("the archived WAL is compressed to less than half", () => {
    const walFiles = listWalFiles();
    expect(walFiles.filter((file) => !file.endsWith(".gz"))).toEqual([]);
    const bytes = walFiles.reduce((sum, file) => sum + statSync(file).size, 0);
    process.stdout.write(`archived=${walFiles.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
    expect(bytes).toBeLessThan((walFiles.length * WAL_FILE_BYTES) / 2);
  });
});

describe("restore", () => {
  test("stops at a damaged WAL file and names it, since the changes after it would be lost", async () => {
    const [baseBackup] = listBaseBackups(backupDir);
    const file = join(walArchiveDir(backupDir), `${baseBackup!.manifest.lastLogFile!}.gz`);
    const originalBytes = readFileSync(file);
    truncateSync(file, Math.floor(originalBytes.length / 2));
    const targetDir = join(directory, "damaged-wal");
    const { code, output } = await run("backup/restore", ["--into", targetDir, "--from", backupDir]);
    writeFileSync(file, originalBytes);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/The WAL file [0-9A-F]{24} of the archive is damaged\. Specify an instant before it with --to\./),
    ]);
    expect(existsSync(targetDir)).toBe(false);
  });

  test("restores a point in time: the payments before it, none after it, and a balanced ledger", async () => {
    const targetDir = join(directory, "then");
    const { code, output } = await run("backup/restore", ["--into", targetDir, "--from", backupDir, "--to", restorePoint.toISOString()]);
    process.stdout.write(output);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Restored .* in \d+\.\d s\.\nThe last restored change is from \S+\.\nStart it with DATA_DIR=/)]);
    const restored = await start(targetDir);
    try {
      const restoredOffice = await signInTo(restored.baseUrl);
      expect(await paymentsOf(restoredOffice)).toEqual([...paymentsUntilBackup, ...paymentsUntilRestorePoint].toSorted());
      const balances = await closingBalances(restoredOffice);
      expect(Object.values(balances).reduce((sum, cents) => sum + cents, 0)).toBe(0);
      expect(balances["1050"]).toBe(1_000 * (paymentsUntilBackup.length + paymentsUntilRestorePoint.length));
      expect(await (await restoredOffice.raw("GET", `/api/documents/${documentId}/download`)).text()).toBe("The lease");
      for (const id of paymentsAfterRestorePoint) expect((await restoredOffice.attempt("getPayment", { params: { id } })).status).toBe(404);

      // The restored system accepts writes and publishes events.
      const reader = await EventReader.open(restored.baseUrl, restoredOffice.token!, { types: ["payment.received"] });
      await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
      const { payment } = await restoredOffice.call("recordPayment", { body: aPayment(tenancy, 500) });
      await reader.waitForFrame("payment.received", ({ data }) => data.entityId === payment.id);
      await reader.close();
    } finally {
      await restored.stop();
    }
  });

  test("restores up to the last archived transaction when no point in time is given, also from WAL that is not compressed", async () => {
    const targetDir = join(directory, "end");
    // Earlier versions archived without compression.
    for (const file of listWalFiles().slice(0, -1)) {
      writeFileSync(file.replace(/\.gz$/, ""), gunzipSync(readFileSync(file)));
      rmSync(file);
    }
    expect((await run("backup/restore", ["--into", targetDir], { BACKUP_DIR: backupDir })).code).toBe(0);
    const restored = await start(targetDir);
    try {
      const all = await paymentsOf(await signInTo(restored.baseUrl));
      expect(all).toEqual([...paymentsUntilBackup, ...paymentsUntilRestorePoint, ...paymentsAfterRestorePoint].toSorted());
    } finally {
      await restored.stop();
    }
  });

  test.each([
    [
      "a point in time before the first base backup",
      () => ["--to", "2026-01-01T00:00:00Z"],
      /The oldest base backup in .* was completed at .*; earlier instants cannot be restored\./,
    ],
    [
      "a point in time after the end of the archive",
      () => ["--to", "2199-01-01T00:00:00Z"],
      /The archive ends before 2199-01-01T00:00:00\.000Z\. Specify an earlier instant/,
    ],
    ["an invalid point in time", () => ["--to", "yesterday"], /--to requires an instant with its time zone/],
    ["a directory without a base backup", () => ["--from", join(directory, "nothing")], /There is no base backup in .*nothing\. Create one/],
  ])("rejects %s and leaves no directory", async (_, args, sentence) => {
    const targetDir = join(directory, "refused");
    const { code, output } = await run("backup/restore", ["--into", targetDir, "--from", backupDir, ...args()]);
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
    expect(existsSync(targetDir)).toBe(false);
  });

  test("rejects a directory that is not empty", async () => {
    const { code, output } = await run("backup/restore", ["--into", dataDir, "--from", backupDir]);
    expect([code, output]).toEqual([1, expect.stringMatching(/data is not empty\. Restore into a new directory\./)]);
  });

  test("rejects a damaged base backup", async () => {
    const [baseBackup] = listBaseBackups(backupDir);
    const file = join(
      baseBackup!.dir,
      "postgres",
      Object.keys(baseBackup!.manifest.files).find((path) => path.endsWith("pg_control"))!,
    );
    const originalBytes = readFileSync(file);
    appendFileSync(file, "x");
    const { output } = await run("backup/restore", ["--into", join(directory, "damaged"), "--from", backupDir]);
    writeFileSync(file, originalBytes);
    expect(output).toMatch(/pg_control is damaged\. Remove .* to restore from the base backup before\./);
  });
});

describe("export", () => {
  let otherOffice: Office;
  const exportDir = join(directory, "export");

  beforeAll(async () => {
    system = await start(dataDir);
    otherOffice = await anOffice(system.baseUrl);
    await aTenancy(otherOffice);
    office = await signInTo(system.baseUrl);
  });

  test("contains all data of one organization and none of another", async () => {
    const paymentIds = [...paymentsUntilBackup, ...paymentsUntilRestorePoint, ...paymentsAfterRestorePoint];
    const { code, output } = await run("export", ["--organization", office.organizationId, "--into", exportDir]);
    expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`ledger/payment\\.ndjson\\s+${paymentIds.length}\\n`))]);
    const manifest = JSON.parse(readFileSync(join(exportDir, "manifest.json"), "utf8")) as ExportManifest;
    for (const [file, { rows, sha256 }] of Object.entries(manifest.files)) {
      expect([file, await sha256OfFile(join(exportDir, file))]).toEqual([file, sha256]);
      const lines = readFileSync(join(exportDir, file), "utf8").split("\n").filter(Boolean);
      expect([file, lines.length]).toEqual([file, rows]);
      for (const line of lines) expect((JSON.parse(line) as { organization_id: string }).organization_id).toBe(office.organizationId);
    }
    expect(readdirSync(join(exportDir, "documents/files"))).toEqual([office.organizationId]);
    expect(readFileSync(join(exportDir, "documents/files", office.organizationId, documentId), "utf8")).toBe("The lease");
    const payments = readFileSync(join(exportDir, "ledger/payment.ndjson"), "utf8").trim().split("\n");
    expect(payments.map((line) => (JSON.parse(line) as { id: string }).id).toSorted()).toEqual(paymentIds.toSorted());
  });

  test("contains no credentials", () => {
    const files = readdirSync(exportDir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ndjson"));
    const all = files.map((file) => readFileSync(join(exportDir, file), "utf8")).join("\n");
    expect(all).toContain(office.email);
    expect(all).not.toMatch(/\$argon2|"password_hash"|"token_hash"|"private_key"|\/invites\//);
    expect(files.filter((file) => /session|token|key|tries/.test(file))).toEqual([]);
  });

  test.each([
    ["an unknown organization", ["--organization", "00000000-0000-4000-8000-000000000000"], /There is no organization 00000000/],
    ["an invalid id", ["--organization", "Elm Street"], /Specify the id of the organization/],
  ])("rejects %s and leaves no directory", async (_, args, sentence) => {
    const targetDir = join(directory, "no-export");
    const { code, output } = await run("export", [...args, "--into", targetDir]);
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
    expect(existsSync(targetDir)).toBe(false);
  });
});

describe("backup --keep", () => {
  test("keeps the newest base backups and the WAL that they need", async () => {
    const walFilesBefore = listWalFiles();
    await recordPayments(3, []);
    const { code, output } = await run("backup/backup", ["--keep", "1"]);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(
        /\nRemoved .*\nWAL files removed because no base backup needs them: \d+, .*\nBase backups that can be restored: 1, the oldest of .*\n$/,
      ),
    ]);
    const [baseBackup, ...others] = listBaseBackups(backupDir);
    expect(others).toEqual([]);
    const walFiles = listWalFiles();
    expect(walFiles.length).toBeGreaterThan(0);
    expect(walFiles.length).toBeLessThan(walFilesBefore.length + 3);
    expect(walFiles.filter((file) => basename(file) < baseBackup!.manifest.firstLogFile)).toEqual([]);
    const targetDir = join(directory, "kept");
    expect((await run("backup/restore", ["--into", targetDir, "--from", backupDir])).code).toBe(0);
  });

  test("fails without a WAL archive and names the missing setting", async () => {
    const dirWithoutArchive = join(directory, "bare");
    mkdirSync(dirWithoutArchive);
    writeFileSync(join(dirWithoutArchive, "system.json"), JSON.stringify({ baseUrl: "", databaseUrls: {}, adminUrl: "postgres://nobody@127.0.0.1/none" }));
    expect(await run("backup/backup", [], { DATA_DIR: dirWithoutArchive })).toEqual({
      code: 1,
      output: "This system does not archive its WAL. Set BACKUP_DIR, restart the system and run the backup again.\n",
    });
    expect((await run("backup/backup", ["--keep", "0"])).output).toMatch(/--keep requires the number of base backups to keep, at least 1\./);
    await eventually("removal of unfinished base backups", () => readdirSync(join(backupDir, "copies")).every((name) => !name.startsWith("unfinished")));
  });
});
