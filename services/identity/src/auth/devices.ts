/**
 * Devices that have signed in before. The cookie of a device exempts it from the limit of failures of its account over all addresses, so that
 * nobody else can lock it out, and permits nothing else. It is signed and not stored: base64url of user id, device id, expiry and a MAC, which
 * includes the password hash, so that a new password ends the exemption of all devices.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { now } from "@freehold/kit/time/clock";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

const ID_BYTES = 16;
const EXPIRY_BYTES = 6;
const CONTENT_BYTES = 2 * ID_BYTES + EXPIRY_BYTES;
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
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(assertionKey, "base64"), "", "freehold identity device", 32));
  const mac = (content: Buffer, passwordHash: string): Buffer => createHmac("sha256", key).update(content).update(passwordHash).digest();

  return {
    issue({ userId, passwordHash }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(now().getTime() + DEVICE_LIFETIME_SECONDS * 1000, 0, EXPIRY_BYTES);
      const content = Buffer.concat([uuidToBytes(userId), randomBytes(ID_BYTES), expiry]);
      return Buffer.concat([content, mac(content, passwordHash)]).toString("base64url");
    },
    verify(cookie, users) {
      const bytes = Buffer.from(cookie ?? "", "base64url");
      const [content, presented] = [bytes.subarray(0, CONTENT_BYTES), bytes.subarray(CONTENT_BYTES)];
      if (content.length < CONTENT_BYTES) return undefined;
      const userId = uuidFromBytes(content.subarray(0, ID_BYTES));
      const user = users.find((candidate) => candidate.userId === userId);
      if (!user || content.readUIntBE(2 * ID_BYTES, EXPIRY_BYTES) <= now().getTime()) return undefined;
      const expected = mac(content, user.passwordHash);
      if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
      return { id: content.subarray(ID_BYTES, 2 * ID_BYTES).toString("base64url"), userId };
    },
  };
}
