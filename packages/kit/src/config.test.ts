import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { bucketSettings, ConfigurationError, hasBucket, readConfig, requireCompleteBucket, serviceSettings } from "./config.ts";

const schema = z
  .object({ FILES_DIR: z.string().optional().describe("directory of uploads"), ...bucketSettings })
  .superRefine(requireCompleteBucket("FILES_DIR"));
const complete = {
  FILES_DIR: "/files",
  S3_ENDPOINT: "https://s3.example",
  S3_BUCKET: "files",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
};

describe("bucketSettings", () => {
  test("require all of the settings or none", () => {
    expect(readConfig(schema, complete)).toEqual({ ...complete, S3_REGION: "us-east-1" });
    expect(hasBucket(readConfig(schema, complete))).toBe(true);
    for (const withoutBucket of [{}, { FILES_DIR: "/files" }, { S3_REGION: "eu-west-1", S3_ENDPOINT: "", S3_BUCKET: "" }])
      expect(hasBucket(readConfig(schema, withoutBucket))).toBe(false);
  });

  test.each(Object.keys(complete))("without %s are refused with an error that names the setting", (name) => {
    expect(() => readConfig(schema, { ...complete, [name]: "" })).toThrow(`${name} is not set: `);
    for (const other of Object.keys(complete)) if (other !== name) expect(() => readConfig(schema, { ...complete, [name]: "" })).not.toThrow(`${other} is`);
  });

  test.each([
    ["S3_BUCKET", "Not_A_Bucket"],
    ["S3_BUCKET", "a/b"],
    ["S3_ENDPOINT", "s3.example"],
    ["S3_ENDPOINT", "ftp://s3.example"],
    ["S3_ENDPOINT", "https://s3.example/files"],
    ["S3_ENDPOINT", "https://who:knows@s3.example"],
    ["S3_REGION", "us east"],
    ["S3_SECRET_ACCESS_KEY", "pasted with\na line"],
  ])("with %s as %j are refused with an error that names the setting and omits its value", (name, value) => {
    const read = () => readConfig(schema, { ...complete, [name]: value });
    expect(read).toThrow(`${name} is wrong: `);
    expect(read).not.toThrow(value);
  });
});

describe("PUBLIC_URL", () => {
  const { PUBLIC_URL } = serviceSettings;
  test.each(["https://office.example", "https://office.example/", "https://office.example//"])(
    "%s is read without the slashes at its end, so that paths can be appended",
    (url) => expect(readConfig(z.object({ PUBLIC_URL }), { PUBLIC_URL: url })).toEqual({ PUBLIC_URL: "https://office.example" }),
  );
});

test.each(["ftp://office.example", "office.example", "javascript:alert(1)"])("PUBLIC_URL is no %s", (url) =>
  expect(() => readConfig(z.object({ PUBLIC_URL: serviceSettings.PUBLIC_URL }), { PUBLIC_URL: url })).toThrow(
    "PUBLIC_URL is wrong: it is not an http or https URL",
  ),
);

describe("a setting in a file", () => {
  const dir = mkdtempSync(join(tmpdir(), "freehold-config-"));
  afterAll(() => rmSync(dir, { recursive: true }));
  const fileWith = (content: string) => {
    const file = join(dir, String(content.length));
    writeFileSync(file, content);
    return file;
  };
  const secret = z.object({ SECRET: z.string().min(8).describe("secret of the process"), OTHER: z.string().optional() });
  const read = (environment: NodeJS.ProcessEnv) => readConfig(secret, environment);

  test.each(["long secret", "long secret\n", "long secret\r\n"])("is read at start without the line break at its end: %j", (content) => {
    expect(read({ SECRET_FILE: fileWith(content) })).toEqual({ SECRET: "long secret" });
  });

  test("keeps every other space, which may be part of a secret", () => {
    expect(read({ SECRET_FILE: fileWith(" long  secret \n\n") })).toEqual({ SECRET: " long  secret \n" });
  });

  test("that cannot be read is refused with an error that names the setting and the path", () => {
    expect(() => read({ SECRET_FILE: "/nowhere/secret" })).toThrow(new ConfigurationError("SECRET_FILE is wrong: /nowhere/secret cannot be read (ENOENT)."));
    expect(() => read({ SECRET_FILE: dir })).toThrow(`SECRET_FILE is wrong: ${dir} cannot be read (EISDIR).`);
  });

  test("is refused beside its variable, and its value is not repeated", () => {
    const readBoth = () => read({ SECRET: "long secret", SECRET_FILE: fileWith("other secret") });
    expect(readBoth).toThrow(new ConfigurationError("SECRET and SECRET_FILE are both set. Unset one of them."));
  });

  test("that is wrong or empty is refused with an error that names the setting and the path, and omits the value", () => {
    const [wrong, empty] = [fileWith("short"), fileWith("\n")];
    expect(() => read({ SECRET_FILE: wrong })).toThrow(new RegExp(`^SECRET in ${wrong} is wrong: (?!.*short)`));
    expect(() => read({ SECRET_FILE: empty })).toThrow(`SECRET is not set in ${empty}: secret of the process.`);
  });

  test("counts as unset when its file or the variable of its path is empty, as an optional secret that is mounted", () => {
    expect(read({ SECRET: "long secret", OTHER_FILE: fileWith(""), SECRET_FILE: "" })).toEqual({ SECRET: "long secret" });
  });
});
