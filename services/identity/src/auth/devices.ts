/**
 * Devices that have signed in before. The cookie of a device exempts it from the limit of failures of its account over all addresses, so that
 * nobody else can lock it out, and permits nothing else. It is signed and not stored: base64url of user id, device id, expiry and a MAC, which
 * includes the password hash, so that a new password ends the exemption of all devices.
 */
import { randomBytes } from "node:crypto";
import { deriveKey, parseUnverifiedToken, tokenSigner } from "@freehold/kit/auth/signed-token";
import { now } from "@freehold/kit/time/clock";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

const ID_BYTES = 16;
const EXPIRY_BYTES = 6;
const LAYOUT = { contentBytes: 2 * ID_BYTES + EXPIRY_BYTES, macBytes: 32 };
export const DEVICE_LIFETIME_SECONDS = 180 * 86_400;

interface DeviceUser {
  userId: string;
  passwordHash: string;
}

export interface Device {
  id: string;
  /** The only user whose limit the device is exempt from. */
  userId: string;
}

export interface Devices {
  /** Returns the cookie of a new device of a user. */
  issue(user: DeviceUser): string;
  /** Returns a device of one of the users, undefined for an invalid or expired cookie. */
  verify(cookie: string | undefined, users: readonly DeviceUser[]): Device | undefined;
}

/** Creates the issuer and verifier of device cookies. Derives the MAC key from the assertion key (base64). */
export function createDevices(assertionKey: string): Devices {
  const signer = tokenSigner(deriveKey(Buffer.from(assertionKey, "base64"), "freehold identity device"), LAYOUT);
  return {
    issue({ userId, passwordHash }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(now().getTime() + DEVICE_LIFETIME_SECONDS * 1000, 0, EXPIRY_BYTES);
      return signer.sign(Buffer.concat([uuidToBytes(userId), randomBytes(ID_BYTES), expiry]), passwordHash);
    },
    verify(cookie, users) {
      const content = cookie === undefined ? undefined : parseUnverifiedToken(cookie, LAYOUT);
      if (!content) return undefined;
      const userId = uuidFromBytes(content.subarray(0, ID_BYTES));
      const user = users.find((candidate) => candidate.userId === userId);
      if (!user || content.readUIntBE(2 * ID_BYTES, EXPIRY_BYTES) <= now().getTime() || !signer.verify(cookie!, user.passwordHash)) return undefined;
      return { id: content.subarray(ID_BYTES, 2 * ID_BYTES).toString("base64url"), userId };
    },
  };
}
