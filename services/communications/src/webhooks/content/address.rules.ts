/** Addresses in e-mail headers. */

const ADDRESS = /^[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,253}$/;

/** Returns the address in `address`, `<address>` or `Name <address>`, in lower case; undefined for a text without one. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim().slice(-512);
  const address = (/<([^<>]*)>$/.exec(trimmed)?.[1] ?? trimmed).trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
}
