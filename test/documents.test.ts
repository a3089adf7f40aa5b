import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { printers } from "../docs/print.ts";

describe("docs/", () => {
  test.each(Object.keys(printers))("%s is what `npm run docs` prints", (name) => {
    expect(readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8")).toBe(printers[name]!());
  });
});
