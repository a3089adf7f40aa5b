/**
 * Who is asking, sealed by whoever checked it.
 *
 * The gateway signs a short assertion for each caller, a service signs one for work of its own; services believe
 * nothing else. Ed25519, sixty seconds; the public halves of all processes are known to all.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { Role } from "@freehold/contract/roles";
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { unauthorized } from "./errors.ts";

export interface Scope {
  organizationId: string;
  /** Null for work that no person asked for. */
  userId: string | null;
  role: Role | "system";
  /** Whom a portal user stands for; null for the office. */
  subjectId: string | null;
  /** The organization's IANA time zone; decides what day it is. */
  timezone: string;
  /** The signing-in that the caller's token came of, where there was one. */
  sessionId?: string;
}

export const SCOPE_HEADER = "x-freehold-scope";
export const REQUEST_HEADER = "x-request-id";
/** Where the caller connected from, as the gateway saw it. */
export const ADDRESS_HEADER = "x-freehold-client-address";
const LIFETIME_SECONDS = 60;
const AUDIENCE = "freehold-services";

interface Opened {
  scope: Scope;
  expiresAt: number;
}

export interface Seals {
  /** A signed assertion of the scope, good for a minute; the same one is handed out again for half of that. */
  seal(scope: Scope): Promise<string>;
  /** The scope in an assertion of a known process; 401 for anything else. */
  open(assertion: string | undefined): Promise<Scope>;
}

/** A cache that forgets its oldest entries; what it forgets can be computed again. */
export class Recent<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  constructor(limit: number) {
    this.#limit = limit;
  }
  get(key: string): V | undefined {
    return this.#entries.get(key);
  }
  set(key: string, value: V): void {
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
  }
  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/**
 * Seals with the process's private key (PKCS#8, base64) and opens with everybody's public keys (`name` → SPKI, base64;
 * several while one follows another).
 */
export function seals(name: string, privateKey: string, publicKeys: Record<string, string | readonly string[]>): Seals {
  const own = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  const publicKey = (key: string) => createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
  const known = new Map<string, KeyObject[]>(Object.entries(publicKeys).map(([who, keys]) => [who, [keys].flat().map(publicKey)]));
  const sealed = new Recent<{ assertion: string; until: number }>(10_000);
  const opened = new Recent<Opened>(10_000);

  async function verify(assertion: string): Promise<Opened> {
    try {
      const keys = known.get(decodeProtectedHeader(assertion).kid ?? "") ?? [];
      const { payload } = await Promise.any(
        keys.map((key) => jwtVerify(assertion, key, { algorithms: ["EdDSA"], audience: AUDIENCE, requiredClaims: ["exp", "scope"] })),
      );
      return { scope: payload["scope"] as Scope, expiresAt: payload.exp! * 1000 };
    } catch (cause) {
      throw Object.assign(unauthorized("This service answers only to the gateway.", "token_invalid"), { cause });
    }
  }

  return {
    async seal(scope) {
      const key = `${scope.organizationId}|${scope.userId}|${scope.role}|${scope.subjectId}|${scope.timezone}|${scope.sessionId}`;
      const earlier = sealed.get(key);
      if (earlier && earlier.until > Date.now()) return earlier.assertion;
      const assertion = await new SignJWT({ scope: { ...scope } })
        .setProtectedHeader({ alg: "EdDSA", kid: name })
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS}s`)
        .sign(own);
      sealed.set(key, { assertion, until: Date.now() + (LIFETIME_SECONDS * 1000) / 2 });
      return assertion;
    },
    async open(assertion) {
      if (!assertion) throw unauthorized("This service answers only to the gateway.", "token_missing");
      let found = opened.get(assertion);
      if (!found) opened.set(assertion, (found = await verify(assertion)));
      if (found.expiresAt > Date.now()) return found.scope;
      opened.delete(assertion);
      throw unauthorized("The assertion has expired.", "token_expired");
    },
  };
}

/** The scope of work that a service does by itself, inside one organization. */
export const systemScope = (organizationId: string, timezone = "UTC"): Scope => ({ organizationId, userId: null, role: "system", subjectId: null, timezone });
