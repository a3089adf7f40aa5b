/** Database URLs of deployments. */

/** Folder with the certificate of the authority of PostgreSQL in every container. */
export const POSTGRES_CERTIFICATE_DIR = "/etc/postgres-tls";
const POSTGRES_CA_FILE = `${POSTGRES_CERTIFICATE_DIR}/ca.crt`;

/** Returns a database URL with which clients verify the certificate and the name of the server. */
export const deploymentDatabaseUrl = (role: string, password: string, host: string, database: string): string =>
  `postgres://${role}:${password}@${host}:5432/${database}?sslmode=verify-full&sslrootcert=${POSTGRES_CA_FILE}`;
