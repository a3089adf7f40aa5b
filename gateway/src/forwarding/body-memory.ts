/** Memory for the bodies that are being received or forwarded, shared fairly between their senders. */
import type { Holder } from "@freehold/kit/fair-turns";

export interface BodyLimits {
  /** Maximum number of bytes in all bodies, those of a group and those of a member. */
  total: number;
  perGroup: number;
  perMember: number;
}

export interface Reservation {
  /** A whole body is not refused any more. */
  isWhole: boolean;
  /** Reserves further bytes. Returns false when the memory is full, and no other sender has more. */
  grow(bytes: number): boolean;
  release(): void;
}

interface Body extends Reservation {
  readonly holder: Holder;
  bytes: number;
  refuse(): void;
}

/**
 * Creates the memory. When it is full for all or for a group, the largest incomplete body of the member with the most bytes is refused
 * in favour of a member with less.
 */
export function bodyMemory({ total, perGroup, perMember }: BodyLimits) {
  const bodies = new Set<Body>();

  const sum = (select: (holder: Holder) => boolean): number => {
    let bytes = 0;
    for (const body of bodies) if (select(body.holder)) bytes += body.bytes;
    return bytes;
  };
  const bytesOfMember = ({ member }: Holder) => sum((holder) => holder.member === member);

  /** Refuses an incomplete body of a member that has more bytes than the given one. Returns false without such a member. */
  function makeRoom({ member }: Holder, newBytes: number, isInScope: (holder: Holder) => boolean): boolean {
    const incomplete = [...bodies].filter(({ isWhole, holder, bytes }) => !isWhole && bytes > 0 && holder.member !== member && isInScope(holder));
    const largest = incomplete.toSorted((one, other) => bytesOfMember(other.holder) - bytesOfMember(one.holder) || other.bytes - one.bytes)[0];
    if (!largest || bytesOfMember(largest.holder) <= newBytes) return false;
    largest.release();
    largest.refuse();
    return true;
  }

  function grow(body: Body, bytes: number): boolean {
    const { holder } = body;
    const ofMember = bytesOfMember(holder) + bytes;
    if (ofMember > perMember) return false;
    const isInGroup = ({ group }: Holder) => group === holder.group;
    while (sum(isInGroup) + bytes > perGroup) if (!makeRoom(holder, ofMember, isInGroup)) return false;
    while (sum(() => true) + bytes > total) if (!makeRoom(holder, ofMember, () => true)) return false;
    body.bytes += bytes;
    return true;
  }

  return {
    /** Opens a reservation without bytes. `refuse` is called when it is given up in favour of another sender. */
    open(holder: Holder, refuse: () => void): Reservation {
      const body: Body = {
        holder,
        bytes: 0,
        isWhole: false,
        refuse,
        grow: (bytes) => bodies.has(body) && grow(body, bytes),
        release: () => void bodies.delete(body),
      };
      bodies.add(body);
      return body;
    },
  };
}
