#!/bin/sh
# Run once by the image of PostgreSQL on an empty volume: a database for each service, an owner role that migrates
# it, and a service role that owns nothing. The passwords come from the environment.
set -e

quoted() { printf '%s' "$1" | sed "s/'/''/g"; }

for service in identity portfolio ledger communications imports; do
  upper=$(printf '%s' "$service" | tr '[:lower:]' '[:upper:]')
  owner_password=$(printenv "${upper}_OWNER_PASSWORD")
  service_password=$(printenv "${upper}_SERVICE_PASSWORD")
  psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<SQL
create role ${service}_owner login nosuperuser nobypassrls password '$(quoted "$owner_password")';
create role ${service}_service login nosuperuser nobypassrls password '$(quoted "$service_password")';
create database ${service} owner ${service}_owner;
revoke all on database ${service} from public;
grant connect on database ${service} to ${service}_service;
SQL
done
