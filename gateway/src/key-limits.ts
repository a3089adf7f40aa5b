/** What a service key may do of what its role may do. */
import type { NamedOperation } from "@freehold/contract";
import { beyondKey } from "@freehold/contract/service-keys";
import { forbidden } from "@freehold/kit/errors";
import type { Caller } from "./authenticate.ts";

/** 403 for a key that only reads and would write, and for one whose scopes do not reach the operation; people pass. */
export function requireReach({ key }: Caller, called: NamedOperation): void {
  if (!key) return;
  const beyond = beyondKey(key, called);
  if (beyond === "write") throw forbidden("This service key can only read. Use one that may write.", "scope_forbidden");
  if (beyond) throw forbidden(`This service key does not have the scope ${beyond}. Use one that has it.`, "scope_forbidden");
}

/** 403 for a key with scopes where what every service announces is shown. */
export function requireWholeReach({ key }: Caller): void {
  if (key?.scopes) throw forbidden("The event stream shows every service. Use a service key without scopes.", "scope_forbidden");
}
