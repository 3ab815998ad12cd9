"""Tests python-ldap against a running server with the access rules that are shipped."""

import unittest

import ldap
import ldap.modlist
from ldap.controls import LDAPControl
from ldap.controls.readentry import PostReadControl
from ldap.controls.sss import SSSRequestControl

from directory import *

BOB = "uid=bob," + PEOPLE
GROUPS = "ou=groups," + SUFFIX
ADMINS = "cn=admins," + GROUPS
CREW = "cn=crew," + GROUPS
BOB_PASSWORD = "bob's own"
EFFECTIVE_RIGHTS = "1.3.6.1.4.1.42.2.27.9.5.2"
TIMEOUT_SECONDS = 60


def connect(name=None, password=None):
    connection = ldap.initialize(URL)
    connection.set_option(ldap.OPT_REFERRALS, 0)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, TIMEOUT_SECONDS)
    connection.timeout = TIMEOUT_SECONDS
    if name is not None:
        connection.simple_bind_s(name, password)
    return connection


class AccessRulesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        root = connect(ROOT, ROOT_PASSWORD)
        root.passwd_s(BOB, None, BOB_PASSWORD)
        root.add_s(GROUPS, ldap.modlist.addModlist({"objectClass": [b"organizationalUnit"], "ou": [b"groups"]}))
        for name, owner in ((ADMINS, ROOT), (CREW, ADA)):
            group = {"objectClass": [b"groupOfNames"], "member": [ROOT.encode()], "owner": [owner.encode()]}
            root.add_s(name, ldap.modlist.addModlist(group))
        root.unbind_s()

    def bound(self, name=None, password=None):
        connection = connect(name, password)
        self.addCleanup(connection.unbind_s)
        return connection

    def ada(self):
        return self.bound(ADA, "enchantress")

    def bob(self):
        return self.bound(BOB, BOB_PASSWORD)

    def read(self, connection, name, *attributes):
        found = connection.search_s(name, ldap.SCOPE_BASE, attrlist=list(attributes) or None)
        self.assertEqual(1, len(found))
        return found[0][1]

    def names(self, connection, filter):
        return [name for name, _ in connection.search_s(SUFFIX, ldap.SCOPE_SUBTREE, filter, ["1.1"])]

    def test_strangers(self):
        stranger = self.bound()
        self.assertIn("namingContexts", self.read(stranger, "", "*", "+"))
        for name in (SUFFIX, ADA, "uid=nobody," + PEOPLE):
            with self.assertRaises(ldap.NO_SUCH_OBJECT) as refused:
                self.read(stranger, name)
            self.assertNotIn("matched", refused.exception.args[0])
            with self.assertRaises((ldap.NO_SUCH_OBJECT, ldap.STRONG_AUTH_REQUIRED)):
                stranger.delete_s(name)

    def test_own_entry_and_those_of_colleagues(self):
        ada = self.ada()
        own = self.read(ada, ADA)
        self.assertIn("homeDirectory", own)
        self.assertNotIn("userPassword", own)
        other = self.read(ada, BOB)
        self.assertIn("cn", other)
        self.assertNotIn("homeDirectory", other)
        self.assertNotIn("userPassword", self.read(ada, BOB, "userPassword", "homeDirectory"))

    def test_filters_tell_nothing_hidden(self):
        ada = self.ada()
        self.assertEqual([ADA], self.names(ada, "(homeDirectory=*)"))
        self.assertEqual([], self.names(ada, "(userPassword=*)"))
        self.assertEqual([], self.names(ada, "(&(uid=bob)(!(homeDirectory=/nowhere)))"))
        self.assertEqual([], self.names(ada, "(homeDirectory:caseIgnoreMatch:=/home/bob)"))
        self.assertEqual([BOB], self.names(ada, "(&(uid=bob)(|(homeDirectory=/home/bob)(cn=*)))"))
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            ada.compare_s(BOB, "homeDirectory", b"/home/bob")
        sent = ada.search_ext(
            PEOPLE,
            ldap.SCOPE_ONELEVEL,
            "(objectClass=person)",
            ["1.1"],
            serverctrls=[SSSRequestControl(True, ["homeDirectory"])],
        )
        _, found, _, _ = ada.result3(sent)
        self.assertIn(BOB, [name for name, _ in found])

    def test_own_attributes(self):
        ada = self.ada()
        read = PostReadControl(True, ["telephoneNumber", "userPassword"])
        change = [(ldap.MOD_REPLACE, "telephoneNumber", [b"+44 1"])]
        sent = ada.modify_ext(ADA, change, serverctrls=[read])
        _, _, _, controls = ada.result3(sent)
        self.assertEqual([{"telephoneNumber": [b"+44 1"]}], [control.entry for control in controls])
        for refused in (
            [(ldap.MOD_REPLACE, "uidNumber", [b"0"])],
            [(ldap.MOD_ADD, "mail", [b"root@example.com"])],
            change + [(ldap.MOD_REPLACE, "sn", [b"King"])],
        ):
            with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
                ada.modify_s(ADA, refused)
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            ada.modify_s(BOB, change)
        self.assertEqual([b"1001"], self.read(ada, ADA)["uidNumber"])

    def test_passwords(self):
        bob = self.bob()
        bob.passwd_s(BOB, BOB_PASSWORD, "another")
        self.assertEqual("dn:" + BOB, self.bound(BOB, "another").whoami_s())
        bob.passwd_s(BOB, "another", BOB_PASSWORD)
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            bob.passwd_s(ADA, None, "taken over")
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            bob.modify_s(ADA, [(ldap.MOD_REPLACE, "userPassword", [b"taken over"])])
        self.ada()

    def test_owners_of_groups(self):
        ada = self.ada()
        member = [(ldap.MOD_ADD, "member", [BOB.encode()])]
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            self.bob().modify_s(CREW, member)
        ada.modify_s(CREW, member)
        self.assertIn(BOB.encode(), self.read(ada, CREW)["member"])
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            ada.modify_s(CREW, [(ldap.MOD_REPLACE, "owner", [BOB.encode()])])
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            ada.modify_s(ADMINS, [(ldap.MOD_ADD, "member", [ADA.encode()])])

    def test_administrators(self):
        bob = self.bob()
        name = "uid=eve," + PEOPLE
        eve = ldap.modlist.addModlist(
            {"objectClass": [b"inetOrgPerson"], "uid": [b"eve"], "cn": [b"Eve"], "sn": [b"E"]}
        )
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            bob.add_s(name, eve)
        root = self.bound(ROOT, ROOT_PASSWORD)
        root.modify_s(ADMINS, [(ldap.MOD_ADD, "member", [BOB.encode()])])
        bob.add_s(name, eve)
        bob.rename_s(name, "uid=eva")
        bob.delete_s("uid=eva," + PEOPLE)
        root.modify_s(ADMINS, [(ldap.MOD_DELETE, "member", [BOB.encode()])])
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            bob.add_s(name, eve)

    def test_effective_rights(self):
        asked = LDAPControl(EFFECTIVE_RIGHTS, True, encodedControlValue=("dn:" + BOB).encode())
        for connection in (self.bob(), self.bound(ROOT, ROOT_PASSWORD)):
            sent = connection.search_ext(
                BOB, ldap.SCOPE_BASE, attrlist=["telephoneNumber", "uidNumber"], serverctrls=[asked]
            )
            _, found, _, _ = connection.result3(sent)
            rights = found[0][1]["attributeLevelRights"][0].decode()
            self.assertRegex(rights, r"telephoneNumber:[a-z]*w")
            self.assertNotRegex(rights, r"uidNumber:[a-z]*w")
