import { defineEntity, p } from "@freehold/kit/db/entity";
import type { JWK } from "jose";

const SigningKeySchema = defineEntity({
  name: "SigningKey",
  tableName: "signing_key",
  properties: {
    kid: p.text().primary(),
    publicKey: p.json().$type<JWK>(),
    /** Private key, encrypted. Null until the first start after the update from a version that stored private keys as they are. */
    sealedKey: p.text().nullable(),
    /** Private key that a former version stored. Replaced by the public key, which replicas of that version publish, once it is sealed. */
    privateKey: p.json().$type<JWK>().nullable(),
    createdAt: p.datetime(3),
    signsFrom: p.datetime(3),
    retiresAt: p.datetime(3).nullable(),
  },
});

/** Signing key of access tokens. Shared by all organizations. It signs from `signsFrom` until its successor does, and is published before and afterwards. */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);
