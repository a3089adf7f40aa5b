/** A unit number as it is kept: a blank one is none. */
export const unitNumber = (given: string | null | undefined): string | null => given || null;
