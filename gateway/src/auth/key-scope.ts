/** Limits of service keys below their role. */
import type { NamedOperation } from "@freehold/contract";
import { missingKeyScope, missingScopeMessage } from "@freehold/contract/identity/service-keys";
import { forbidden } from "@freehold/kit/errors";
import type { Caller } from "./authenticate.ts";

/** Throws 403 when a read-only key would write, or when a key lacks the operation's scope. Users pass. */
export function requireKeyScope({ key }: Caller, called: NamedOperation): void {
  if (!key) return;
  const missingScope = missingKeyScope(key, called);
  if (missingScope === "write") throw forbidden("This service key can only read. Use one that may write.", "scope_forbidden");
  if (missingScope) throw forbidden(missingScopeMessage(missingScope), "scope_forbidden");
}

/** Throws 403 for a key with scopes, since the event stream carries the events of every service. */
export function requireUnscopedKey({ key }: Caller): void {
  if (key?.scopes) throw forbidden("The event stream shows every service. Use a service key without scopes.", "scope_forbidden");
}
