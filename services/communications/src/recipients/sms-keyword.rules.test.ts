import { describe, expect, test } from "@jest/globals";
import { smsKeyword } from "./sms-keyword.rules.ts";

describe("smsKeyword", () => {
  test.each(["STOP", "stop", " Stop. ", "STOP!", "stop all", "END", "cancel", "Unsubscribe", "QUIT", "opt out"])("%j stops text messages", (body) => {
    expect(smsKeyword(body)?.effect).toBe("stop");
  });
  test.each(["START", "unstop", "Start!"])("%j starts them again", (body) => {
    expect(smsKeyword(body)?.effect).toBe("start");
  });
  test.each(["Please stop by tomorrow", "The tap does not stop", "", "Yes", "1"])("%j is no keyword", (body) => {
    expect(smsKeyword(body)).toBeUndefined();
  });
});
