"""A mail server for tests, on aiosmtpd. It ends with the process that started it.

It prints its port on a line of its own, then keeps each mail it accepts as a file in a folder: the envelope's sender
and recipient as two header lines, X-Test-From and X-Test-To, in front of what was sent. What happens to a mail is
chosen by the recipient's local part:

  refused     550 at RCPT                 busy      451 at RCPT
  full        554 after the content       greylist  451 at RCPT the first time, then accepted
  slow        no answer at RCPT           silent    taken, and then the connection ends without an answer
  late        taken, two seconds later    mute      taken, and never answered
  stays       taken, no answer at QUIT    drips     taken, and answered in lines without an end
  floods      taken, and answered in more lines than anybody reads

Anything else is accepted.
"""

import argparse
import asyncio
import os
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Handler:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0
        self.greylisted = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        if name == "refused":
            return "550 5.1.1 no such mailbox"
        if name == "busy":
            return "451 4.3.0 try again later"
        if name == "slow":
            await asyncio.sleep(600)
        if name == "greylist" and address not in self.greylisted:
            self.greylisted.add(address)
            return "451 4.7.1 greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if envelope.rcpt_tos[0].startswith("full@"):
            return "554 5.7.1 not accepted"
        self.count += 1
        head = f"X-Test-From: {envelope.mail_from}\r\nX-Test-To: {','.join(envelope.rcpt_tos)}\r\n"
        draft = self.folder / f".{self.count:04}"
        draft.write_bytes(head.encode() + envelope.original_content)
        draft.rename(self.folder / f"{self.count:04}.eml")
        if envelope.rcpt_tos[0].startswith("silent@"):
            server.transport.abort()
            await asyncio.sleep(600)
        while envelope.rcpt_tos[0].startswith("drips@"):
            await server.push("250-a moment")
            await asyncio.sleep(0.1)
        if envelope.rcpt_tos[0].startswith("floods@"):
            for _ in range(5000):
                await server.push("250-a moment")
        session.stays = envelope.rcpt_tos[0].startswith("stays@")
        await asyncio.sleep({"late": 2, "mute": 600}.get(envelope.rcpt_tos[0].split("@")[0], 0))
        return "250 OK"

    async def handle_QUIT(self, server, session, envelope):
        if getattr(session, "stays", False):
            await asyncio.sleep(600)
        return "221 Bye"


class Closed(SMTP):
    """Greets everybody with 554."""

    async def push(self, status):
        await super().push("554 5.3.2 no mail is taken" if str(status).startswith("220 mail.") else status)


def authenticator(user, password):
    def authenticate(server, session, envelope, mechanism, data):
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=right, handled=False)

    return authenticate


async def serve(options):
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
    starttls = context if options.tls == "starttls" else None
    handler = Handler(options.folder)

    def session():
        return (Closed if options.closed else SMTP)(
            handler,
            hostname="mail.example.test",
            enable_SMTPUTF8=True,
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=authenticator(options.user, options.password) if options.user else None,
            auth_required=bool(options.user),
            auth_require_tls=context is not None and starttls is not None,
        )

    server = await asyncio.get_running_loop().create_server(
        session, "127.0.0.1", options.port, ssl=context if options.tls == "implicit" else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    sys.exit(0)


parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--tls", choices=["starttls", "implicit"])
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--closed", action="store_true")
parser.add_argument("--user")
parser.add_argument("--password")
asyncio.run(serve(parser.parse_args()))
