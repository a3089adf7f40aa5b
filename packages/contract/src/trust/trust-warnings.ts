import { z } from "zod";

const example = ["The bank account Operating would lack 50000 cents of the owners of the property."];

/** Member of the responses of operations that take money from a trust account. */
export const trustWarnings = {
  warnings: z
    .array(z.string())
    .describe(
      "With the policy `trustOverdraft` `warn`, the sentences with which `block` would have refused the operation, because it uses money of others in a trust account. Otherwise empty.",
    )
    .meta({ example }),
};
