import type { Owner } from "@freehold/contract/owners";
import type { Cents } from "@freehold/contract/values";
import { versioned } from "@freehold/kit/version";
import type { OwnerRow } from "./owners.queries.ts";

/** An owner as callers see it. */
export const ownerView = ({ version, ...owner }: OwnerRow, balanceCents: Cents | null): Owner => versioned({ ...owner, balanceCents }, version);
