/** The secrets of a deployment, as `npm run keys` creates them. */
import { spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createSecrets } from "./keys.ts";
import { processes } from "./system/secrets.ts";

const root = mkdtempSync(join(tmpdir(), "freehold-keys-"));
afterAll(() => rmSync(root, { recursive: true }));
const newDirectory = () => join(mkdtempSync(join(root, "deployment-")), "secrets");
const read = (dir: string, path: string): string => readFileSync(join(dir, path), "utf8");
const listFiles = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? [join(each.parentPath, each.name)] : []));
const contentsOf = (dir: string) => Object.fromEntries(listFiles(dir).map((file) => [file, readFileSync(file, "utf8")]));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const runKeys = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("keys.ts", import.meta.url)), ...args], { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
};
const publicKeyOf = (privateKey: string) =>
  createPublicKey(createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" }))
    .export({ format: "der", type: "spki" })
    .toString("base64");

describe("npm run keys", () => {
  test("creates the secrets in directories that only their owner enters, each in a file that the user of a container reads", () => {
    const dir = newDirectory();
    expect(createSecrets(dir).toSorted()).toEqual(
      listFiles(dir)
        .map((file) => file.slice(dir.length + 1))
        .toSorted(),
    );
    expect(new Set([dir, ...readdirSync(dir).map((name) => join(dir, name))].filter((path) => statSync(path).isDirectory()).map(modeOf))).toEqual(
      new Set(["700"]),
    );
    expect(new Set(listFiles(dir).map(modeOf))).toEqual(new Set(["644"]));
    expect(read(dir, "nats/passwords.conf")).toContain(`LEDGER_NATS_PASSWORD: "${read(dir, "ledger/NATS_PASSWORD")}"\n`);
    const publicKeys = JSON.parse(read(dir, "ASSERTION_PUBLIC_KEYS")) as Record<string, string>;
    expect(publicKeys).toEqual(Object.fromEntries(processes.map((name) => [name, publicKeyOf(read(dir, `${name}/ASSERTION_KEY`))])));
  });

  test("changes no existing secret, and prints no secret", () => {
    const dir = newDirectory();
    const first = runKeys(dir);
    expect(first).toEqual({ status: 0, output: expect.stringContaining(`Written to ${dir}: postgres/POSTGRES_PASSWORD, `) });
    writeFileSync(join(dir, "communications", "SMTP_URL"), "smtp://mailer:secret@mail.example:587\n");
    const before = contentsOf(dir);
    expect(runKeys(dir)).toEqual({ status: 0, output: `${dir} has all secrets.\n` });
    expect(contentsOf(dir)).toEqual(before);
    expect(Object.values(before).filter((secret) => secret && first.output.includes(secret))).toEqual([]);
  });

  test("creates a secret that is missing, and what is made from it; an old public key stays valid", () => {
    const dir = newDirectory();
    createSecrets(dir);
    const before = contentsOf(dir);
    const oldKey = read(dir, "ledger/ASSERTION_KEY");
    for (const name of ["ASSERTION_KEY", "NATS_PASSWORD"]) rmSync(join(dir, "ledger", name));
    expect(createSecrets(dir)).toEqual(["ledger/NATS_PASSWORD", "ledger/ASSERTION_KEY", "nats/passwords.conf", "ASSERTION_PUBLIC_KEYS"]);
    const { ledger, gateway } = JSON.parse(read(dir, "ASSERTION_PUBLIC_KEYS")) as Record<string, unknown>;
    expect(ledger).toEqual([publicKeyOf(oldKey), publicKeyOf(read(dir, "ledger/ASSERTION_KEY"))]);
    expect(gateway).toBe(publicKeyOf(read(dir, "gateway/ASSERTION_KEY")));
    expect(read(dir, "nats/passwords.conf")).toContain(`LEDGER_NATS_PASSWORD: "${read(dir, "ledger/NATS_PASSWORD")}"`);
    const changed = Object.entries(contentsOf(dir)).flatMap(([file, content]) => (before[file] === content ? [] : [file.slice(dir.length + 1)]));
    expect(changed.toSorted()).toEqual(["ASSERTION_PUBLIC_KEYS", "ledger/ASSERTION_KEY", "ledger/NATS_PASSWORD", "nats/passwords.conf"]);
  });

  test("takes the secrets of an earlier environment file over, and names the lines to delete there", () => {
    const [dir, source] = [newDirectory(), newDirectory()];
    createSecrets(source);
    const [assertionKey, publicKeys] = [read(source, "ledger/ASSERTION_KEY"), read(source, "ASSERTION_PUBLIC_KEYS")];
    const ledgerOnly = JSON.stringify({ ledger: (JSON.parse(publicKeys) as Record<string, string>)["ledger"] });
    const file = join(root, "earlier.env");
    writeFileSync(
      file,
      `PUBLIC_URL=https://example.com\nLEDGER_OWNER_PASSWORD=\nLEDGER_OWNER_PASSWORD=earlier-owner\nLEDGER_SERVICE_PASSWORD=earlier-service\nLEDGER_NATS_PASSWORD=earlier-nats\nLEDGER_ASSERTION_KEY=${assertionKey}\nASSERTION_PUBLIC_KEYS='${ledgerOnly}'\nSMTP_URL=smtp://a:b@mail.example\nS3_SECRET_ACCESS_KEY=\n`,
    );
    const { status, output } = runKeys(dir, "--from", file);
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(
        /\nDelete these lines from .*earlier\.env, since the files have their values: ASSERTION_PUBLIC_KEYS, LEDGER_ASSERTION_KEY, LEDGER_NATS_PASSWORD, LEDGER_OWNER_PASSWORD, LEDGER_SERVICE_PASSWORD, SMTP_URL\.\n$/,
      ),
    ]);
    const parameters = "?sslmode=verify-full&sslrootcert=/etc/postgres-tls/ca.crt";
    expect(read(dir, "ledger-owner/LEDGER_OWNER_DATABASE_URL")).toBe(`postgres://ledger_owner:earlier-owner@postgres:5432/ledger${parameters}`);
    expect(read(dir, "ledger/LEDGER_DATABASE_URL")).toBe(`postgres://ledger_service:earlier-service@postgres:5432/ledger${parameters}`);
    expect(read(dir, "ledger/NATS_PASSWORD")).toBe("earlier-nats");
    expect(read(dir, "nats/passwords.conf")).toContain('LEDGER_NATS_PASSWORD: "earlier-nats"');
    expect(read(dir, "ledger/ASSERTION_KEY")).toBe(assertionKey);
    expect(JSON.parse(read(dir, "ASSERTION_PUBLIC_KEYS"))).toMatchObject({
      ledger: publicKeyOf(assertionKey),
      gateway: publicKeyOf(read(dir, "gateway/ASSERTION_KEY")),
    });
    expect(read(dir, "communications/SMTP_URL")).toBe("smtp://a:b@mail.example");
    expect(read(dir, "bucket/S3_SECRET_ACCESS_KEY")).toBe("");
    // Later, an empty secret is filled from the file, and no other changes.
    writeFileSync(file, "S3_SECRET_ACCESS_KEY=later\nSMTP_URL=smtp://other.example\n");
    const second = runKeys(dir, "--from", file);
    expect(second.output).toContain(`Written to ${dir}: bucket/S3_SECRET_ACCESS_KEY.\n`);
    expect(second.output).toMatch(/\nDelete these lines from .*, since the files have their values: S3_SECRET_ACCESS_KEY\.\n/);
    expect([second.status, second.output]).toEqual([
      1,
      expect.stringMatching(/\nThe files have other values than .*earlier\.env for SMTP_URL\. Delete the wrong ones, and run the command again\.\n$/),
    ]);
    expect([read(dir, "bucket/S3_SECRET_ACCESS_KEY"), read(dir, "communications/SMTP_URL")]).toEqual(["later", "smtp://a:b@mail.example"]);
  });

  test.each([
    [
      "LEDGER_NATS_PASSWORD=ab#cd",
      /^The value of LEDGER_NATS_PASSWORD in .* has a special character .*\. Put it in single quotes and run the command again\.\n$/,
    ],
    ["  export SMTP_URL = smtp://a:b$$c@mail", /^The value of SMTP_URL in .* has a special character/],
    ['SMTP_URL="smtp://a:b$$c@mail"', /^The value of SMTP_URL in .* has a special character/],
    ['ASSERTION_PUBLIC_KEYS={"ledger":', /^ASSERTION_PUBLIC_KEYS in .* is not valid\./],
    ["LEDGER_OWNER_PASSWORD='a/b@c'", /^The password of ledger_owner has characters other than letters, .*\n$/],
  ])("refuses %s of an environment file, which would be read or written wrongly", (line, sentence) => {
    const [dir, file] = [newDirectory(), join(root, "wrong.env")];
    writeFileSync(file, `${line}\n`);
    expect(runKeys(dir, "--from", file)).toEqual({ status: 1, output: expect.stringMatching(sentence) });
  });

  test("takes the access of others away from directories that an operator has created", () => {
    const dir = newDirectory();
    mkdirSync(join(dir, "bucket"), { recursive: true, mode: 0o755 });
    createSecrets(dir);
    expect(statSync(join(dir, "bucket")).mode & 0o077).toBe(0);
  });

  test.each(["ASSERTION_PUBLIC_KEYS", "ledger/ASSERTION_KEY"])("refuses %s with a wrong content, which it does not repeat", (path) => {
    const dir = newDirectory();
    mkdirSync(join(dir, "ledger"), { recursive: true });
    writeFileSync(join(dir, path), "not-a-key");
    expect(runKeys(dir)).toEqual({ status: 1, output: `${path} is not valid. Restore it, or delete it for a new one.\n` });
  });
});
