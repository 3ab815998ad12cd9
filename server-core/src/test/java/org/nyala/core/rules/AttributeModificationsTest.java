package org.nyala.core.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.update.RulesFixture.RULES;
import static org.nyala.core.update.RulesFixture.assertRefused;
import static org.nyala.core.update.RulesFixture.bytes;
import static org.nyala.core.update.RulesFixture.change;
import static org.nyala.core.update.RulesFixture.description;
import static org.nyala.core.update.RulesFixture.dn;
import static org.nyala.core.update.RulesFixture.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.RulesFixture;

class AttributeModificationsTest {
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;
  private static final int INCREMENT = 3;

  private static Entry thing() {
    return entry(
        "cn=m",
        "objectClass: thing",
        "cn: m",
        "cn: n",
        "raw: raw",
        "single: one",
        "number: 5",
        "number: 9223372036854775807",
        "description: a",
        "description: b");
  }

  private static Request.Change parse(String text) {
    String[] words = text.strip().split(" +", -1);
    int kind =
        switch (words[0]) {
          case "add" -> ADD;
          case "delete" -> DELETE;
          case "replace" -> REPLACE;
          case "increment" -> INCREMENT;
          default -> Integer.parseInt(words[0]);
        };
    return change(kind, words[1], List.of(words).subList(2, words.length).toArray(String[]::new));
  }

