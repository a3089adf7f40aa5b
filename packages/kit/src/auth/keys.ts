/** Ed25519 keys of the processes, by which they prove to each other who sent an assertion or an event. */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";

export interface ProcessKeys {
  /** Name of this process. */
  readonly name: string;
  readonly privateKey: KeyObject;
  /** Returns the public keys of a process; several during a rotation, none of an unknown process. */
  publicKeysOf(process: string): readonly KeyObject[];
  /** Returns the signature of this process, in base64url. */
  sign(text: string): string;
  /** Tells whether a process signed the text. */
  isSignedBy(process: string, text: string, signature: string): boolean;
}

/** Reads the private key of the process `name` (PKCS#8, base64) and the public keys of all processes (name → SPKI, base64). */
export function readProcessKeys(name: string, privateKey: string, publicKeys: Record<string, string | readonly string[]>): ProcessKeys {
  const signingKey = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  const toKey = (key: string) => createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
  const keysByName = new Map(Object.entries(publicKeys).map(([process, keys]) => [process, [keys].flat().map(toKey)]));
  const publicKeysOf = (process: string) => keysByName.get(process) ?? [];
  return {
    name,
    privateKey: signingKey,
    publicKeysOf,
    sign: (text) => sign(null, Buffer.from(text), signingKey).toString("base64url"),
    isSignedBy: (process, text, signature) => publicKeysOf(process).some((key) => verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"))),
  };
}
