import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

const WHOLE_BPS = 10_000;

interface Share {
  ownerId: string;
  shareBps: number;
}

/** Throws 400 unless the shares add up to 10,000 basis points with one share per owner. */
export function requireWholeShares(shares: readonly Share[]): void {
  const errors: FieldError[] = shares.flatMap(({ ownerId }, index) =>
    shares.findIndex((share) => share.ownerId === ownerId) < index
      ? [{ path: `shares.${index}.ownerId`, code: "unique", message: `shares.${index}.ownerId names an owner a second time. Add up the shares of the owner.` }]
      : [],
  );
  const totalBps = shares.reduce((sum, { shareBps }) => sum + shareBps, 0);
  if (totalBps !== WHOLE_BPS) {
    errors.push({ path: "shares", code: "mismatch", message: `Shares must add up to ${WHOLE_BPS} basis points; these add up to ${totalBps}.` });
  }
  if (errors.length > 0) throw invalid(errors);
}

/** Returns equal shares of owners; basis points left over belong to the first. */
export function equalShares(ownerIds: readonly string[]): Share[] {
  const shareBps = Math.floor(WHOLE_BPS / ownerIds.length);
  return ownerIds.map((ownerId, index) => ({ ownerId, shareBps: index === 0 ? WHOLE_BPS - shareBps * (ownerIds.length - 1) : shareBps }));
}
