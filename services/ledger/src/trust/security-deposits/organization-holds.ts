import { conflict } from "@freehold/kit/errors";
import type { SecurityDeposit } from "./security-deposit.entity.ts";

/** Throws a 409 for a deposit that the owner holds, whose money no operation of the organization can use. */
export function requireOrganizationHolds({ holder }: Pick<SecurityDeposit, "holder">): void {
  if (holder === "owner") throw conflict("The owner holds this deposit, so its money is in no account of the organization.", "invalid_transition");
}
