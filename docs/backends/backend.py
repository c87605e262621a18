"""A back end in Python's standard library: behind the check of nginx.conf it knows who calls, and events tell it what
becomes of its users. Bind it to where only the proxy and Latchkey reach it."""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADDRESS = ("127.0.0.1", int(os.environ.get("PORT", "8080")))
DATABASE = os.environ.get("DATABASE", "backend.db")
# One secret, or while it is replaced two, with a comma between them.
KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["WEBHOOK_SECRETS"].split(",")]
ROLES = ["readonly", "member", "org_admin", "sys_admin"]
OLDEST_SECONDS = 300
# What one organization may know of its members: `organizations` also names the others that they belong to.
MEMBERS = """SELECT users.id, json_extract(users.state, '$.email'), json_extract(membership.value, '$.role')
               FROM users, json_each(users.state, '$.organizations') AS membership
              WHERE json_extract(membership.value, '$.id') = ?"""
IDENTITY = ["User-Id", "Email", "Role", "Org-Id", "Session-Id", "Aal", "Subscribed", "Assertion"]


def database():
    return sqlite3.connect(DATABASE, timeout=10)


def prepare():
    with database() as tx:
        tx.execute("CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, version INTEGER, state TEXT)")
        tx.execute("CREATE TABLE IF NOT EXISTS notes (org_id TEXT, user_id TEXT, text TEXT)")


def is_signed(headers, body):
    """Whether Latchkey sent this within the last five minutes (Standard Webhooks 1.0)."""
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > OLDEST_SECONDS:
        return False
    content = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = ["v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in KEYS]
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in given)


def keep(event):
    """Keeps the state of a user unless a later one is known, and forgets what belonged to a user who is gone."""
    data = event["data"]
    if "user" not in data:
        return
    state = None if data["user"] is None else json.dumps(data["user"])
    with database() as tx:
        tx.execute(
            """INSERT INTO users VALUES (:id, :version, :state) ON CONFLICT (id) DO UPDATE
                  SET version = excluded.version, state = excluded.state WHERE excluded.version > users.version""",
            {"id": data["user_id"], "version": data["version"], "state": state},
        )
        tx.execute("DELETE FROM notes WHERE user_id IN (SELECT id FROM users WHERE state IS NULL)")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if self.path == "/latchkey-events":
            return self.take_event(body)
        if not self.is_identified():
            return self.answer(401, {})
        if self.path == "/v1/notes" and self.belongs_as("member"):
            with database() as tx:
                tx.execute("INSERT INTO notes VALUES (?, ?, ?)", (self.org, self.user, json.loads(body)["text"]))
            return self.answer(201, {})
        self.answer(403, {})

    def do_GET(self):
        if not self.is_identified():
            return self.answer(401, {})
        if self.path == "/v1/me":
            return self.answer(200, {"user_id": self.user, "role": self.role, "org_id": self.org})
        if self.path == "/v1/notes" and self.belongs_as("readonly"):
            notes = database().execute("SELECT user_id, text FROM notes WHERE org_id = ?", (self.org,))
            return self.answer(200, {"notes": [{"user_id": user, "text": text} for user, text in notes]})
        if self.path == "/v1/members" and self.belongs_as("org_admin"):
            members = database().execute(MEMBERS, (self.org,))
            return self.answer(200, {"members": [{"id": id, "email": email, "role": role} for id, email, role in members]})
        self.answer(403, {})

    def take_event(self, body):
        if not is_signed(self.headers, body):
            return self.answer(401, {})
        try:
            keep(json.loads(body))
        except sqlite3.Error as error:
            self.log_error("%s", error)
            return self.answer(503, {})  # Latchkey waits, and sends it again.
        self.answer(204, None)

    def is_identified(self):
        """Whether the proxy said who calls: it writes each header once, also one that is empty. A client may have had
        one removed, or have come around the proxy."""
        written = [self.headers.get_all(f"Latchkey-{name}", []) for name in IDENTITY]
        return all(len(values) == 1 for values in written) and self.user != ""

    # The proxy writes these, whatever the client sent.
    @property
    def user(self):
        return self.headers["Latchkey-User-Id"]

    # The organization that the check admitted the caller to. An id in a path, a query or a body is what the client asks for.
    @property
    def org(self):
        return self.headers["Latchkey-Org-Id"] or None

    @property
    def role(self):
        return self.headers["Latchkey-Role"]

    def belongs_as(self, role):
        """Whether the caller belongs to an organization, with this role or a higher one."""
        return self.org is not None and self.role in ROLES and ROLES.index(self.role) >= ROLES.index(role)

    def answer(self, status, content):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        if content is not None:
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    prepare()
    ThreadingHTTPServer(ADDRESS, Handler).serve_forever()
