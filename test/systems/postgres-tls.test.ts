/** A system whose services connect to PostgreSQL over TLS, with the check of its certificate and name. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate } from "@freehold/kit/db/database";
import pg from "pg";
import { certificateFiles, ensureCertificates } from "../../deploy/nats/certificates.ts";
import { definitions } from "../../deploy/system/databases/database-definitions.ts";
import { services, type ServiceName } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { anOffice } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";

const MISCONFIGURED = 78;
const root = fileURLToPath(new URL("../..", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "freehold-postgres-tls-"));
const [server, otherAuthority] = [certificateFiles(join(directory, "server")), certificateFiles(join(directory, "other-authority"))];
let system: System;

/** Returns a database URL that requires a certificate of the authority for the host. */
const verified = (url: string, ca = server.ca): string => `${url}?sslmode=verify-full&sslrootcert=${ca}`;
const databaseUrlName = (service: ServiceName) => `${service.toUpperCase()}_DATABASE_URL`;

beforeAll(async () => {
  await ensureCertificates(join(directory, "server"), ["127.0.0.1"]);
  await ensureCertificates(join(directory, "other-authority"), ["127.0.0.1"]);
  system = await startSystem({
    dataDir: join(directory, "data"),
    host: "127.0.0.1",
    port: 0,
    fsync: "off",
    environment: testSettings,
    postgresSettings: { ssl: "on", ssl_cert_file: server.certificate, ssl_key_file: server.key },
    adaptEnvironment: ({ name }, environment) =>
      name === "gateway" ? environment : { ...environment, [databaseUrlName(name)]: verified(environment[databaseUrlName(name)]!) },
  });
});
afterAll(async () => {
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const queryAsAdmin = async <R extends object>(text: string): Promise<R[]> => {
  const client = new pg.Client({ connectionString: system.adminUrl });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
};

/** Runs the ledger with a database URL until it exits. */
async function runLedger(databaseUrl: string): Promise<{ code: number | null; stderr: string }> {
  const env = { ...system.environmentOf("ledger"), HTTP_PORT: "0", GRPC_PORT: "0", LEDGER_DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, ["-C", "source", join(root, "services/ledger/src/main.ts")], { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return { code: await new Promise((resolve) => child.once("close", resolve)), stderr };
}

const certificateError = {
  code: MISCONFIGURED,
  stderr: expect.stringMatching(/^.*LEDGER_DATABASE_URL is wrong: the certificate of PostgreSQL is not valid: .*\n$/),
} as object;

describe("services with sslmode=verify-full", () => {
  test("encrypt every connection to PostgreSQL, those of the ORM too", async () => {
    const office = await anOffice(system.baseUrl);
    await office.call("createVendor", { body: { name: "Pipes & Co" } });
    const connections = await queryAsAdmin<{ role: string; ssl: boolean; ofPool: boolean }>(
      "select usename as role, ssl, application_name <> '' as \"ofPool\" from pg_stat_activity join pg_stat_ssl using (pid) where usename like '%\\_service'",
    );
    expect(new Set(connections.map(({ role }) => role))).toEqual(new Set(services.map((name) => `${name}_service`)));
    expect(new Set(connections.map(({ ofPool }) => ofPool))).toEqual(new Set([true, false]));
    expect(connections.filter(({ ssl }) => !ssl)).toEqual([]);
  });

  test("stop with one line when the certificate is of another authority or for another host, or the authority's file is missing", async () => {
    const { service: url } = system.databaseUrls.ledger;
    expect(await runLedger(verified(url, otherAuthority.ca))).toEqual(certificateError);
    expect(await runLedger(verified(url.replace("127.0.0.1", "localhost")))).toEqual(certificateError);
    expect(await runLedger(verified(url, "/nowhere/ca.crt"))).toEqual({
      code: MISCONFIGURED,
      stderr: expect.stringMatching(/^.*LEDGER_DATABASE_URL is wrong: .*\/nowhere\/ca\.crt.*\n$/),
    });
  });
});

describe("a migration with sslmode=verify-full", () => {
  test("runs over TLS, and not with another authority", async () => {
    const { owner } = system.databaseUrls.ledger;
    expect(await migrate(definitions.ledger, verified(owner), "ledger_service")).toEqual([]);
    await expect(migrate(definitions.ledger, verified(owner, otherAuthority.ca), "ledger_service")).rejects.toThrow(/certificate/);
  });
});
