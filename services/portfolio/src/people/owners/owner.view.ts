import type { Owner } from "@freehold/contract/people/owners";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { OwnerRow } from "./owners.queries.ts";

/** Returns the API representation of an owner. The balance is null while the ledger is unavailable. */
export const ownerView = ({ version, ...owner }: OwnerRow, balanceCents: Cents | null): Owner => withVersion({ ...owner, balanceCents }, version);
