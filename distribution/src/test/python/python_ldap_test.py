"""Tests python-ldap, which uses libldap, against a running server."""

import unittest

import ldap
import ldap.modlist
import ldap.schema
from ldap.controls import LDAPControl, SimplePagedResultsControl
from ldap.controls.libldap import AssertionControl, MatchedValuesControl
from ldap.controls.psearch import (
    CHANGE_TYPES_INT,
    EntryChangeNotificationControl,
    PersistentSearchControl,
)
from ldap.controls.readentry import PostReadControl, PreReadControl
from ldap.controls.sessiontrack import SESSION_TRACKING_FORMAT_OID_USERNAME, SessionTrackingControl
from ldap.controls.simple import (
    AuthorizationIdentityRequestControl,
    AuthorizationIdentityResponseControl,
    ManageDSAITControl,
    ProxyAuthzControl,
    ValueLessRequestControl,
)
from ldap.controls.sss import SSSRequestControl
from ldap.controls.vlv import VLVRequestControl
from ldap.dn import escape_dn_chars
from ldap.extop import ExtendedRequest
from ldap.filter import escape_filter_chars
from ldap.ldapobject import SimpleLDAPObject
from ldap.syncrepl import SyncreplConsumer

from directory import *
from python_ldap import TIMEOUT_SECONDS, connect, opened

BASE = "ou=python-ldap," + SUFFIX


def encoded(values):
    return [value.encode() if isinstance(value, str) else value for value in values]


def person(uid, **more):
    attributes = {
        "objectClass": ["inetOrgPerson", "posixAccount"],
        "uid": [uid],
        "cn": ["Person " + uid],
        "sn": [uid],
        "uidNumber": ["5000"],
        "gidNumber": ["100"],
        "homeDirectory": ["/home"],
    }
    attributes.update(more)
    return ldap.modlist.addModlist({name: encoded(values) for name, values in attributes.items()})


