/** Rules of owner statements: the figures of a property and their sums. */
import type { OwnerStatement } from "@freehold/contract/trust/owner-statements";
import { MANAGEMENT_FEES, OWNER_DISTRIBUTIONS } from "../../chart/chart.ts";

type PropertyStatement = OwnerStatement["properties"][number];

/** Sums of a statement in cents. */
export type StatementFigures = Pick<
  OwnerStatement,
  | "beginningCents"
  | "incomeCents"
  | "expenseCents"
  | "feesCents"
  | "contributionsCents"
  | "distributionsCents"
  | "endingCents"
  | "reserveCents"
  | "additionalReserveCents"
>;

/** Movement of an owner's money at a property; the one without a date is the balance before the period. */
export interface StatementMovement {
  propertyId: string;
  date: string | null;
  accountCode: string;
  accountName: string;
  accountType: string;
  description: string;
  vendorName: string | null;
  shareBps: number | null;
  ownCents: number;
}

interface Property {
  propertyId: string;
  propertyName: string;
  reserveCents: number;
  additionalReserveCents: number;
  additionalReserveNote: string | null;
}

/** Returns the statement of a property from its movements in the order of their dates. */
export function propertyStatement(property: Property, movements: readonly StatementMovement[]): PropertyStatement {
  const sumOf = (condition: (movement: StatementMovement) => boolean) =>
    movements.reduce((sum, movement) => (condition(movement) ? sum + movement.ownCents : sum), 0);
  const inPeriod = (condition: (movement: StatementMovement) => boolean) => sumOf((movement) => movement.date !== null && condition(movement));
  const beginningCents = sumOf(({ date }) => date === null);
  let balanceCents = beginningCents;
  const entries = movements.flatMap(({ date, accountCode, accountName, description, vendorName, shareBps, ownCents }) => {
    if (date === null) return [];
    balanceCents += ownCents;
    return [{ date, accountCode, accountName, description, vendorName, shareBps, amountCents: ownCents, balanceCents }];
  });
  return {
    ...property,
    beginningCents,
    incomeCents: inPeriod(({ accountType }) => accountType === "income"),
    expenseCents: -inPeriod(({ accountType, accountCode }) => accountType === "expense" && accountCode !== MANAGEMENT_FEES) || 0,
    feesCents: -inPeriod(({ accountCode }) => accountCode === MANAGEMENT_FEES) || 0,
    contributionsCents: inPeriod(({ accountType, accountCode }) => accountType === "equity" && accountCode !== OWNER_DISTRIBUTIONS),
    distributionsCents: -inPeriod(({ accountCode }) => accountCode === OWNER_DISTRIBUTIONS) || 0,
    endingCents: balanceCents,
    entries,
  } as PropertyStatement;
}

/** Returns the sums of the figures of properties. */
export function sumStatements(properties: readonly PropertyStatement[]): StatementFigures {
  const sum = (figure: keyof StatementFigures) => properties.reduce((total, property) => total + property[figure], 0);
  return {
    beginningCents: sum("beginningCents"),
    incomeCents: sum("incomeCents"),
    expenseCents: sum("expenseCents"),
    feesCents: sum("feesCents"),
    contributionsCents: sum("contributionsCents"),
    distributionsCents: sum("distributionsCents"),
    endingCents: sum("endingCents"),
    reserveCents: sum("reserveCents"),
    additionalReserveCents: sum("additionalReserveCents"),
  } as StatementFigures;
}
