-- Two roles: latchkey_owner owns the tables, and only `npm run cli -- migrate` logs in with it; latchkey serves.
-- Once, as a superuser: psql --set ON_ERROR_STOP=1 --file docs/deploy/roles.sql
-- Neither has a password, and so neither can log in, before: psql --command '\password latchkey'
CREATE ROLE latchkey_owner LOGIN;
CREATE ROLE latchkey LOGIN;
CREATE DATABASE latchkey OWNER latchkey_owner;
-- Otherwise every role of the server may connect, hold the advisory locks of the service, and fill its disk.
REVOKE CONNECT, TEMPORARY ON DATABASE latchkey FROM PUBLIC;
GRANT CONNECT ON DATABASE latchkey TO latchkey;
\connect latchkey
ALTER SCHEMA public OWNER TO latchkey_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO latchkey;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner GRANT USAGE ON SEQUENCES TO latchkey;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner GRANT EXECUTE ON FUNCTIONS TO latchkey;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner GRANT USAGE ON SCHEMAS TO latchkey;
