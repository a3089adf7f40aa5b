import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { describeMissingNats } = (await import(new URL("nats-server.mjs", import.meta.url).href)) as {
  describeMissingNats(directories: string[], isRoot: boolean): string | undefined;
};

describe("before the installation, a machine without nats-server", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "freehold-programs-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const install = (name: string) => writeFileSync(join(directory, name), "", { mode: 0o755 });

  test("is named to a user who cannot install it, with the remedy", () => {
    install("apt-get");
    expect(describeMissingNats([directory], false)).toMatch(/no nats-server on the PATH.*sudo apt-get install nats-server.*NATS_URL/);
  });

  test("is named to root where there is no apt-get", () => {
    expect(describeMissingNats([directory], true)).toMatch(/no nats-server on the PATH/);
  });

  test("is no problem for root with apt-get, who installs it at the start, nor once it is there", () => {
    install("apt-get");
    expect(describeMissingNats([directory], true)).toBeUndefined();
    install("nats-server");
    expect(describeMissingNats([directory], false)).toBeUndefined();
  });
});
