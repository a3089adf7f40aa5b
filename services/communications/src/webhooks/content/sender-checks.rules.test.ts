import { expect, test } from "@jest/globals";
import { isSenderRefuted, readAuthenticationResults, type SenderChecks } from "./sender-checks.rules.ts";

test.each<[SenderChecks, boolean]>([
  [{}, false],
  [{ spf: ["PASS"], dkim: ["PASS"], dmarc: ["FAIL"] }, true],
  [{ spf: ["FAIL"], dkim: ["FAIL"], dmarc: ["PASS"] }, false],
  [{ spf: ["FAIL"], dkim: ["GRAY"], dmarc: ["GRAY"] }, true],
  [{ spf: ["softfail"], dkim: ["none"] }, true],
  [{ spf: ["FAIL"], dkim: ["fail", "pass"] }, false],
  [{ spf: ["PASS"], dkim: ["FAIL"] }, false],
  [{ spf: ["GRAY"], dkim: ["PROCESSING_FAILED"], dmarc: ["PROCESSING_FAILED"] }, false],
])("%j refutes the sender: %s", (checks, isRefuted) => expect(isSenderRefuted(checks)).toBe(isRefuted));

test("the results of a header of any length and form are read in no time", () => {
  for (const part of ['"', "(", '"\\', "spf=", ";", "; dkim = pass"]) {
    const header = `mx; ${part.repeat(100_000)}`;
    expect(isSenderRefuted(readAuthenticationResults([header], "mx"))).toBe(false);
  }
});
