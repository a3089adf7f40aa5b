/** Assertions of callers, for requests to a process of identity without the gateway. */
import { ASSERTION_HEADER, createAssertions } from "@freehold/kit/auth/assertion";
import type { Principal } from "@freehold/kit/auth/principal";
import { keysOf } from "../../../test/support/events/messages.ts";
import { running } from "../../../test/support/running.ts";

const assertions = createAssertions(keysOf("gateway", running().dataDir));

/** Returns the header that asserts a caller; by default an admin. */
export async function assertionHeader(caller: Pick<Principal, "organizationId" | "userId"> & Partial<Principal>): Promise<Record<string, string>> {
  const { organizationId, userId, role = "admin", subjectId = null, timezone = "UTC", accessVersion } = caller;
  const principal = { organizationId, userId, role, subjectId, timezone, ...(accessVersion !== undefined && { accessVersion }) };
  return { [ASSERTION_HEADER]: await assertions.sign({ principal }) };
}

/** Returns the header that asserts the network address of a caller without an access token. */
export const addressHeader = async (clientAddress: string): Promise<Record<string, string>> => ({
  [ASSERTION_HEADER]: await assertions.sign({ clientAddress }),
});
