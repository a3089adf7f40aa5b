import { defineEntity, p } from "@freehold/kit/db/entity";

const SignInAddressSchema = defineEntity({
  name: "SignInAddress",
  tableName: "sign_in_address",
  indexes: [{ name: "sign_in_address_by_user", properties: ["organizationId", "userId"] }],
  properties: { email: p.text().primary(), organizationId: p.uuid().primary(), userId: p.uuid() },
});

/**
 * Which users an e-mail address may sign in as. The only table of people that is outside the wall: whoever signs in has
 * given an address and no organization yet, so it must be read without one. It holds nothing else.
 */
export class SignInAddress extends SignInAddressSchema.class {}
SignInAddressSchema.setClass(SignInAddress);
