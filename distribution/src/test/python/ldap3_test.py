"""Tests ldap3, which is pure Python, against a running server."""

import unittest

from ldap3 import (
    ALL,
    ALL_ATTRIBUTES,
    ALL_OPERATIONAL_ATTRIBUTES,
    ASYNC,
    ASYNC_STREAM,
    BASE,
    MODIFY_ADD,
    MODIFY_DELETE,
    MODIFY_INCREMENT,
    MODIFY_REPLACE,
    SAFE_SYNC,
    SUBTREE,
    Connection,
    ObjectDef,
    Reader,
    Server,
    Writer,
)
from ldap3.operation.search import compile_filter, parse_filter
from ldap3.protocol.persistentSearch import persistent_search_control
from ldap3.protocol.rfc4527 import post_read_control, pre_read_control
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import escape_rdn
from pyasn1.codec.ber import decoder, encoder
from pyasn1.type import tag, univ

from directory import *

UNIT = "ou=ldap3," + SUFFIX
TIMEOUT_SECONDS = 60
CLASSES = ["inetOrgPerson", "posixAccount"]

server = Server(URL, get_info=ALL)


def connect(name=ROOT, password=ROOT_PASSWORD, **options):
    return Connection(
        server, name, password, auto_bind=True, receive_timeout=TIMEOUT_SECONDS, **options
    )


def attributes(uid, **more):
    result = {
        "uid": uid,
        "cn": "Person " + uid,
        "sn": uid,
        "uidNumber": 5000,
        "gidNumber": 100,
        "homeDirectory": "/home",
    }
    result.update(more)
    return result


def sequence(*components):
    result = univ.Sequence()
    for position, component in enumerate(components):
        result.setComponentByPosition(position, component)
    return result


def tagged(component, number):
    """Returns the component with an implicit context tag."""
    form = tag.tagFormatConstructed if isinstance(component, univ.Sequence) else tag.tagFormatSimple
    return component.clone(tagSet=component.tagSet.tagImplicitly(tag.Tag(tag.tagClassContext, form, number)))


def sort_by(attribute, reverse=False):
    key = sequence(univ.OctetString(attribute))
    if reverse:
        key.setComponentByPosition(1, tagged(univ.Boolean(True), 1))
    return SORT_REQUEST, True, encoder.encode(sequence(key))


def list_view(before, after, offset, count):
    place = univ.Sequence(
        tagSet=univ.Sequence.tagSet.tagImplicitly(
            tag.Tag(tag.tagClassContext, tag.tagFormatConstructed, 0)
        )
    )
    place.setComponentByPosition(0, univ.Integer(offset))
    place.setComponentByPosition(1, univ.Integer(count))
    value = sequence(univ.Integer(before), univ.Integer(after), place)
    return LIST_VIEW_REQUEST, True, encoder.encode(value)


def assertion(text):
    parsed = parse_filter(text, server.schema, True, True, None, True)
    compiled = compile_filter(parsed.elements[0])
    return ASSERTION, True, encoder.encode(compiled)


