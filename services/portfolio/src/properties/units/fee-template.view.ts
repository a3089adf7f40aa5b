import type { FeeTemplate } from "@freehold/contract/properties/units";
import { withVersion } from "@freehold/kit/http/etag";
import type { UnitFeeTemplate } from "./unit.entity.ts";

/** Returns the API representation of a fee template. */
export const feeTemplateView = ({
  id,
  unitId,
  label,
  amountCents,
  categoryId,
  defaultDueDay,
  kind,
  createdAt,
  updatedAt,
  version,
}: UnitFeeTemplate): FeeTemplate =>
  withVersion(
    {
      id,
      unitId,
      label,
      amountCents,
      categoryId,
      defaultDueDay: defaultDueDay ?? null,
      kind,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    },
    version,
  );
