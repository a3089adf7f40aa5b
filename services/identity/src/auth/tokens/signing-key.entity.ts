import { defineEntity, p } from "@freehold/kit/db/entity";
import type { JWK } from "jose";

const SigningKeySchema = defineEntity({
  name: "SigningKey",
  tableName: "signing_key",
  properties: { kid: p.text().primary(), privateKey: p.json().$type<JWK>(), createdAt: p.datetime(3), retiresAt: p.datetime(3).nullable() },
});

/** Signing key of access tokens. Shared by all organizations. */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);
