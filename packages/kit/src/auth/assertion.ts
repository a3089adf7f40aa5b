/**
 * Signed assertions of the caller, between processes.
 *
 * The gateway signs an assertion for each caller, a service for its own background work; services trust no other proof of the
 * principal or of the caller's network address. An assertion is a JWT signed with Ed25519, valid for sixty seconds. Every process
 * has the public keys of all processes. Clocks may differ by two minutes.
 */
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { unavailable } from "../errors.ts";
import type { ProcessKeys } from "./keys.ts";
import type { Principal } from "./principal.ts";

export const ASSERTION_HEADER = "x-freehold-scope";
export const REQUEST_HEADER = "x-request-id";
/** Network address of the caller, as asserted by the gateway. Set by the router of a service; never read from outside. */
export const ADDRESS_HEADER = "x-freehold-client-address";
const LIFETIME_SECONDS = 60;
const CLOCK_TOLERANCE_SECONDS = 120;
const AUDIENCE = "freehold-services";
const MAX_CACHED = 10_000;

/** Caller of a request, as its first process has seen it. */
export interface AssertedCaller {
  /** Undefined for a caller without an access token. */
  principal?: Principal | undefined;
  /** Network address of a caller of the API; undefined for a service's own work. */
  clientAddress?: string | undefined;
}

interface VerifiedAssertion extends AssertedCaller {
  /** Name of the process that has signed the assertion. */
  signer: string;
  expiresAt: number;
}

export interface Assertions {
  /** Signs an assertion of the caller, or returns a cached one in the first half of its lifetime. */
  sign(caller: AssertedCaller): Promise<string>;
  /**
   * Returns the caller of an assertion signed by one of the given processes: those that call this port, so that the key of another
   * opens nothing here. Throws 503 for an expired assertion and an error that becomes a 500 for any other: the cause is the
   * deployment or a clock, so signing in again would not help.
   */
  verify(assertion: string | undefined, signers: readonly string[]): Promise<AssertedCaller>;
}

const expired = () => unavailable(new Error("The assertion of the caller has expired. Check the clocks of the machines."));

/** Creates the assertions of a process, signed with its private key and verified with the public keys of all processes. */
export function createAssertions(keys: ProcessKeys): Assertions {
  const signed = new LRUCache<string, { assertion: string; until: number }>({ max: MAX_CACHED });
  const verified = new LRUCache<string, VerifiedAssertion>({ max: MAX_CACHED });

  async function verifySignature(assertion: string): Promise<VerifiedAssertion> {
    try {
      const signer = decodeProtectedHeader(assertion).kid ?? "";
      const { payload } = await Promise.any(
        keys
          .publicKeysOf(signer)
          .map((key) =>
            jwtVerify(assertion, key, { algorithms: ["EdDSA"], audience: AUDIENCE, requiredClaims: ["exp"], clockTolerance: CLOCK_TOLERANCE_SECONDS }),
          ),
      );
      const { scope, clientAddress } = payload as { scope?: Principal; clientAddress?: string };
      return { signer, principal: scope, clientAddress, expiresAt: (payload.exp! + CLOCK_TOLERANCE_SECONDS) * 1000 };
    } catch (cause) {
      if (cause instanceof AggregateError && cause.errors.some((error) => error instanceof errors.JWTExpired)) throw expired();
      throw new Error("The assertion of the caller could not be verified. Check ASSERTION_PUBLIC_KEYS.", { cause });
    }
  }

  return {
    async sign({ principal, clientAddress }) {
      const key = JSON.stringify([principal, clientAddress]);
      const cached = signed.get(key);
      if (cached && cached.until > Date.now()) return cached.assertion;
      const assertion = await new SignJWT({ ...(principal && { scope: { ...principal } }), ...(clientAddress !== undefined && { clientAddress }) })
        .setProtectedHeader({ alg: "EdDSA", kid: keys.name })
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS}s`)
        .sign(keys.privateKey);
      signed.set(key, { assertion, until: Date.now() + (LIFETIME_SECONDS * 1000) / 2 });
      return assertion;
    },
    async verify(assertion, signers) {
      if (!assertion) throw new Error("The request has no assertion of its caller: it did not come through the gateway.");
      let found = verified.get(assertion);
      if (!found) verified.set(assertion, (found = await verifySignature(assertion)));
      if (!signers.includes(found.signer)) throw new Error(`The assertion of the caller is signed by ${found.signer}, which does not call this port.`);
      if (found.expiresAt > Date.now()) return found;
      verified.delete(assertion);
      throw expired();
    },
  };
}
