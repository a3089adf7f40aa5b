import { z } from "zod";

const example = ["The bank account Operating would lack 50000 cents of the owners of the property Elm Street 1 (0192f0c4-8a8e-7cc0-9d7e-3f0f5a1f2b01)."];

/** Member of the responses of operations that take money from a trust account. */
export const trustWarnings = {
  warnings: z
    .array(z.string())
    .describe(
      "With the policy `trustOverdraft` `warn`, the sentences with which `block` would have refused the operation, because it uses money of others in a trust account. Otherwise empty.",
    )
    .meta({ example }),
};

/** Member of the response of the record of a bank fee, which the bank has taken in any case. */
export const feeWarnings = {
  warnings: z
    .array(z.string())
    .describe(
      "A sentence for the property, the owner of a property or the management company that has too little money in the trust account for a bank fee, so that money of others pays for it. Empty for interest, when nothing is missing, and with the policy `trustOverdraft` `off`.",
    )
    .meta({ example }),
};

const shortageExample = [
  "The bank account Operating lacks 50000 cents of the owners of the property Elm Street 1 (0192f0c4-8a8e-7cc0-9d7e-3f0f5a1f2b01), because the money of the payment was already used. Deposit the missing money in the account, or transfer it there.",
];

/** Member of the response of the reversal of a payment, which is posted although its money was used. */
export const shortageWarnings = {
  warnings: z
    .array(z.string())
    .describe(
      "A sentence for each beneficiary at the properties of the payment who lacks money today in a trust account that held it, because the money was used. Empty when nothing is missing, and with the policy `trustOverdraft` `off`.",
    )
    .meta({ example: shortageExample }),
};