  private static AttributeModifications modified(
      boolean permissive, boolean relaxed, String changes) throws LdapOperationException {
    List<Request.Change> requested = new ArrayList<>();
    for (String each : changes.split("; ", -1)) {
      requested.add(parse(each));
    }
    AttributeModifications modifications =
        new AttributeModifications(thing(), Map.of(), permissive);
    modifications.apply(RULES.present(requested, relaxed).go(Pace.UNBOUNDED));
    RULES.check(modifications, relaxed);
    return modifications;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "ATTRIBUTE_OR_VALUE_EXISTS | add description A           | description has the value 'A'"
            + " already",
        "ATTRIBUTE_OR_VALUE_EXISTS | add description q Q         | value 2 of description, 'Q', is"
            + " given more than once",
        "ATTRIBUTE_OR_VALUE_EXISTS | replace description q Q     | value 2 of description",
        "INAPPROPRIATE_MATCHING    | add raw two                 | raw has no equality rule",
        "INAPPROPRIATE_MATCHING    | delete raw raw              | raw has no equality rule",
        "INAPPROPRIATE_MATCHING    | replace raw; add raw a; add raw b | raw has no equality rule",
        "NO_SUCH_ATTRIBUTE         | delete street               | does not have the attribute"
            + " street",
        "NO_SUCH_ATTRIBUTE         | delete street z             | does not have the attribute"
            + " street",
        "NO_SUCH_ATTRIBUTE         | delete description zz       | description does not have the"
            + " value 'zz'",
        "NO_SUCH_ATTRIBUTE         | delete description; delete description | does not have the"
            + " attribute",
        "NO_SUCH_ATTRIBUTE         | delete name m               | does not have the attribute"
            + " name",
        "NO_SUCH_ATTRIBUTE         | delete objectClass top      | objectClass does not have the"
            + " value 'top'",
        "NO_SUCH_ATTRIBUTE         | increment onlyNumber 1      | does not have the attribute"
            + " onlyNumber",
        "NO_SUCH_ATTRIBUTE         | delete old                  | does not have the attribute old",
        "PROTOCOL_ERROR            | add sn                      | no values to add to 'sn'",
        "PROTOCOL_ERROR            | increment number            | by one value, not by 0",
        "PROTOCOL_ERROR            | increment number 1 2        | by one value, not by 2",
        "PROTOCOL_ERROR            | 4 number 1                  | no kind of modification with"
            + " number 4",
        "PROTOCOL_ERROR            | -1 number 1                 | no kind of modification with"
            + " number -1",
        "CONSTRAINT_VIOLATION      | add single two              | single has one value, not 2",
        "CONSTRAINT_VIOLATION      | replace single x y          | single has one value, not 2",
        "CONSTRAINT_VIOLATION      | add old a                   | old is obsolete",
        "CONSTRAINT_VIOLATION      | delete modifyTimestamp      | only the server itself writes",
        "CONSTRAINT_VIOLATION      | replace entryUUID           | only the server itself writes",
        "CONSTRAINT_VIOLATION      | increment description 1     | no integers to increment",
        "INVALID_ATTRIBUTE_SYNTAX  | increment number a          | value 1 of number, 'a', is not a"
            + " valid INTEGER",
        "INVALID_ATTRIBUTE_SYNTAX  | add number a                | not a valid INTEGER",
        "INVALID_ATTRIBUTE_SYNTAX  | delete number a             | not a valid INTEGER",
        "UNDEFINED_ATTRIBUTE_TYPE  | add nope a                  | 'nope'",
        "UNDEFINED_ATTRIBUTE_TYPE  | delete nope                 | 'nope'",
        "UNDEFINED_ATTRIBUTE_TYPE  | replace cn;x-a b            | unknown option 'x-a'",
        "NOT_ALLOWED_ON_RDN        | delete cn m                 | the RDN has the value 'm' of cn",
        "NOT_ALLOWED_ON_RDN        | replace cn other            | the RDN has the value 'm' of cn",
        "NOT_ALLOWED_ON_RDN        | delete cn; add cn;lang-en m | the RDN has the value 'm' of cn",
        "OBJECT_CLASS_VIOLATION    | add street z                | street is not allowed",
        "OBJECT_CLASS_VIOLATION    | delete objectClass          | no objectClass",
        "OBJECT_CLASS_VIOLATION    | delete objectClass thing    | no objectClass",
        "OBJECT_CLASS_VIOLATION    | add objectClass organizationalRole | neither extends the"
            + " other",
        "OBJECT_CLASS_VIOLATION    | add objectClass oldOther    | 'oldOther' is obsolete",
        "OBJECT_CLASS_VIOLATION    | add objectClass posixGroup; add gidNumber 1 | neither extends",
        "OBJECT_CLASS_VIOLATION    | add objectClass uidObject   | missing: uid",
        "OBJECT_CLASS_MODS_PROHIBITED | replace objectClass organizationalRole | 'thing' cannot"
            + " become 'organizationalRole'"
      })
  void shouldRefuse(ResultCode code, String changes, String message) {
    assertRefused(code, () -> modified(false, false, changes)).withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "delete description a A                  | description: b",
        "delete single one; add single two       | single: two",
        "delete cn M; add cn M                   | cn: n,cn: M",
        "replace cn other M                      | cn: other,cn: M",
        "replace description                     | ",
        "delete description                      | ",
        "delete description a b                  | ",
        "add street z; delete street             | ",
        "replace description; add description z  | description: z",
        "replace raw r1 r1x                      | raw: r1,raw: r1x",
        "replace raw; add raw r1 r2              | raw: r1,raw: r2",
        "add description;lang-en a               | description;lang-en: a",
        "add objectClass located; add ou z       | objectClass: thing,objectClass: located,ou: z",
        "increment number 2                      | number: 7,number: 9223372036854775809",
        "increment number -9223372036854775807   | number: -9223372036854775802,number: 0",
        "replace number 1; increment number 2; increment number -3 | number: 0",
        "increment number 99999999999999999999   | number: 100000000000000000004,number:"
            + " 109223372036854775806",
        "add onlyNumber 1; increment onlyNumber 1| onlyNumber: 2"
      })
  void shouldChangeValues(String changes, String after) throws LdapOperationException {
    AttributeModifications modifications = modified(false, false, changes);

    List<String> changed = new ArrayList<>();
    for (AttributeChange change : modifications.changes()) {
      changed.addAll(lines(change));
    }
    assertThat(String.join(",", changed)).isEqualTo(after == null ? "" : after);
    assertThat(RulesFixture.lines(modifications.entry())).containsAll(changed);
  }

  private static List<String> lines(AttributeChange change) {
    List<String> lines = new ArrayList<>();
    if (change instanceof AttributeChange.Replaced replaced) {
      for (byte[] value : replaced.values()) {
        lines.add(change.description() + ": " + new String(value, StandardCharsets.UTF_8));
      }
    }
    return lines;
  }

  @ParameterizedTest
  @CsvSource({
    "replace sn",
    "replace old",
    "increment number 0",
    "replace description a b",
    "add sn z; delete sn",
    "delete description b; add description b"
  })
  void shouldTellWhenNothingChanges(String changes) throws LdapOperationException {
    AttributeModifications modifications = modified(false, false, changes);

    assertThat(modifications.changes()).isEmpty();
    assertThat(RulesFixture.lines(modifications.entry())).containsAll(RulesFixture.lines(thing()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "add description A             | ",
        "add description A c           | description: a,description: b,description: c",
        "add single ONE                | ",
        "delete description zz         | ",
        "delete description zz b       | description: a",
        "delete street                 | ",
        "delete street z               | ",
        "increment onlyNumber 3        | onlyNumber: 3"
      })
  void shouldBeLenientWhenPermissive(String changes, String after) throws LdapOperationException {
    List<String> changed = new ArrayList<>();
    for (AttributeChange change : modified(true, false, changes).changes()) {
      changed.addAll(lines(change));
    }

    assertThat(String.join(",", changed)).isEqualTo(after == null ? "" : after);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ATTRIBUTE_OR_VALUE_EXISTS | add description A a",
        "INAPPROPRIATE_MATCHING    | add raw raw",
        "INAPPROPRIATE_MATCHING    | delete raw raw",
        "NOT_ALLOWED_ON_RDN        | delete cn m",
        "CONSTRAINT_VIOLATION      | add single two"
      })
  void shouldRefuseThoughPermissive(ResultCode code, String changes) {
    assertRefused(code, () -> modified(true, false, changes));
  }

  @Test
  void shouldChangeMoreWhenRelaxed() throws LdapOperationException {
    AttributeModifications modifications =
        modified(
            false,
            true,
            "replace objectClass organizationalRole; replace raw; replace single; replace number; "
                + "replace entryUUID 2d8d8e5e-0000-1000-8000-000000000001");

    assertThat(RulesFixture.lines(modifications.entry()))
        .containsExactlyInAnyOrder(
            "cn: m",
            "cn: n",
            "description: a",
            "description: b",
            "objectClass: organizationalRole",
            "entryUUID: 2d8d8e5e-0000-1000-8000-000000000001");
    assertThat(modified(false, true, "add old a").changes()).hasSize(1);
    assertRefused(ResultCode.NOT_ALLOWED_ON_RDN, () -> modified(false, true, "replace cn other"));
  }

  @Test
  void shouldBoundTheNumbersThatItIncrements() {
    String long1 = "1".repeat(1025);

    assertRefused(
        ResultCode.CONSTRAINT_VIOLATION,
        () -> modified(false, false, "replace number " + long1 + "; increment number 1"));
    assertRefused(
        ResultCode.CONSTRAINT_VIOLATION, () -> modified(false, false, "increment number " + long1));
  }

  @Test
  void shouldNotChangeTheEntryBefore() throws LdapOperationException {
    Entry before = thing();
    AttributeModifications modifications = new AttributeModifications(before, Map.of(), false);
    modifications.apply(
        RULES
            .present(List.of(change(DELETE, "description", "a"), change(ADD, "cn", "x")), false)
            .go(Pace.UNBOUNDED));

    assertThat(RulesFixture.lines(before)).isEqualTo(RulesFixture.lines(thing()));
    assertThat(RulesFixture.lines(modifications.entry()))
        .contains("cn: x")
        .doesNotContain("description: a");
  }

  @Test
  void shouldRename() throws LdapOperationException {
    AttributeModifications kept = new AttributeModifications(thing(), Map.of(), false);
    kept.rename(RULES, dn("cn=M+description=c"), false);
    RULES.check(kept, false);
    AttributeModifications replaced = new AttributeModifications(thing(), Map.of(), false);
    replaced.rename(RULES, dn("cn=M"), true);
    RULES.check(replaced, false);
    AttributeModifications refused = new AttributeModifications(thing(), Map.of(), false);
    refused.rename(RULES, dn("raw=a"), false);

    assertThat(RulesFixture.lines(kept.entry()))
        .contains("cn: m", "cn: n", "description: c")
        .doesNotContain("cn: M");
    assertThat(kept.entry().dn()).isEqualTo(dn("cn=m+description=c"));
    assertThat(RulesFixture.lines(replaced.entry()))
        .contains("cn: M", "cn: n")
        .doesNotContain("cn: m");
    assertRefused(ResultCode.NAMING_VIOLATION, () -> RULES.check(refused, false));
  }

  @Test
  void shouldRefuseARenameThatTakesWhatTheClassesRequire() throws LdapOperationException {
    AttributeModifications modifications =
        new AttributeModifications(
            entry("cn=m", "objectClass: thing", "cn: m", "description: d"), Map.of(), false);
    modifications.rename(RULES, dn("description=d"), true);

    assertRefused(ResultCode.OBJECT_CLASS_VIOLATION, () -> RULES.check(modifications, false))
        .withMessageContaining("missing: cn");
  }

  @Test
  void shouldAskForValuesThatAreKeptApart() throws LdapOperationException {
    ValueSet members = new ValueSet(description("description").type());
    for (int i = 0; i < 50; i++) {
      members.add(bytes("member " + i));
    }
    Entry before = entry("cn=m", "objectClass: thing", "cn: m");
    AttributeModifications modifications =
        new AttributeModifications(
            before, Map.of(description("description"), apart(members)), false);

    modifications.apply(
        RULES
            .present(
                List.of(
                    change(ADD, "description", "x", "y"),
                    change(DELETE, "description", "MEMBER 7", "Y"),
                    change(DELETE, "description", "member 8"),
                    change(ADD, "description", "Member 8")),
                false)
            .go(Pace.UNBOUNDED));
    RULES.check(modifications, false);

    AttributeChange.Updated update = (AttributeChange.Updated) modifications.changes().getFirst();
    assertThat(modifications.changes()).hasSize(1);
    assertThat(update.removed()).containsExactly(bytes("MEMBER 7"), bytes("member 8"));
    assertThat(update.added()).containsExactly(bytes("x"), bytes("Member 8"));
    assertThat(modifications.entry().values(description("description"))).isNull();
    LargeValueLookup after = modifications.apart().get(description("description"));
    assertThat(after).isNotNull();
    assertThat(after.count()).isEqualTo(50);
  }

  @Test
  void shouldRefuseWhatValuesThatAreKeptApartDoNotAllow() throws LdapOperationException {
    ValueSet numbers =
        ValueSet.of(description("number").type(), List.of(bytes("1"), bytes("2"), bytes("3")));
    Entry before = entry("cn=m", "objectClass: thing", "cn: m");

    assertRefused(
        ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, () -> applied(before, numbers, "add number 2"));
    assertRefused(ResultCode.NO_SUCH_ATTRIBUTE, () -> applied(before, numbers, "delete number 4"));
    assertRefused(
        ResultCode.ADMIN_LIMIT_EXCEEDED, () -> applied(before, numbers, "increment number 1"));
    EntryRules few = new EntryRules(RulesFixture.SCHEMA, 3);
    assertRefused(
        ResultCode.ADMIN_LIMIT_EXCEEDED,
        () -> few.check(applied(before, numbers, "add number 4"), false));
    assertThat(applied(before, numbers, "delete number").changes().getFirst())
        .isEqualTo(new AttributeChange.Replaced(description("number"), List.of()));
    assertThat(applied(before, numbers, "delete number 1 2 3").apart()).isEmpty();
  }

  private static AttributeModifications applied(Entry before, ValueSet numbers, String change)
      throws LdapOperationException {
    AttributeModifications modifications =
        new AttributeModifications(before, Map.of(description("number"), apart(numbers)), false);
    modifications.apply(RULES.present(List.of(parse(change)), false).go(Pace.UNBOUNDED));
    return modifications;
  }

  private static LargeValueLookup apart(ValueSet values) {
    return new LargeValueLookup() {
      @Override
      public boolean contains(byte[] value) {
        return values.contains(value);
      }

      @Override
      public long count() {
        return values.size();
      }
    };
  }
}
