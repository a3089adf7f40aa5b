import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { bucketSettings, hasBucket, readConfig, requireCompleteBucket } from "./config.ts";

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
