package org.nyala.core.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.update.RulesFixture.RULES;
import static org.nyala.core.update.RulesFixture.SCHEMA;
import static org.nyala.core.update.RulesFixture.added;
import static org.nyala.core.update.RulesFixture.assertRefused;
import static org.nyala.core.update.RulesFixture.attributes;
import static org.nyala.core.update.RulesFixture.bytes;
import static org.nyala.core.update.RulesFixture.dn;
import static org.nyala.core.update.RulesFixture.entry;
import static org.nyala.core.update.RulesFixture.lines;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.QuotedText;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.DitStructureRule;

class EntryRulesTest {
  private static final EntryRules MANY = new EntryRules(SCHEMA, 10_000);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "OBJECT_CLASS_VIOLATION    | cn: a                             | has no objectClass",
        "OBJECT_CLASS_VIOLATION    | objectClass: nope                 | unknown object class"
            + " 'nope'",
        "OBJECT_CLASS_VIOLATION    | objectClass: top                  | no structural object"
            + " class",
        "OBJECT_CLASS_VIOLATION    | objectClass: concept              | no structural object"
            + " class",
        "OBJECT_CLASS_VIOLATION    | objectClass: located              | no structural object"
            + " class",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; objectClass: person | neither extends",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; objectClass: concept | abstract object"
            + " class 'concept'",
        "OBJECT_CLASS_VIOLATION    | objectClass: oldThing             | 'oldThing' is obsolete",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; objectClass: oldOther | 'oldOther' is"
            + " obsolete",
        "OBJECT_CLASS_VIOLATION    | objectClass: posixAccount; objectClass: thing | missing:"
            + " gidNumber, homeDirectory, uid, uidNumber",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; street: a     | street is not allowed by"
            + " the object classes of this thing",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; shared: a     | collective attribute"
            + " shared",
        "OBJECT_CLASS_VIOLATION    | objectClass: thing; ref: ldap://x | ref stands only in"
            + " referrals",
        "OBJECT_CLASS_VIOLATION    | objectClass: ruled                | content rule"
            + " 'ruledContent' but missing: description",
        "OBJECT_CLASS_VIOLATION    | objectClass: ruled; description: a; sn: b | sn is not allowed"
            + " by the content rule 'ruledContent'",
        "OBJECT_CLASS_VIOLATION    | objectClass: ruled; objectClass: other; description: a |"
            + " 'other' is not allowed by the content rule",
        "OBJECT_CLASS_VIOLATION    | objectClass: ruled; objectClass: extensibleObject;"
            + " description: a | 'extensibleObject' is not allowed",
        "CONSTRAINT_VIOLATION      | objectClass: thing; single: a; single: b | single has one"
            + " value, not 2",
        "CONSTRAINT_VIOLATION      | objectClass: thing; old: a        | old is obsolete",
        "CONSTRAINT_VIOLATION      | objectClass: thing; modifyTimestamp: 20200101000000Z | only"
            + " the server itself writes the attribute modifyTimestamp",
        "INVALID_ATTRIBUTE_SYNTAX  | objectClass: thing; number: 1; number: x1 | value 2 of number,"
            + " 'x1', is not a valid INTEGER",
        "ATTRIBUTE_OR_VALUE_EXISTS | objectClass: thing; description: a; description: B;"
            + " description:  A  | value 3 of description",
        "ATTRIBUTE_OR_VALUE_EXISTS | objectClass: thing; description: a; DESCRIPTION: A | given"
            + " more than once",
        "ATTRIBUTE_OR_VALUE_EXISTS | objectClass: thing; objectClass: 1.2.3.2.1 | objectClass",
        "ATTRIBUTE_OR_VALUE_EXISTS | objectClass: thing; raw: a; raw: a | raw",
        "UNDEFINED_ATTRIBUTE_TYPE  | objectClass: thing; nope: a       | no attribute type for"
            + " 'nope'",
        "UNDEFINED_ATTRIBUTE_TYPE  | objectClass: thing; description;binary: a | does not take the"
            + " option binary",
        "UNDEFINED_ATTRIBUTE_TYPE  | objectClass: thing; certificateRevocationList: 0. | needs the"
            + " option binary",
        "UNDEFINED_ATTRIBUTE_TYPE  | objectClass: thing; description;lang-en-: a | unknown option"
            + " 'lang-en-'",
        "UNDEFINED_ATTRIBUTE_TYPE  | objectClass: thing; description;x-foo: a | unknown option"
            + " 'x-foo'"
      })
  void shouldRefuseEntries(ResultCode code, String attributes, String message) {
    assertRefused(code, () -> added(false, "cn=a", attributes.split("; ")))
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "objectClass: thing; single;lang-en: a; single;lang-de: b",
        "objectClass: thing; description: a; Description: b",
        "objectClass: thing; certificateRevocationList;binary: 0.",
        "objectClass: thing; objectClass: top; objectClass: located; ou: a",
        "objectClass: ruled; objectClass: located; description: a; title: b; ou: c",
        "objectClass: thing; objectClass: extensibleObject; street: a",
        "objectClass: subentry; objectClass: collectiveAttributeSubentry; subtreeSpecification: {};"
            + " shared: a",
        "objectClass: referral; objectClass: extensibleObject; ref: ldap://x",
        "objectClass: thing; raw: a; raw: A"
      })
  void shouldAcceptEntries(String attributes) throws LdapOperationException {
    assertThat(lines(added(false, "cn=a", attributes.split("; ")))).contains("cn: a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "objectClass: oldThing",
        "objectClass: thing; old: a",
        "objectClass: thing; entryUUID: 2d8d8e5e-0000-1000-8000-000000000001",
        "objectClass: thing; createTimestamp: 20200101000000Z; creatorsName: cn=x"
      })
  void shouldAcceptMoreWhenRelaxed(String attributes) throws LdapOperationException {
    assertThat(lines(added(true, "cn=a", attributes.split("; ")))).contains(attributes.split("; "));
  }

  @Test
  void shouldNotLetAnybodyWriteWhatIsDerived() {
    assertRefused(
        ResultCode.CONSTRAINT_VIOLATION,
        () -> added(true, "cn=a", "objectClass: thing", "structuralObjectClass: thing"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "old=a                            | it is obsolete",
        "raw=a                            | it has no equality rule",
        "shared=a                         | it is collective",
        "entryUUID=2d8d8e5e-0000-1000-8000-000000000001 | it is operational",
        "cn=a+old=a                       | named by old",
        "single=b                         | single has one value, and that is not 'b' as in the RDN"
      })
  void shouldRefuseNames(String name, String message) {
    assertRefused(
            ResultCode.NAMING_VIOLATION,
            () -> added(false, name, "objectClass: thing", "cn: c", "single: a"))
        .withMessageContaining(message);
  }

  @Test
  void shouldAddTheValuesOfTheRdn() throws LdapOperationException {
    assertThat(lines(added(false, "cn=A+description=d", "objectClass: thing")))
        .containsExactly("objectClass: thing", "cn: A", "description: d");
    assertThat(lines(added(false, "cn=A", "objectClass: thing", "cn: b")))
        .containsExactly("objectClass: thing", "cn: b", "cn: A");
    assertThat(lines(added(false, "cn=A", "objectClass: thing", "cn: a")))
        .containsExactly("objectClass: thing", "cn: a");
    assertThat(lines(added(false, "cn=A", "objectClass: thing", "cn;lang-en: a")))
        .containsExactly("objectClass: thing", "cn;lang-en: a", "cn: A");
  }

  @Test
  void shouldRefuseAnAttributeWithoutValues() {
    List<Request.AttributeValues> presented = new ArrayList<>(attributes("objectClass: thing"));
    presented.add(new Request.AttributeValues("cn", List.of()));

    assertRefused(
            ResultCode.PROTOCOL_ERROR,
            () -> RULES.newEntry(dn("cn=a"), presented, false).go(Pace.UNBOUNDED))
        .withMessage("no values for the attribute cn");
  }

  private static <T> int slicesOf(Presented<T> presented, List<T> result)
      throws LdapOperationException {
    for (int slices = 1; ; slices++) {
      T read = presented.go(Pace.ofLooks(1));
      if (read != null) {
        result.add(read);
        return slices;
      }
    }
  }

  @Test
  void shouldReadRequestsOverManySlices() throws LdapOperationException {
    List<String> lines = new ArrayList<>(List.of("objectClass: thing", "cn: a"));
    for (int i = 0; i < 4_000; i++) {
      lines.add("description: value " + i);
    }
    List<Request.AttributeValues> attributes = attributes(lines.toArray(String[]::new));
    List<Entry> entries = new ArrayList<>();
    int slices = slicesOf(MANY.newEntry(dn("cn=a"), attributes, false), entries);
    assertThat(slices).isGreaterThan(10);
    assertThat(lines(entries.getFirst())).containsExactlyElementsOf(lines);

    List<List<RequestedChange>> changes = new ArrayList<>();
    Request.AttributeValues many = attributes.getLast();
    List<Request.Change> given = List.of(new Request.Change(1, many), new Request.Change(0, many));
    assertThat(slicesOf(MANY.present(given, false), changes)).isGreaterThan(slices);
    for (RequestedChange each : changes.getFirst()) {
      assertThat(each.values().toList()).containsExactlyElementsOf(many.values());
    }
  }

  @Test
  void shouldRefuseARepeatedValueInALaterSlice() {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      values.add(bytes("value " + i % 3_999));
    }
    Request.AttributeValues many = new Request.AttributeValues("description", values);
    assertRefused(
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            () -> slicesOf(MANY.newEntry(dn("cn=a"), List.of(many), false), new ArrayList<>()))
        .withMessageContaining("4000");
  }

  @Test
  void shouldBoundTheValuesOfAnAttribute() throws LdapOperationException {
    EntryRules rules = new EntryRules(SCHEMA, 3);
    String[] three = {"description: a", "description: b", "description: c"};
    String[] four = {"description: a", "description: b", "description: c", "description: d"};

    assertThat(lines(rules.newEntry(dn("cn=a"), attributes(three), false).go(Pace.UNBOUNDED)))
        .hasSize(3);
    assertRefused(
            ResultCode.ADMIN_LIMIT_EXCEEDED,
            () -> rules.newEntry(dn("cn=a"), attributes(four), false).go(Pace.UNBOUNDED))
        .withMessage("description may have 3 values, not 4");
  }

  @Test
  void shouldRefusePasswordsThatTakeForEverToCheck() throws LdapOperationException {
    String endless = "{CRYPT}$6$rounds=999999999$salt$x";
    for (String attribute : List.of("userPassword", "2.5.4.35")) {
      String[] attributes = {"objectClass: thing", attribute + ": " + endless};
      assertRefused(
              ResultCode.CONSTRAINT_VIOLATION,
              () -> RULES.newEntry(dn("cn=a"), attributes(attributes), false).go(Pace.UNBOUNDED))
          .withMessageContaining("password.maximumCryptRounds")
          .withMessageNotContaining("salt");
      Request.AttributeValues value =
          new Request.AttributeValues(attribute, List.of(bytes(endless)));
      for (int kind : new int[] {0, 2}) {
        List<Request.Change> change = List.of(new Request.Change(kind, value));
        assertRefused(
            ResultCode.CONSTRAINT_VIOLATION, () -> RULES.present(change, true).go(Pace.UNBOUNDED));
      }
      // Existing values can be deleted.
      assertThat(RULES.present(List.of(new Request.Change(1, value)), false).go(Pace.UNBOUNDED))
          .hasSize(1);
    }
  }

  @Test
  void shouldShowValuesCutAndOnlyAsText() {
    List<String> shown = new ArrayList<>();
    for (String value : List.of("x".repeat(63) + "éé", "x".repeat(64), "a\nb", "")) {
      shown.add(QuotedText.quoted(bytes(value)));
    }
    shown.add(QuotedText.quoted(new byte[] {(byte) 0xff, 'a'}));
    shown.add(QuotedText.quoted("n".repeat(65) + '\n'));

    assertThat(shown)
        .containsExactly(
            "'" + "x".repeat(63) + "...'",
            "'" + "x".repeat(64) + "'",
            "of 3 bytes",
            "''",
            "of 2 bytes",
            "'" + "n".repeat(64) + "...'");
  }

  @Test
  void shouldKeepTheStructuralClass() throws LdapOperationException {
    ClassSet thing = RULES.classSet(entry("cn=a", "objectClass: thing"));
    ClassSet more = RULES.classSet(entry("cn=a", "objectClass: thing", "objectClass: located"));
    ClassSet person = RULES.classSet(entry("cn=a", "objectClass: person"));
    ClassSet superior = RULES.classSet(entry("cn=a", "objectClass: inetOrgPerson"));

    RULES.checkObjectClassChange(thing, more, false);
    RULES.checkObjectClassChange(thing, person, true);
    assertRefused(
            ResultCode.OBJECT_CLASS_MODS_PROHIBITED,
            () -> RULES.checkObjectClassChange(thing, person, false))
        .withMessage("the structural object class 'thing' cannot become 'person'");
    assertRefused(
        ResultCode.OBJECT_CLASS_MODS_PROHIBITED,
        () -> RULES.checkObjectClassChange(person, superior, false));
  }

  @Test
  void shouldApplyStructureRules() throws LdapOperationException {
    ClassSet unit = RULES.classSet(entry("ou=a", "objectClass: organizationalUnit"));
    ClassSet role = RULES.classSet(entry("cn=a", "objectClass: organizationalRole"));
    ClassSet thing = RULES.classSet(entry("cn=a", "objectClass: thing"));

    DitStructureRule top = RULES.governingRule(unit, dn("ou=a"), null);
    assertThat(top).isEqualTo(SCHEMA.structureRule(2));
    assertThat(RULES.governingRule(role, dn("cn=b,ou=a"), top)).isEqualTo(SCHEMA.structureRule(3));
    assertThat(RULES.governingRule(thing, dn("cn=b,ou=a"), top)).isNull();
    assertRefused(
            ResultCode.NAMING_VIOLATION, () -> RULES.governingRule(unit, dn("l=a+ou=b"), null))
        .withMessageContaining("class 'organizationalUnit' named by l+ou stand here");
    assertRefused(ResultCode.NAMING_VIOLATION, () -> RULES.governingRule(role, dn("cn=b"), null));
    assertRefused(
            ResultCode.NAMING_VIOLATION,
            () -> RULES.governingRule(unit, dn("ou=a"), SCHEMA.structureRule(3)))
        .withMessageContaining("below one of rule roles");
  }

  @Test
  void shouldNameNothingByTheEmptyName() throws LdapOperationException {
    assertThat(RULES.namingValues(Dn.EMPTY)).isEmpty();
    Entry entry = entry("", "objectClass: thing", "cn: a");
    assertThat(RULES.checkNew(entry, false).structural()).hasToString("thing");
  }
}