class Copy(SimpleLDAPObject, SyncreplConsumer):
    """A copy of the entries below BASE, by content synchronization."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.entries = {}
        self.listed = set()
        self.cookie = None
        self.is_refreshed = False

    def syncrepl_set_cookie(self, cookie):
        self.cookie = cookie

    def syncrepl_get_cookie(self):
        return self.cookie

    def syncrepl_entry(self, dn, attributes, uuid):
        self.entries[uuid] = (dn, attributes)

    def syncrepl_delete(self, uuids):
        for uuid in uuids:
            self.entries.pop(uuid, None)

    def syncrepl_present(self, uuids, refreshDeletes=False):
        if uuids is not None:
            self.listed.update(uuids)
            return
        if not refreshDeletes:
            self.entries = {uuid: self.entries[uuid] for uuid in self.listed}
        self.listed.clear()

    def syncrepl_refreshdone(self):
        self.is_refreshed = True

    def refresh(self):
        sent = self.syncrepl_search(BASE, ldap.SCOPE_SUBTREE)
        self.syncrepl_poll(sent, timeout=TIMEOUT_SECONDS, all=1)

    def names(self):
        return sorted(dn for dn, _ in self.entries.values())


class PythonLdapTest(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        self.addCleanup(self.connection.unbind_s)
        unit = {"objectClass": [b"organizationalUnit"], "ou": [b"python-ldap"]}
        self.connection.add_s(BASE, ldap.modlist.addModlist(unit))
        self.addCleanup(self.delete_tree, BASE)

    def delete_tree(self, name):
        self.connection.delete_ext_s(name, [ValueLessRequestControl(TREE_DELETE, True)])

    def add(self, uid, **more):
        name = "uid=%s,%s" % (escape_dn_chars(uid), BASE)
        self.connection.add_s(name, person(uid, **more))
        return name

    def read(self, name, *attributes):
        found = self.connection.search_s(name, ldap.SCOPE_BASE, attrlist=list(attributes) or None)
        self.assertEqual(1, len(found))
        return found[0][1]

    def names(self, filter="(objectClass=person)", controls=None):
        """Returns the names found below the base, in the order of the answer, and the response's controls."""
        sent = self.connection.search_ext(BASE, ldap.SCOPE_SUBTREE, filter, ["1.1"], serverctrls=controls)
        _, found, _, answered = self.connection.result3(sent)
        return [name for name, _ in found], answered

    def copy(self):
        copy = opened(Copy)
        self.addCleanup(copy.unbind_s)
        return copy

    def test_synchronize(self):
        names = [self.add("sync%d" % number) for number in range(5)]
        copy = self.copy()
        copy.refresh()
        self.assertEqual(sorted([BASE] + names), copy.names())
        self.connection.delete_s(names[0])
        self.connection.modify_s(names[1], [(ldap.MOD_REPLACE, "description", [b"changed"])])
        self.connection.rename_s(names[2], "uid=sync9")
        copy.refresh()
        renamed = "uid=sync9," + BASE
        self.assertEqual(sorted([BASE, renamed, names[1]] + names[3:]), copy.names())
        self.assertIn([b"changed"], [found.get("description") for _, found in copy.entries.values()])
        again = self.copy()
        again.cookie, again.entries = copy.cookie, copy.entries
        again.refresh()
        self.assertEqual(copy.names(), again.names())

    def test_follow(self):
        first = self.add("follow1")
        copy = self.copy()
        sent = copy.syncrepl_search(BASE, ldap.SCOPE_SUBTREE, mode="refreshAndPersist")
        while not copy.is_refreshed:
            copy.syncrepl_poll(sent, timeout=TIMEOUT_SECONDS)
        self.assertEqual([BASE, first], sorted(copy.names()))
        second = self.add("follow2")
        self.connection.delete_s(first)
        while copy.names() != sorted([BASE, second]):
            copy.syncrepl_poll(sent, timeout=TIMEOUT_SECONDS)
        copy.cancel_s(sent)

    def test_bind(self):
        stranger = connect(None)
        self.addCleanup(stranger.unbind_s)
        self.assertEqual("", stranger.whoami_s())
        with self.assertRaises(ldap.INVALID_CREDENTIALS):
            stranger.simple_bind_s(ADA, "wrong")
        with self.assertRaises(ldap.UNWILLING_TO_PERFORM):
            stranger.simple_bind_s(ADA, "")
        with self.assertRaises(ldap.STRONG_AUTH_REQUIRED):
            stranger.delete_s(ADA)
        bind = stranger.simple_bind(ADA, "enchantress", [AuthorizationIdentityRequestControl(True)])
        _, _, _, controls = stranger.result3(bind)
        identities = [c.authzId for c in controls if isinstance(c, AuthorizationIdentityResponseControl)]
        self.assertEqual([b"dn:" + ADA.encode()], identities)
        self.assertEqual("dn:" + ADA, stranger.whoami_s())
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            stranger.delete_s(ADA)

    def test_add(self):
        name = self.add("eve", description=["first", "second"], jpegPhoto=[PICTURE])
        entry = self.read(name)
        self.assertEqual([b"inetOrgPerson", b"posixAccount"], entry["objectClass"])
        self.assertEqual([b"first", b"second"], entry["description"])
        self.assertEqual([PICTURE], entry["jpegPhoto"])
        with self.assertRaises(ldap.ALREADY_EXISTS):
            self.add("eve")
        with self.assertRaises(ldap.OBJECT_CLASS_VIOLATION):
            self.add("classless", ou=["x"], dc=["not of these classes"])
        with self.assertRaises(ldap.UNDEFINED_TYPE):
            self.add("unknown", shoeSize=["44"])
        with self.assertRaises(ldap.INVALID_SYNTAX):
            self.add("number", uidNumber=["many"])
        with self.assertRaises(ldap.TYPE_OR_VALUE_EXISTS):
            self.add("twice", description=["same", "SAME"])
        with self.assertRaises(ldap.CONSTRAINT_VIOLATION):
            self.add("operational", entryCSN=["20260101000000.000000Z#000000#000#000000"])
        with self.assertRaises(ldap.NO_SUCH_OBJECT) as caught:
            self.connection.add_s("uid=lost,ou=Nowhere," + BASE, person("lost"))
        self.assertEqual(BASE, caught.exception.args[0]["matched"])
        with self.assertRaises(ldap.INVALID_DN_SYNTAX):
            self.connection.add_s("nonsense", person("nonsense"))
        self.assertEqual([name], self.names()[0])

    def test_modify(self):
        name = self.add("max", telephoneNumber=["+44 20 1", "+44 20 2"])
        self.connection.modify_s(
            name,
            [
                (ldap.MOD_ADD, "description", [b"one", b"two"]),
                (ldap.MOD_DELETE, "telephoneNumber", [b"+44201"]),
                (ldap.MOD_REPLACE, "cn", [b"Max", "Mäx".encode()]),
                (ldap.MOD_INCREMENT, "uidNumber", [b"7"]),
            ],
        )
        entry = self.read(name)
        self.assertEqual([b"one", b"two"], entry["description"])
        self.assertEqual([b"+44 20 2"], entry["telephoneNumber"])
        self.assertEqual(["Max", "Mäx"], [value.decode() for value in entry["cn"]])
        self.assertEqual([b"5007"], entry["uidNumber"])
        self.connection.modify_s(name, [(ldap.MOD_DELETE, "description", None)])
        self.connection.modify_s(name, [(ldap.MOD_REPLACE, "telephoneNumber", None)])
        self.connection.modify_s(name, [(ldap.MOD_REPLACE, "telephoneNumber", None)])
        entry = self.read(name)
        self.assertNotIn("description", entry)
        self.assertNotIn("telephoneNumber", entry)

    def test_modify_from_differences(self):
        name = self.add("diff", description=["old"], title=["gone"])
        before = self.read(name)
        after = dict(before, description=[b"new"], mail=[b"diff@example.com"])
        del after["title"]
        self.connection.modify_s(name, ldap.modlist.modifyModlist(before, after))
        self.assertEqual(after, self.read(name))

    def test_refused_modifications(self):
        name = self.add("rex", description=["one"])
        before = self.read(name, "*", "+")
        for error, change in [
            (ldap.TYPE_OR_VALUE_EXISTS, (ldap.MOD_ADD, "description", [b"ONE"])),
            (ldap.NO_SUCH_ATTRIBUTE, (ldap.MOD_DELETE, "description", [b"two"])),
            (ldap.NO_SUCH_ATTRIBUTE, (ldap.MOD_DELETE, "mail", None)),
            (ldap.CONSTRAINT_VIOLATION, (ldap.MOD_INCREMENT, "roomNumber", [b"1"])),
            (ldap.OBJECT_CLASS_VIOLATION, (ldap.MOD_DELETE, "sn", None)),
            (ldap.NOT_ALLOWED_ON_RDN, (ldap.MOD_REPLACE, "uid", [b"other"])),
            (ldap.UNDEFINED_TYPE, (ldap.MOD_ADD, "shoeSize", [b"44"])),
            (ldap.INVALID_SYNTAX, (ldap.MOD_ADD, "description", [b"\xff"])),
            (ldap.INVALID_SYNTAX, (ldap.MOD_ADD, "description", [b""])),
            (ldap.CONSTRAINT_VIOLATION, (ldap.MOD_REPLACE, "gidNumber", [b"1", b"2"])),
            (ldap.CONSTRAINT_VIOLATION, (ldap.MOD_REPLACE, "entryUUID", [b"x"])),
        ]:
            with self.subTest(change=change), self.assertRaises(error):
                # The first part alone would suffice, but it is all or none.
                self.connection.modify_s(name, [(ldap.MOD_ADD, "title", [b"King"]), change])
        with self.assertRaises(ldap.NO_SUCH_OBJECT):
            self.connection.modify_s("uid=none," + BASE, [(ldap.MOD_ADD, "mail", [b"x"])])
        self.assertEqual(before, self.read(name, "*", "+"))

    def test_empty_values(self):
        name = self.add("void", homeDirectory=[b""])
        self.assertEqual([b""], self.read(name)["homeDirectory"])
        self.connection.modify_s(name, [(ldap.MOD_REPLACE, "gecos", [b""])])
        self.assertEqual([b""], self.read(name, "gecos")["gecos"])
        self.assertTrue(self.connection.compare_s(name, "gecos", b""))
        self.assertEqual([name], self.names("(gecos=)")[0])
        self.connection.modify_s(name, [(ldap.MOD_DELETE, "gecos", [b""])])
        self.assertNotIn("gecos", self.read(name))

    def test_rename(self):
        self.connection.add_s(
            "ou=Sub," + BASE, [("objectClass", [b"organizationalUnit"]), ("ou", [b"Sub"])]
        )
        name = self.add("ren")
        uuid = self.read(name, "entryUUID")["entryUUID"]
        self.connection.rename_s(name, "uid=kept", delold=0)
        name = "uid=kept," + BASE
        self.assertEqual([b"kept", b"ren"], sorted(self.read(name)["uid"]))
        self.connection.rename_s(name, "uid=new+cn=Person ren", delold=1)
        name = "uid=new+cn=Person ren," + BASE
        self.assertEqual([b"new", b"ren"], sorted(self.read(name)["uid"]))
        self.connection.rename_s(name, "uid=moved", "ou=Sub," + BASE, delold=0)
        name = "uid=moved,ou=Sub," + BASE
        self.assertEqual(uuid, self.read(name, "entryUUID")["entryUUID"])
        self.connection.rename_s("ou=Sub," + BASE, "ou=Größe", delold=1)
        name = "uid=moved,ou=Größe," + BASE
        self.assertEqual(uuid, self.read(name, "entryUUID")["entryUUID"])
        self.assertEqual([name], self.names("(uid=ren)")[0])
        with self.assertRaises(ldap.UNWILLING_TO_PERFORM):
            self.connection.rename_s("ou=Größe," + BASE, "ou=Größe", "ou=Größe," + BASE)
        with self.assertRaises(ldap.ALREADY_EXISTS):
            self.connection.rename_s(name, "ou=Größe", BASE)
        with self.assertRaises(ldap.NO_SUCH_OBJECT):
            self.connection.rename_s(name, "uid=moved", "ou=Nowhere," + BASE)
        self.connection.rename_s(name, "UID=Moved", delold=1)
        self.assertIn(b"Moved", self.read("uid=moved,ou=grösse," + BASE)["uid"])

    def test_delete(self):
        name = self.add("gone")
        with self.assertRaises(ldap.NOT_ALLOWED_ON_NONLEAF):
            self.connection.delete_s(BASE)
        self.connection.delete_s(name)
        with self.assertRaises(ldap.NO_SUCH_OBJECT):
            self.connection.delete_s(name)
        self.assertEqual([], self.names()[0])

    def test_compare(self):
        name = self.add("cora", cn=["Cora Ångström"])
        self.assertTrue(self.connection.compare_s(name, "cn", "cora  ÅNGSTRÖM".encode()))
        self.assertFalse(self.connection.compare_s(name, "cn", b"Cora"))
        with self.assertRaises(ldap.NO_SUCH_ATTRIBUTE):
            self.connection.compare_s(name, "title", b"x")
        with self.assertRaises(ldap.NO_SUCH_OBJECT):
            self.connection.compare_s("uid=none," + BASE, "cn", b"x")

    def test_text_beyond_ascii(self):
        uid = 'Jürgen, "№ 7" + <東京> 😀\\;#='
        name = self.add(uid, description=["Ünïcödé", "日本語"])
        self.assertEqual([uid.encode()], self.read(name)["uid"])
        self.assertEqual(["Ünïcödé", "日本語"], [v.decode() for v in self.read(name)["description"]])
        found = self.names("(uid=%s)" % escape_filter_chars(uid.upper()))[0]
        self.assertEqual(1, len(found))
        self.assertEqual(ldap.dn.str2dn(name), ldap.dn.str2dn(found[0]))
        self.assertEqual(found, self.names("(description=日本*)")[0])
        self.assertEqual(found, self.names("(description=ünïcödé)")[0])
        # The same letters, each as two characters.
        apart = "u\u0308ni\u0308co\u0308de\u0301"
        self.assertEqual(found, self.names("(description=%s)" % apart)[0])
        self.assertEqual([b"M\xc3\xbcller"], self.read(ZOE)["sn"])
        self.connection.delete_s(found[0])

    def populate(self, count=25):
        """Adds people whose surnames are in another order than their names."""
        names = {}
        for number in range(count):
            surname = "s%02d" % (number * 7 % count)
            names[surname] = self.add("p%02d" % number, sn=[surname], employeeNumber=[str(number)])
        return [names[surname] for surname in sorted(names)]

    def test_pages(self):
        expected = self.populate()
        for size in (1, 7, 25, 1000):
            found = []
            page = SimplePagedResultsControl(True, size, "")
            while True:
                names, controls = self.names(controls=[page])
                self.assertLessEqual(len(names), size)
                found += names
                page.cookie = controls[0].cookie
                if not page.cookie:
                    break
            self.assertEqual(sorted(expected), sorted(found))

    def test_sort(self):
        expected = self.populate()
        names, controls = self.names(controls=[SSSRequestControl(True, ["sn"])])
        self.assertEqual(expected, names)
        self.assertEqual([0], [control.sortResult for control in controls])
        names, _ = self.names(controls=[SSSRequestControl(True, ["-sn:caseIgnoreOrderingMatch"])])
        self.assertEqual(expected[::-1], names)
        with self.assertRaises(ldap.UNAVAILABLE_CRITICAL_EXTENSION):
            self.names(controls=[SSSRequestControl(True, ["shoeSize"])])

    def test_list_view(self):
        expected = self.populate()
        sort = SSSRequestControl(True, ["sn"])
        view = VLVRequestControl(True, before_count=2, after_count=3, offset=10, content_count=0)
        names, controls = self.names(controls=[sort, view])
        self.assertEqual(expected[7:13], names)
        place = next(c for c in controls if c.controlType == LIST_VIEW_RESPONSE)
        self.assertEqual((10, 25, 0), (place.target_position, place.content_count, place.result))
        view = VLVRequestControl(
            True,
            before_count=0,
            after_count=1,
            greater_than_or_equal=b"s20",
            context_id=place.context_id,
        )
        names, controls = self.names(controls=[sort, view])
        self.assertEqual(expected[20:22], names)

    def test_pages_of_a_sorted_list(self):
        expected = self.populate()
        page = SimplePagedResultsControl(True, 10, "")
        sort = SSSRequestControl(True, ["sn"])
        names, controls = self.names(controls=[page, sort])
        page.cookie = next(c.cookie for c in controls if isinstance(c, SimplePagedResultsControl))
        more, controls = self.names(controls=[page, sort])
        self.assertEqual(expected[:20], names + more)
        page.size = 0
        page.cookie = next(c.cookie for c in controls if isinstance(c, SimplePagedResultsControl))
        self.assertEqual([], self.names(controls=[page, sort])[0])

    def test_password_modify(self):
        name = self.add("pat")
        self.connection.passwd_s(name, None, "ünïque")
        pat = connect(name, "ünïque")
        self.addCleanup(pat.unbind_s)
        _, made = pat.passwd_s(None, "ünïque", None, extract_newpw=True)
        self.assertGreaterEqual(len(made.genPasswd), 8)
        pat.simple_bind_s(name, made.genPasswd)
        with self.assertRaises(ldap.UNWILLING_TO_PERFORM):
            pat.passwd_s(name, "wrong", "other")
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            pat.passwd_s(ADA, None, "other")
        with self.assertRaises(ldap.INVALID_CREDENTIALS):
            pat.simple_bind_s(name, "ünïque")
        self.assertIn("userPassword", self.read(name))

    def test_read_entry(self):
        name = "uid=rea," + BASE
        _, _, _, controls = self.connection.add_ext_s(
            name, person("rea"), [PostReadControl(True, ["cn", "entryUUID"])]
        )
        self.assertEqual(name, controls[0].dn)
        self.assertEqual([b"Person rea"], controls[0].entry["cn"])
        uuid = controls[0].entry["entryUUID"]
        _, _, _, controls = self.connection.modify_ext_s(
            name,
            [(ldap.MOD_INCREMENT, "uidNumber", [b"1"])],
            [PreReadControl(True, ["uidNumber"]), PostReadControl(True, ["uidNumber"])],
        )
        before, after = sorted(controls, key=lambda control: control.controlType)
        self.assertEqual(({"uidNumber": [b"5000"]}, {"uidNumber": [b"5001"]}), (before.entry, after.entry))
        sent = self.connection.rename(name, "uid=red", serverctrls=[PostReadControl(True, ["uid"])])
        _, _, _, controls = self.connection.result3(sent)
        self.assertEqual(("uid=red," + BASE, [b"red"]), (controls[0].dn, controls[0].entry["uid"]))
        _, _, _, controls = self.connection.delete_ext_s(
            "uid=red," + BASE, [PreReadControl(True, ["entryUUID"])]
        )
        self.assertEqual(uuid, controls[0].entry["entryUUID"])

    def test_assertion(self):
        name = self.add("ann")
        change = [(ldap.MOD_REPLACE, "description", [b"asserted"])]
        with self.assertRaises(ldap.ASSERTION_FAILED):
            self.connection.modify_ext_s(name, change, [AssertionControl(True, "(uid=other)")])
        self.assertNotIn("description", self.read(name))
        self.connection.modify_ext_s(name, change, [AssertionControl(True, "(uid=ann)")])
        self.assertEqual([b"asserted"], self.read(name)["description"])
        with self.assertRaises(ldap.ASSERTION_FAILED):
            self.connection.delete_ext_s(name, [AssertionControl(True, "(!(uid=ann))")])

    def test_matched_values(self):
        name = self.add("val", description=["one", "two", "three"])
        found = self.connection.search_ext_s(
            name,
            ldap.SCOPE_BASE,
            serverctrls=[MatchedValuesControl(True, "((description=t*)(uid=*))")],
        )
        self.assertEqual({"description": [b"two", b"three"], "uid": [b"val"]}, found[0][1])

    def test_proxied_authorization(self):
        as_ada = ProxyAuthzControl(True, ("dn:" + ADA).encode())
        with self.assertRaises(ldap.INSUFFICIENT_ACCESS):
            self.connection.delete_ext_s(BASE, [as_ada])
        ada = connect(ADA, "enchantress")
        self.addCleanup(ada.unbind_s)
        with self.assertRaises(ldap.PROXIED_AUTHORIZATION_DENIED):
            ada.search_ext_s(
                BASE, ldap.SCOPE_BASE, serverctrls=[ProxyAuthzControl(True, ("dn:" + ROOT).encode())]
            )

    def test_no_operation_and_permission(self):
        name = self.add("non", description=["one"])
        with self.assertRaises(ldap.LDAPError) as caught:
            self.connection.delete_ext_s(name, [ValueLessRequestControl(NO_OP, True)])
        self.assertEqual(NO_OPERATION, caught.exception.args[0]["result"])
        self.connection.modify_ext_s(
            name,
            [(ldap.MOD_ADD, "description", [b"ONE", b"two"]), (ldap.MOD_DELETE, "mail", None)],
            [ValueLessRequestControl(PERMISSIVE_MODIFY, True)],
        )
        self.assertEqual([b"one", b"two"], self.read(name)["description"])

    def test_session_tracking_and_unknown_controls(self):
        tracking = SessionTrackingControl("127.0.0.1", "here", SESSION_TRACKING_FORMAT_OID_USERNAME, "me")
        self.connection.search_ext_s(BASE, ldap.SCOPE_BASE, serverctrls=[tracking])
        unknown = LDAPControl("1.2.3.4", False, b"\x00")
        self.connection.search_ext_s(BASE, ldap.SCOPE_BASE, serverctrls=[unknown])
        unknown.criticality = True
        with self.assertRaises(ldap.UNAVAILABLE_CRITICAL_EXTENSION):
            self.connection.search_ext_s(BASE, ldap.SCOPE_BASE, serverctrls=[unknown])
        with self.assertRaises(ldap.PROTOCOL_ERROR):
            self.connection.extop_s(ExtendedRequest("1.2.3.4", None))

    def test_persistent_search(self):
        watcher = connect()
        self.addCleanup(watcher.unbind_s)
        there = self.add("there")
        control = PersistentSearchControl(criticality=True, changesOnly=False, returnECs=True)
        watch = watcher.search_ext(BASE, ldap.SCOPE_SUBTREE, "(uid=*)", ["cn"], serverctrls=[control])
        # Existing entries come first, and no later change is left out.
        _, found, _, _ = watcher.result3(watch, all=0, timeout=TIMEOUT_SECONDS)
        self.assertEqual([there], [name for name, _ in found])
        name = self.add("per")
        self.connection.modify_s(name, [(ldap.MOD_REPLACE, "cn", [b"Seen"])])
        self.connection.rename_s(name, "uid=perm")
        self.connection.delete_s("uid=perm," + BASE)
        seen = []
        while len(seen) < 4:
            _, found, _, _, _, _ = watcher.result4(
                watch, all=0, add_ctrls=1, add_intermediates=1, timeout=TIMEOUT_SECONDS
            )
            for changed, _, controls in found:
                change = next(c for c in controls if isinstance(c, EntryChangeNotificationControl))
                seen.append((change.changeType, changed, change.previousDN))
        renamed = "uid=perm," + BASE
        self.assertEqual(
            [
                (CHANGE_TYPES_INT["add"], name, None),
                (CHANGE_TYPES_INT["modify"], name, None),
                (CHANGE_TYPES_INT["modDN"], renamed, name),
                (CHANGE_TYPES_INT["delete"], renamed, None),
            ],
            seen,
        )
        watcher.cancel_s(watch)
        self.assertEqual("dn:" + ROOT, watcher.whoami_s())

    def test_referrals(self):
        with self.assertRaises(ldap.REFERRAL) as caught:
            self.connection.search_s(REFERRAL, ldap.SCOPE_BASE)
        self.assertIn("ldap://ldap.example.net/", caught.exception.args[0]["info"])
        with self.assertRaises(ldap.REFERRAL):
            self.connection.delete_s(REFERRAL)
        with self.assertRaises(ldap.REFERRAL):
            self.connection.add_s("uid=x," + REFERRAL, person("x"))
        found = self.connection.search_ext_s(
            REFERRAL, ldap.SCOPE_BASE, serverctrls=[ManageDSAITControl()]
        )
        self.assertEqual([b"elsewhere"], found[0][1]["cn"])
        found = self.connection.search_s("ou=Places," + SUFFIX, ldap.SCOPE_SUBTREE, "(cn=*)")
        self.assertEqual(1, sum(name is None for name, _ in found))

    def test_schema(self):
        name, schema = ldap.schema.subentry.urlfetch(URL)
        self.assertEqual("cn=Subschema", name)
        self.assertEqual(
            "2.16.840.1.113730.3.2.2", schema.get_obj(ldap.schema.ObjectClass, "inetOrgPerson").oid
        )
        must, may = schema.attribute_types(["inetOrgPerson"])
        self.assertIn("2.5.4.4", must)
        self.assertIn("0.9.2342.19200300.100.1.60", may)
        for kind in (ldap.schema.AttributeType, ldap.schema.ObjectClass):
            self.assertGreater(len(schema.listall(kind)), 30)
            for oid in schema.listall(kind):
                self.assertEqual(oid, schema.get_obj(kind, oid).oid)
        root = self.connection.read_rootdse_s()
        self.assertEqual([SUFFIX.encode()], root["namingContexts"])

    def test_large_group(self):
        name = "cn=crowd," + BASE
        members = [member(number).encode() for number in range(MEMBERS)]
        half = MEMBERS // 2
        self.connection.add_s(
            name,
            [("objectClass", [b"groupOfNames"]), ("cn", [b"crowd"]), ("member", members[:half])],
        )
        self.connection.modify_s(name, [(ldap.MOD_ADD, "member", members[half:])])
        self.assertEqual(set(members), set(self.read(name, "member")["member"]))
        self.assertTrue(self.connection.compare_s(name, "member", members[half].upper()))
        with self.assertRaises(ldap.TYPE_OR_VALUE_EXISTS):
            self.connection.modify_s(name, [(ldap.MOD_ADD, "member", [members[-1]])])
        self.assertEqual([name], self.names("(member=%s)" % member(half))[0])
        self.connection.modify_s(
            name, [(ldap.MOD_DELETE, "member", [members[half]]), (ldap.MOD_ADD, "member", [ADA.encode()])]
        )
        self.assertEqual([], self.names("(member=%s)" % member(half))[0])
        self.assertEqual([name], self.names("(member=%s)" % ADA)[0])
        self.connection.modify_s(name, [(ldap.MOD_DELETE, "member", members[:half])])
        self.assertEqual(
            set(members[half + 1 :]) | {ADA.encode()}, set(self.read(name, "member")["member"])
        )

    def test_many_requests_at_once(self):
        sent = [self.connection.add("uid=m%d,%s" % (i, BASE), person("m%d" % i)) for i in range(300)]
        for message in reversed(sent):
            self.connection.result3(message)
        abandoned = self.connection.search(BASE, ldap.SCOPE_SUBTREE)
        self.connection.abandon(abandoned)
        self.assertEqual(300, len(self.names()[0]))


if __name__ == "__main__":
    unittest.main()
