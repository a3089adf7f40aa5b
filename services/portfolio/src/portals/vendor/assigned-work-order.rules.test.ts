import { describe, expect, test } from "@jest/globals";
import { requireAcceptable, requireDeclinable } from "./assigned-work-order.rules.ts";

const at = new Date();

describe.each([
  ["open", null, true, true],
  ["open", at, false, true],
  ["in_progress", null, true, true],
  ["in_progress", at, false, false],
  ["completed", null, false, false],
  ["cancelled", null, false, false],
] as const)("work that is %s and was accepted: %s", (status, acceptedAt, canBeAccepted, canBeDeclined) => {
  const refused = expect.objectContaining({ status: 409, code: "invalid_transition" });
  test(`can${canBeAccepted ? "" : "not"} be accepted`, () => {
    const accept = () => requireAcceptable({ status, acceptedAt });
    if (canBeAccepted) expect(accept).not.toThrow();
    else expect(accept).toThrow(refused);
  });
  test(`can${canBeDeclined ? "" : "not"} be declined`, () => {
    const decline = () => requireDeclinable({ status, acceptedAt });
    if (canBeDeclined) expect(decline).not.toThrow();
    else expect(decline).toThrow(refused);
  });
});
