#!/bin/sh
# Writes the secrets of compose.yaml into the folder `secrets`, beside which it is called. It replaces none.
set -eu

# The folder keeps other users of the machine out; the containers' users must be able to read the files.
umask 022
mkdir -m 700 secrets
# Not shown while it is typed. Without a terminal there is nothing to hide.
if [ -t 0 ]; then
	trap 'stty echo' EXIT
	trap 'exit 1' INT TERM
	stty -echo
fi
printf 'Password of the SMTP user: ' >&2
IFS= read -r smtp_password
if [ -t 0 ]; then
	stty echo
	echo >&2
fi

cd secrets
printf '%s\n' "$smtp_password" > smtp_password
openssl rand -hex 32 > jwt_secret_key
openssl rand -hex 32 > postgres_password
printf 'postgres://latchkey:%s@/latchkey?host=/var/run/postgresql\n' "$(openssl rand -hex 32)" > database_url
printf 'postgres://latchkey_owner:%s@/latchkey?host=/var/run/postgresql\n' "$(openssl rand -hex 32)" > database_owner_url
