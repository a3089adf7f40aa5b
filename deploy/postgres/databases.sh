#!/bin/sh
# Run once by the image of PostgreSQL on an empty volume: a database for each service, an owner role that migrates
# it, and a service role that owns nothing. Each role gets the password of its database URL, which is in a file.
set -e

# Prints the password of the database URL in the file that a variable names.
password_in() {
  file=$(printenv "$1")
  password=$(sed -n 's|^postgres://[^:@/]*:\([A-Za-z0-9._~-]*\)@.*|\1|p' "$file")
  if [ -z "$password" ]; then
    echo "$1 is wrong: the URL in $file needs a password of letters, digits, and the characters . _ ~ -" >&2
    exit 1
  fi
  printf '%s' "$password"
}

for service in identity portfolio ledger communications imports; do
  upper=$(printf '%s' "$service" | tr '[:lower:]' '[:upper:]')
  owner_password=$(password_in "${upper}_OWNER_DATABASE_URL_FILE")
  service_password=$(password_in "${upper}_DATABASE_URL_FILE")
  psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<SQL
create role ${service}_owner login nosuperuser nobypassrls password '${owner_password}';
create role ${service}_service login nosuperuser nobypassrls password '${service_password}';
create database ${service} owner ${service}_owner;
revoke all on database ${service} from public;
grant connect on database ${service} to ${service}_service;
SQL
done
