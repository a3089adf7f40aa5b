import { expect, test } from "@jest/globals";
import { formatBytes } from "./storage-quota.ts";

test.each([
  [0, "0 bytes"],
  [1_023, "1023 bytes"],
  [1_024, "1 KiB"],
  [2_000_000, "1.9 MiB"],
  [53_687_091_200, "50 GiB"],
  [1_024 ** 4, "1 TiB"],
])("%d bytes are formatted as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
