"""Tests TLS and SASL of python-ldap and ldap3 against a running server, which the environment names."""

import os
import ssl
import unittest

import ldap
import ldap.sasl
import ldap3

LDAP, LDAPS, LDAPI, AUTHORITY, CERTIFICATE = (
    os.environ["NYALA_" + name] for name in ("LDAP", "LDAPS", "LDAPI", "AUTHORITY", "CERTIFICATE")
)
ALICE = "uid=alice,dc=example,dc=com"
PROCESS = "dn:gidNumber=%d+uidNumber=%d,cn=peercred,cn=external,cn=auth" % (
    os.getegid(),
    os.geteuid(),
)
TIMEOUT_SECONDS = 60


class PythonLdapTest(unittest.TestCase):
    """python-ldap, with libldap, GnuTLS and libsasl."""

    def connect(self, url, certificate=False):
        connection = ldap.initialize(url)
        connection.set_option(ldap.OPT_NETWORK_TIMEOUT, TIMEOUT_SECONDS)
        connection.timeout = TIMEOUT_SECONDS
        connection.set_option(ldap.OPT_X_SASL_SECPROPS, "none")
        if url != LDAPI:
            connection.set_option(ldap.OPT_X_TLS_CACERTFILE, AUTHORITY)
            connection.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
            if certificate:
                connection.set_option(ldap.OPT_X_TLS_CERTFILE, CERTIFICATE)
                connection.set_option(ldap.OPT_X_TLS_KEYFILE, CERTIFICATE)
            connection.set_option(ldap.OPT_X_TLS_NEWCTX, 0)
        if url == LDAP:
            connection.start_tls_s()
        self.addCleanup(connection.unbind_s)
        return connection

    def login(self, connection, mechanism, password="secret", authzid=""):
        answers = {
            ldap.sasl.CB_AUTHNAME: "alice",
            ldap.sasl.CB_PASS: password,
            ldap.sasl.CB_USER: authzid,
        }
        connection.sasl_interactive_bind_s("", ldap.sasl.sasl(answers, mechanism))
        return connection.whoami_s()

    def test_the_process_at_the_other_end_of_a_local_socket(self):
        connection = self.connect(LDAPI)
        connection.sasl_external_bind_s()
        self.assertEqual(PROCESS, connection.whoami_s())

    def test_certificates(self):
        for url in LDAPS, LDAP:
            connection = self.connect(url, certificate=True)
            self.assertEqual("", connection.whoami_s())
            connection.sasl_external_bind_s()
            self.assertEqual("dn:" + ALICE, connection.whoami_s())

    def test_no_certificate(self):
        with self.assertRaises(ldap.LDAPError):
            self.connect(LDAPS).sasl_external_bind_s()

    def test_passwords(self):
        for url in LDAPS, LDAP:
            for mechanism in "PLAIN", "SCRAM-SHA-256":
                connection = self.connect(url)
                with self.subTest(url=url, mechanism=mechanism):
                    self.assertEqual("dn:" + ALICE, self.login(connection, mechanism))
                    with self.assertRaises(ldap.INVALID_CREDENTIALS):
                        self.login(connection, mechanism, "Secret")
                    self.assertEqual("", connection.whoami_s())

    def test_acting_as_another(self):
        connection = self.connect(LDAPS)
        self.assertEqual("dn:" + ALICE, self.login(connection, "PLAIN", authzid="dn:" + ALICE))
        with self.assertRaises(ldap.LDAPError):
            self.login(connection, "SCRAM-SHA-256", authzid="dn:cn=admin")


class Ldap3Test(unittest.TestCase):
    """ldap3, with Python's own OpenSSL and mechanisms of its own."""

    def connect(self, url, certificate=None, **options):
        tls = ldap3.Tls(
            validate=ssl.CERT_REQUIRED,
            ca_certs_file=AUTHORITY,
            local_certificate_file=certificate,
            local_private_key_file=certificate,
        )
        server = ldap3.Server(url, tls=tls)
        before = ldap3.AUTO_BIND_TLS_BEFORE_BIND if url == LDAP else ldap3.AUTO_BIND_NO_TLS
        connection = ldap3.Connection(
            server, auto_bind=before, receive_timeout=TIMEOUT_SECONDS, **options
        )
        self.addCleanup(connection.unbind)
        return connection.extend.standard.who_am_i()

    def test_simple_binds(self):
        for url in LDAPS, LDAP:
            self.assertEqual("dn:" + ALICE, self.connect(url, user=ALICE, password="secret"))

    def test_certificates(self):
        for url in LDAPS, LDAP:
            found = self.connect(
                url, CERTIFICATE, authentication=ldap3.SASL, sasl_mechanism=ldap3.EXTERNAL
            )
            self.assertEqual("dn:" + ALICE, found)

    def test_passwords(self):
        for url in LDAPS, LDAP:
            options = {"authentication": ldap3.SASL, "sasl_mechanism": ldap3.PLAIN}
            found = self.connect(url, sasl_credentials=(None, "alice", "secret"), **options)
            self.assertEqual("dn:" + ALICE, found)
            with self.assertRaises(ldap3.core.exceptions.LDAPBindError):
                self.connect(url, sasl_credentials=(None, "alice", "Secret"), **options)


if __name__ == "__main__":
    unittest.main()
