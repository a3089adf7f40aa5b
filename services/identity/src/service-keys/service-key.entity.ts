import type { KeyScope } from "@freehold/contract/identity/service-keys";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";

const ServiceKeySchema = defineEntity({
  name: "ServiceKey",
  tableName: "service_key",
  ...inOrganization,
  properties: {
    ...orgColumns,
    name: p.text(),
    role: enumText(["manager", "staff"]),
    isReadOnly: p.boolean(),
    scopes: p.json().$type<KeyScope[] | null>().nullable(),
    secretHash: p.text().hidden(),
    lastUsedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    createdByUserId: p.uuid().nullable(),
    /** Version in the key's access tokens. Tokens with a lower one are invalid. */
    accessVersion: p.integer().default(0),
  },
});

/** Service key: API credentials of a program. The client id is derived from the ids; only the digest of the secret is stored. */
export class ServiceKey extends ServiceKeySchema.class {}
ServiceKeySchema.setClass(ServiceKey);
