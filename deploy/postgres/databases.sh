#!/bin/sh
# Run once by the image of PostgreSQL on an empty volume: a database for each service, an owner that migrates it, and a
# role that owns nothing and serves. The passwords come from the environment.
set -e

quoted() { printf '%s' "$1" | sed "s/'/''/g"; }

for service in identity portfolio ledger communications imports; do
  upper=$(printf '%s' "$service" | tr '[:lower:]' '[:upper:]')
  owner=$(printenv "${upper}_OWNER_PASSWORD")
  serving=$(printenv "${upper}_SERVICE_PASSWORD")
  psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<SQL
create role ${service}_owner login nosuperuser nobypassrls password '$(quoted "$owner")';
create role ${service}_service login nosuperuser nobypassrls password '$(quoted "$serving")';
create database ${service} owner ${service}_owner;
revoke all on database ${service} from public;
grant connect on database ${service} to ${service}_service;
SQL
done
