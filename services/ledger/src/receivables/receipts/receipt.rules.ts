/** Numbers of receipts. */

/** Returns the number of a receipt: the day on which the money was received and the end of the payment's id. */
export const receiptNumber = (receivedOn: string, paymentId: string): string => `R-${receivedOn.replaceAll("-", "")}-${paymentId.slice(-8).toUpperCase()}`;
