import { describe, expect, test } from "@jest/globals";
import { archiveEntryNames } from "./archive.rules.ts";

describe("archiveEntryNames", () => {
  test.each([
    [
      ["a.pdf", "b.pdf"],
      ["a.pdf", "b.pdf"],
    ],
    [
      ["a.pdf", "a.pdf", "a.pdf"],
      ["a.pdf", "a (2).pdf", "a (3).pdf"],
    ],
    [
      ["a.pdf", "A.PDF"],
      ["a.pdf", "A (2).PDF"],
    ],
    [
      ["a (2).pdf", "a.pdf", "a.pdf"],
      ["a (2).pdf", "a.pdf", "a (3).pdf"],
    ],
    [
      ["a.b.txt", "a.b.txt"],
      ["a.b.txt", "a.b (2).txt"],
    ],
  ])("for the files %j returns %j", (fileNames, entryNames) => {
    expect(archiveEntryNames(fileNames)).toEqual(entryNames);
  });
});
