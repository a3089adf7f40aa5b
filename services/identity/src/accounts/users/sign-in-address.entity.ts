import { defineEntity, enumText, p } from "@freehold/kit/db/entity";

const SignInAddressSchema = defineEntity({
  name: "SignInAddress",
  tableName: "sign_in_address",
  indexes: [{ name: "sign_in_address_by_user", properties: ["organizationId", "userId"] }],
  properties: {
    email: p.text().primary(),
    organizationId: p.uuid().primary(),
    userId: p.uuid(),
    proof: enumText(["none", "invite", "mail"]).default("none"),
    signedInAt: p.datetime(3).nullable(),
  },
});

/**
 * Maps an e-mail address to the users it signs in. Not under row-level security, because a sign-in starts with an address
 * and no organization; therefore the table holds only the address, ids, the time of the
 * last sign-in, and the proof of ownership: none, the link of an invite, or a link that was only mailed.
 */
export class SignInAddress extends SignInAddressSchema.class {}
SignInAddressSchema.setClass(SignInAddress);
