import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { running } from "../../test/support/running.ts";

const { dataDir } = running();
const permissionsOf = (path: string) => [path, (statSync(join(dataDir, path)).mode & 0o777).toString(8)];
const each = (paths: readonly string[], permissions: string) => paths.map((path) => [path, permissions]);

describe("the data directory of a running system", () => {
  test("has logs, secrets and keys that only their owner can read", () => {
    const logs = readdirSync(join(dataDir, "logs")).map((name) => join("logs", name));
    expect(logs).toEqual(expect.arrayContaining(["logs/gateway.log", "logs/postgres.log", "logs/nats.log"]));
    const files = [...logs, "secrets.json", "system.json", "postgres.password", "launcher.pid", "nats/nats.conf", "nats/tls.key"];
    expect(files.map(permissionsOf)).toEqual(each(files, "600"));
  });

  test("has folders that only their owner can enter", () => {
    const folders = ["logs", "nats", "postgres"];
    expect(folders.map(permissionsOf)).toEqual(each(folders, "700"));
  });
});