class Ldap3Test(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        self.addCleanup(self.connection.unbind)
        self.should(self.connection.add(UNIT, "organizationalUnit"))
        self.addCleanup(self.delete_tree, UNIT)

    def delete_tree(self, name):
        self.should(self.connection.delete(name, controls=[(TREE_DELETE, True, None)]))

    def should(self, succeed):
        self.assertTrue(succeed, self.connection.result)

    def should_be_refused(self, code, succeeded):
        self.assertFalse(succeeded)
        self.assertEqual(code, self.connection.result["description"], self.connection.result)

    def add(self, uid, **more):
        name = "uid=%s,%s" % (escape_rdn(uid), UNIT)
        self.should(self.connection.add(name, CLASSES, attributes(uid, **more)))
        return name

    def read(self, name, *wanted):
        self.should(
            self.connection.search(name, "(objectClass=*)", BASE, attributes=wanted or ALL_ATTRIBUTES)
        )
        return self.connection.entries[0]

    def names(self, filter="(objectClass=person)", controls=None, **more):
        """Returns the names found below the unit, in the order of the answer, and the response's controls."""
        self.connection.search(UNIT, filter, SUBTREE, controls=controls, **more)
        found = [entry.entry_dn for entry in self.connection.entries]
        return found, self.connection.result.get("controls", {})

    def test_bind(self):
        stranger = Connection(server, auto_bind=True)
        self.addCleanup(stranger.unbind)
        self.assertIsNone(stranger.extend.standard.who_am_i())
        self.assertFalse(stranger.delete(ADA))
        self.assertEqual("strongerAuthRequired", stranger.result["description"])
        self.assertTrue(stranger.rebind(ADA, "enchantress"))
        self.assertEqual("dn:" + ADA, stranger.extend.standard.who_am_i())
        self.assertFalse(stranger.delete(ADA))
        self.assertEqual("insufficientAccessRights", stranger.result["description"])
        wrong = Connection(server, ADA, "wrong")
        self.addCleanup(wrong.unbind)
        self.assertFalse(wrong.bind())
        self.assertEqual("invalidCredentials", wrong.result["description"])

    def test_add(self):
        name = self.add("eve", description=["first", "second"], jpegPhoto=PICTURE)
        entry = self.read(name)
        self.assertEqual(["first", "second"], entry.description.values)
        self.assertEqual([PICTURE], entry.jpegPhoto.raw_values)
        self.assertEqual(5000, entry.uidNumber.value)
        add = self.connection.add
        self.should_be_refused("entryAlreadyExists", add(name, CLASSES, attributes("eve")))
        lost = "uid=lost,ou=Nowhere," + UNIT
        self.should_be_refused("noSuchObject", add(lost, CLASSES, attributes("lost")))
        self.assertEqual(UNIT, self.connection.result["dn"])
        name = "uid=x," + UNIT
        self.should_be_refused("objectClassViolation", add(name, "inetOrgPerson", {"uid": "x"}))
        self.should_be_refused(
            "objectClassViolation", add(name, CLASSES, attributes("x", dc="not of these classes"))
        )

    def test_modify(self):
        name = self.add("max", telephoneNumber=["+44 20 1", "+44 20 2"])
        changes = {
            "description": [(MODIFY_ADD, ["one", "two"])],
            "telephoneNumber": [(MODIFY_DELETE, ["+44201"]), (MODIFY_ADD, ["+44 20 3"])],
            "cn": [(MODIFY_REPLACE, ["Max", "Mäx"])],
            "uidNumber": [(MODIFY_INCREMENT, [-7])],
        }
        self.should(self.connection.modify(name, changes))
        entry = self.read(name)
        self.assertEqual(["one", "two"], entry.description.values)
        self.assertEqual(["+44 20 2", "+44 20 3"], entry.telephoneNumber.values)
        self.assertEqual(["Max", "Mäx"], entry.cn.values)
        self.assertEqual(4993, entry.uidNumber.value)
        modify = self.connection.modify
        self.should(modify(name, {"description": [(MODIFY_DELETE, [])]}))
        self.should(modify(name, {"telephoneNumber": [(MODIFY_REPLACE, [])]}))
        self.assertNotIn("description", self.read(name))
        self.assertNotIn("telephoneNumber", self.read(name))
        for code, attribute, change in [
            ("attributeOrValueExists", "cn", (MODIFY_ADD, ["MAX"])),
            ("noSuchAttribute", "cn", (MODIFY_DELETE, ["Moritz"])),
            ("noSuchAttribute", "mail", (MODIFY_DELETE, [])),
            ("objectClassViolation", "sn", (MODIFY_DELETE, [])),
            ("notAllowedOnRDN", "uid", (MODIFY_REPLACE, ["other"])),
            ("constraintViolation", "cn", (MODIFY_INCREMENT, [1])),
            ("constraintViolation", "gidNumber", (MODIFY_ADD, [7])),
        ]:
            with self.subTest(attribute=attribute, change=change):
                self.should_be_refused(code, modify(name, {attribute: [change]}))

    def test_empty_values(self):
        name = self.add("void", gecos=[""])
        self.assertEqual([b""], self.read(name).gecos.raw_values)
        self.assertEqual([name], self.names("(gecos=)")[0])
        self.should_be_refused(
            "invalidAttributeSyntax",
            self.connection.modify(name, {"description": [(MODIFY_ADD, [""])]}),
        )

    def test_rename(self):
        self.should(self.connection.add("ou=Größe," + UNIT, "organizationalUnit"))
        name = self.add("ren")
        uuid = self.read(name, "entryUUID").entryUUID.value
        rename = self.connection.modify_dn
        self.should(rename(name, "uid=kept", delete_old_dn=False))
        name = "uid=kept," + UNIT
        self.assertCountEqual(["ren", "kept"], self.read(name).uid.values)
        self.should(rename(name, "uid=ren", new_superior="ou=Größe," + UNIT))
        name = "uid=ren,ou=Größe," + UNIT
        self.assertEqual(["ren"], self.read(name).uid.values)
        self.should(rename("ou=Größe," + UNIT, "ou=Mass"))
        self.assertEqual(["uid=ren,ou=Mass," + UNIT], self.names("(entryUUID=%s)" % uuid.strip("{}"))[0])
        self.should_be_refused("noSuchObject", rename(name, "uid=again"))

    def test_delete(self):
        name = self.add("gone")
        self.should_be_refused("notAllowedOnNonLeaf", self.connection.delete(UNIT))
        self.should(self.connection.delete(name))
        self.should_be_refused("noSuchObject", self.connection.delete(name))

    def test_compare(self):
        name = self.add("cora", cn="Cora Ångström", jpegPhoto=PICTURE)
        self.assertTrue(self.connection.compare(name, "cn", "cora  ÅNGSTRÖM"))
        self.assertFalse(self.connection.compare(name, "cn", "Cora"))
        self.should_be_refused("noSuchAttribute", self.connection.compare(name, "title", "x"))

    def test_text_beyond_ascii(self):
        uid = 'Jürgen, "№ 7" + <東京> 😀\\;#='
        name = self.add(uid, description=["Ünïcödé", "日本語"])
        self.assertEqual([uid], self.read(name).uid.values)
        found = self.names("(uid=%s)" % escape_filter_chars(uid.upper()))[0]
        self.assertEqual(1, len(found))
        self.assertEqual(found, self.names("(&(description=日本*)(description=*cöd*))")[0])
        self.assertEqual("Müller", self.read(ZOE).sn.value)

    def populate(self, count=25):
        """Adds people whose surnames are in another order than their names."""
        names = {}
        for number in range(count):
            surname = "s%02d" % (number * 7 % count)
            names[surname] = self.add("p%02d" % number, sn=surname)
        return [names[surname] for surname in sorted(names)]

    def test_pages(self):
        expected = self.populate()
        for size in (1, 7, 25, 1000):
            pages = self.connection.extend.standard.paged_search(
                UNIT, "(objectClass=person)", paged_size=size, paged_criticality=True, generator=True
            )
            self.assertCountEqual(expected, [entry["dn"] for entry in pages])

    def test_sort(self):
        expected = self.populate()
        names, controls = self.names(controls=[sort_by("sn")])
        self.assertEqual(expected, names)
        self.assertEqual(encoder.encode(sequence(univ.Enumerated(0))), controls[SORT_RESPONSE]["value"])
        self.assertEqual(expected[::-1], self.names(controls=[sort_by("sn", reverse=True)])[0])
        self.names(controls=[sort_by("shoeSize")])
        self.assertEqual("unavailableCriticalExtension", self.connection.result["description"])

    def test_pages_of_a_sorted_list(self):
        expected = self.populate()
        # Page by page: the library's own generator reverses every page.
        found = []
        cookie = None
        while len(found) < len(expected):
            names, controls = self.names(
                controls=[sort_by("sn")], paged_size=4, paged_criticality=True, paged_cookie=cookie
            )
            self.assertIn(len(names), (1, 4))
            found += names
            cookie = controls[PAGED_RESULTS]["value"]["cookie"]
        self.assertEqual(b"", cookie)
        self.assertEqual(expected, found)

    def test_list_view(self):
        expected = self.populate()
        names, controls = self.names(controls=[sort_by("sn"), list_view(2, 3, 10, 0)])
        self.assertEqual(expected[7:13], names)
        place, rest = decoder.decode(controls[LIST_VIEW_RESPONSE]["value"])
        self.assertEqual(b"", rest)
        self.assertEqual([10, 25, 0], [int(place[i]) for i in range(3)])

    def test_password_modify(self):
        name = self.add("pat")
        self.should(self.connection.extend.standard.modify_password(name, None, "ünïque"))
        pat = connect(name, "ünïque")
        self.addCleanup(pat.unbind)
        made = pat.extend.standard.modify_password(None, "ünïque", None)
        self.assertGreaterEqual(len(made), 8)
        self.assertTrue(pat.rebind(name, made))
        self.assertFalse(pat.extend.standard.modify_password(name, "wrong", "other"))
        self.assertEqual("unwillingToPerform", pat.result["description"])

    def test_read_entry(self):
        name = self.add("rea")
        self.should(
            self.connection.modify(
                name,
                {"uidNumber": [(MODIFY_INCREMENT, [1])]},
                controls=[
                    pre_read_control(["uidNumber"], criticality=True),
                    post_read_control(["uidNumber", "entryCSN"], criticality=True),
                ],
            )
        )
        controls = self.connection.result["controls"]
        before = controls["1.3.6.1.1.13.1"]["value"]["result"]
        after = controls["1.3.6.1.1.13.2"]["value"]["result"]
        self.assertEqual({"uidNumber": ["5000"]}, before)
        self.assertEqual(["5001"], after["uidNumber"])
        self.assertEqual(["entryCSN", "uidNumber"], sorted(after))

    def test_assertion(self):
        name = self.add("ann")
        change = {"description": [(MODIFY_REPLACE, ["asserted"])]}
        self.assertFalse(self.connection.modify(name, change, controls=[assertion("(uid=other)")]))
        self.assertEqual(ASSERTION_FAILED, self.connection.result["result"])
        self.should(
            self.connection.modify(name, change, controls=[assertion("(&(uid=ann)(cn=person*))")])
        )
        self.assertEqual("asserted", self.read(name).description.value)

    def test_proxied_authorization(self):
        as_ada = (PROXIED_AUTHORIZATION, True, "dn:" + ADA)
        self.assertEqual("dn:" + ADA, self.connection.extend.standard.who_am_i(controls=[as_ada]))
        self.should_be_refused(
            "insufficientAccessRights", self.connection.delete(UNIT, controls=[as_ada])
        )

    def test_permissive_modify(self):
        name = self.add("non", description="one")
        changes = {
            "description": [(MODIFY_ADD, ["ONE", "two"])],
            "mail": [(MODIFY_DELETE, [])],
        }
        self.should(
            self.connection.modify(name, changes, controls=[(PERMISSIVE_MODIFY, True, None)])
        )
        self.assertEqual(["one", "two"], self.read(name).description.values)

    def test_transaction(self):
        self.connection.extended(START_TRANSACTION)
        identifier = self.connection.result["responseValue"]
        part = [(TRANSACTION, True, identifier)]
        for number in range(3):
            name = "uid=t%d,%s" % (number, UNIT)
            self.should(
                self.connection.add(name, CLASSES, attributes("t%d" % number), controls=part)
            )
        self.assertEqual([], self.names()[0])
        end = sequence(univ.OctetString(identifier))
        self.should(self.connection.extended(END_TRANSACTION, encoder.encode(end), no_encode=True))
        self.assertEqual(3, len(self.names()[0]))

    def test_persistent_search(self):
        there = self.add("there")
        watcher = connect(client_strategy=ASYNC_STREAM)
        # The library itself sends the control only for searches of changes without existing entries.
        every_kind = 1 | 2 | 4 | 8
        watch = watcher.extend.standard.persistent_search(
            UNIT,
            "(uid=*)",
            attributes=["cn"],
            controls=[persistent_search_control(every_kind, False, True, True)],
            changes_only=False,
            streaming=False,
        )
        # Existing entries come first, and no later change is left out.
        self.assertEqual(there, watch.next(block=True, timeout=TIMEOUT_SECONDS)["dn"])
        name = self.add("per")
        self.should(self.connection.modify(name, {"cn": [(MODIFY_REPLACE, ["Seen"])]}))
        self.should(self.connection.modify_dn(name, "uid=perm"))
        renamed = "uid=perm," + UNIT
        self.should(self.connection.delete(renamed))
        seen = []
        for _ in range(4):
            change = watch.next(block=True, timeout=TIMEOUT_SECONDS)
            self.assertIsNotNone(change, seen)
            previous = change["previousDN"]
            seen.append(
                (change["changeType"], change["dn"], None if previous is None else str(previous))
            )
        self.assertEqual(
            [
                ("add", name, None),
                ("modify", name, None),
                ("modify dn", renamed, name),
                ("delete", renamed, None),
            ],
            seen,
        )
        watch.stop()

    def test_referrals(self):
        plain = connect(auto_referrals=False)
        self.addCleanup(plain.unbind)
        self.assertFalse(plain.delete(REFERRAL))
        self.assertEqual("referral", plain.result["description"])
        self.assertIn("ldap://ldap.example.net/", plain.result["referrals"][0])
        plain.search("ou=Places," + SUFFIX, "(cn=*)")
        kinds = [response["type"] for response in plain.response]
        self.assertEqual(1, kinds.count("searchResRef"))

    def test_schema(self):
        self.assertEqual([SUFFIX], server.info.naming_contexts)
        self.assertEqual([3], server.info.supported_ldap_versions)
        schema = server.schema
        self.assertIn("sn", schema.object_classes["person"].must_contain)
        self.assertEqual("2.5.4.4", schema.attribute_types["sn"].oid)
        self.assertGreater(len(schema.attribute_types), 100)
        self.assertIn("caseIgnoreMatch", schema.matching_rules)
        for name, kind in schema.object_classes.items():
            for attribute in list(kind.must_contain or []) + list(kind.may_contain or []):
                self.assertIn(attribute, schema.attribute_types, name)

    def test_objects(self):
        definition = ObjectDef(CLASSES, self.connection)
        writer = Writer(self.connection, definition)
        made = writer.new("uid=obj," + UNIT)
        for attribute, value in attributes("obj").items():
            if attribute != "uid":
                setattr(made, attribute, value)
        self.should(made.entry_commit_changes())
        reader = Reader(self.connection, definition, UNIT, "uid: obj")
        reader.search()
        self.assertEqual(1, len(reader))
        changed = Writer.from_cursor(reader)[0]
        changed.mail += ["one@example.com", "two@example.com"]
        changed.sn = "Changed"
        self.should(changed.entry_commit_changes())
        changed.mail -= "one@example.com"
        self.should(changed.entry_commit_changes())
        self.assertEqual(["two@example.com"], self.read("uid=obj," + UNIT).mail.values)
        changed.entry_delete()
        self.should(changed.entry_commit_changes())
        self.assertEqual([], self.names()[0])

    def test_group(self):
        name = "cn=crowd," + UNIT
        # Fewer than with python-ldap, because pure Python takes long to write them.
        members = [member(number) for number in range(MEMBERS // 10)]
        half = len(members) // 2
        self.should(self.connection.add(name, "groupOfNames", {"member": members[:half]}))
        modify = self.connection.modify
        self.should(modify(name, {"member": [(MODIFY_ADD, members[half:])]}))
        self.should(
            modify(name, {"member": [(MODIFY_DELETE, [members[half]]), (MODIFY_ADD, [ADA])]})
        )
        self.assertTrue(self.connection.compare(name, "member", members[0]))
        self.assertEqual([], self.names("(member=%s)" % members[half])[0])
        self.assertEqual([name], self.names("(member=%s)" % ADA)[0])
        self.should_be_refused(
            "attributeOrValueExists", modify(name, {"member": [(MODIFY_ADD, [members[-1]])]})
        )
        kept = set(members[:half] + members[half + 1 :] + [ADA])
        self.connection.search(name, "(objectClass=*)", BASE, attributes=["member"])
        self.assertEqual(kept, set(self.connection.response[0]["attributes"]["member"]))

    def test_other_strategies(self):
        for number in range(50):
            self.add("m%d" % number)
        with connect(client_strategy=ASYNC) as several:
            sent = [several.search(UNIT, "(uid=m%d)" % number) for number in range(50)]
            for number, message in reversed(list(enumerate(sent))):
                response, result = several.get_response(message, timeout=TIMEOUT_SECONDS)
                self.assertEqual("success", result["description"])
                self.assertEqual(["uid=m%d,%s" % (number, UNIT)], [entry["dn"] for entry in response])
        with connect(client_strategy=SAFE_SYNC) as safe:
            status, result, response, _ = safe.search(
                UNIT, "(uid=m7)", attributes=[ALL_ATTRIBUTES, ALL_OPERATIONAL_ATTRIBUTES]
            )
            self.assertTrue(status, result)
            self.assertEqual(ROOT, response[0]["attributes"]["creatorsName"])


if __name__ == "__main__":
    unittest.main()
