import type { Owner } from "@freehold/contract/owners";
import { versioned } from "@freehold/kit/version";
import type { OwnerRow } from "./owners.queries.ts";

/** An owner as callers see it. */
export const ownerView = ({ version, ...owner }: OwnerRow): Owner => versioned(owner, version);
