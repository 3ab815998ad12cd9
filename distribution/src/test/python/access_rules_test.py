"""Tests python-ldap against a running server with the access rules that are shipped."""

import unittest

import ldap
import ldap.modlist
from ldap.controls import LDAPControl
from ldap.controls.readentry import PostReadControl

from directory import *
from python_ldap import connect

BOB = "uid=bob," + PEOPLE
GROUPS = "ou=groups," + SUFFIX
ADMINS = "cn=admins," + GROUPS
CREW = "cn=crew," + GROUPS
BOB_PASSWORD = "bob's own"
EFFECTIVE_RIGHTS = "1.3.6.1.4.1.42.2.27.9.5.2"


class AccessRulesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        root = connect()
        root.passwd_s(BOB, None, BOB_PASSWORD)
        for name, number in ((ADA, b"+1 1"), (BOB, b"+1 2")):
            root.modify_s(name, [(ldap.MOD_ADD, "homePhone", [number])])
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
        self.assertIn("homePhone", own)
        self.assertNotIn("userPassword", own)
        other = self.read(ada, BOB)
        self.assertIn("cn", other)
        self.assertNotIn("homePhone", other)
        self.assertEqual({}, self.read(ada, BOB, "userPassword", "homePhone"))

    def test_filters_tell_nothing_hidden(self):
        ada = self.ada()
        self.assertEqual([ADA], self.names(ada, "(homePhone=*)"))
        self.assertEqual([ADA], self.names(ada, "(homePhone=+1*)"))
        self.assertEqual([], self.names(ada, "(homePhone=+1 2)"))
        self.assertEqual([], self.names(ada, "(userPassword=*)"))
        self.assertEqual([], self.names(ada, "(&(uid=bob)(!(homePhone=+1 3)))"))
        self.assertEqual([], self.names(ada, "(homePhone:telephoneNumberMatch:=+1 2)"))
        self.assertEqual([BOB], self.names(ada, "(&(uid=bob)(|(homePhone=+1 2)(cn=*)))"))
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            ada.compare_s(BOB, "homePhone", b"+1 2")
        for filter in ("(homePhone=+1*)", "(homePhone:telephoneNumberMatch:=+1 2)", "(!(homePhone=+1 3))"):
            self.assertIn(BOB, self.names(self.bob(), filter))

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
