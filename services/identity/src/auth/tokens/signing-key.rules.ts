/** Rules of the rotation of signing keys. */

const MINUTE_MS = 60_000;
const SIGNING_MS = 30 * 24 * 60 * MINUTE_MS;
/** Longer than gateways cache the published keys, so that they know a key before it signs. */
const PUBLISHED_BEFORE_MS = 20 * MINUTE_MS;
/** Longer than a token is valid, so that the last tokens of a key are accepted until they expire. */
const PUBLISHED_AFTER_MS = 20 * MINUTE_MS;

/** Returns the time from which the next key signs: 30 days after the newest one, at once without a key. Undefined before the next key has to be published. */
export function nextSigningTime(newestSignsFrom: Date | undefined, at: Date): Date | undefined {
  if (!newestSignsFrom) return at;
  const due = newestSignsFrom.getTime() + SIGNING_MS;
  const earliest = at.getTime() + PUBLISHED_BEFORE_MS;
  return due > earliest ? undefined : new Date(earliest);
}

/** Returns the time at which the keys before a key are retired. */
export const retirementOfPredecessors = (signsFrom: Date): Date => new Date(signsFrom.getTime() + PUBLISHED_AFTER_MS);

/** Returns the key that signs: the newest one whose time has come, otherwise the first that is published. */
export const signingKeyAt = <K extends { signsFrom: Date }>(newestFirst: readonly K[], at: Date): K | undefined =>
  newestFirst.find(({ signsFrom }) => signsFrom <= at) ?? newestFirst.at(-1);
