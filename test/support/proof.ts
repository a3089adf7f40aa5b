/** Size of the proofs: small in `npm test`, full in `npm run prove`, which sets `PROOF`. */
export const isFullProof = process.env["PROOF"] === "full";

/** Returns the value for the current size of the proofs. */
export const sized = <T>(small: T, full: T): T => (isFullProof ? full : small);
