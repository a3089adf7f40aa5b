import { describe, expect, test } from "@jest/globals";
import type { WorkOrderStatus } from "../../maintenance/work-orders/work-order.rules.ts";
import { requireAcceptable, requireDeclinable } from "./assigned-work-order.rules.ts";

describe.each<[status: WorkOrderStatus, accepted: boolean, canBeAccepted: boolean, canBeDeclined: boolean]>([
  ["open", false, true, true],
  ["open", true, false, true],
  ["in_progress", false, true, true],
  ["in_progress", true, false, false],
  ["completed", false, false, false],
  ["cancelled", false, false, false],
])("a work order that is %s (accepted: %s)", (status, accepted, canBeAccepted, canBeDeclined) => {
  const acceptedAt = accepted ? new Date("2026-11-21T12:00:00.000Z") : null;
  const invalidTransition = expect.objectContaining({ status: 409, code: "invalid_transition" });
  test(`can${canBeAccepted ? "" : "not"} be accepted`, () => {
    const accept = () => requireAcceptable({ status, acceptedAt });
    if (canBeAccepted) expect(accept).not.toThrow();
    else expect(accept).toThrow(invalidTransition);
  });
  test(`can${canBeDeclined ? "" : "not"} be declined`, () => {
    const decline = () => requireDeclinable({ status, acceptedAt });
    if (canBeDeclined) expect(decline).not.toThrow();
    else expect(decline).toThrow(invalidTransition);
  });
});
