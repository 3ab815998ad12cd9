package org.nyala.constraint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.message.ResultCode.ADMIN_LIMIT_EXCEEDED;
import static org.nyala.core.message.ResultCode.CONSTRAINT_VIOLATION;
import static org.nyala.core.message.ResultCode.SUCCESS;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

class ConstraintRuleTest {
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;
  private static final int INCREMENT = 3;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String EVE = "uid=eve," + LEAF;
  private static final String CATALOG = "ou=catalog," + TOP;

  private static final String[] KNOWN =
      IntStream.range(0, 30).mapToObj(i -> "known " + i).toArray(String[]::new);

  private final UpdateFixture directory = new UpdateFixture(entries());

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>(UpdateFixture.defaults());
    entries.add(person(BOB, "bob", "mail", "bob at home", "mail", "bob@work"));
    entries.add(person(EVE, "eve", "mail", "eve at home", "title", "Spy"));
    entries.add(entry(CATALOG, "objectClass", "organizationalUnit", "ou", "catalog"));
    Entry known = entry("ou=known," + CATALOG, "objectClass", "organizationalUnit", "ou", "known");
    for (String value : KNOWN) {
      known.add(description("description"), value.getBytes(UTF_8));
    }
    entries.add(known);
    entries.add(
        entry(
            "cn=titles," + CATALOG,
            "objectClass",
            "device",
            "objectClass",
            "extensibleObject",
            "cn",
            "titles",
            "title",
            "Captain",
            "title",
            "Mate",
            "ou",
            "Bosun"));
    return entries;
  }

  private static Entry person(String name, String uid, String... more) {
    Entry entry = entry(name, "objectClass", "inetOrgPerson", "uid", uid, "cn", uid, "sn", uid);
    for (int i = 0; i < more.length; i += 2) {
      entry.add(description(more[i]), more[i + 1].getBytes(UTF_8));
    }
    return entry;
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(OperationFixture.SCHEMA, name);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void constrain(Map<String, Object> rule) {
    directory.rules.add(MapSection.rule(List.of(rule)));
  }

  private ResultCode code(String name, Request.Change... changes) {
    return directory.code(modify(name, changes));
  }

  private ResultCode addPerson(String name, String attribute, String value) {
    return directory.code(
        add(name, "objectClass", "inetOrgPerson", "cn", "x", "sn", "x", attribute, value));
  }

  private void allow(int lookups) {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                d.writeQueue(), d.writeBatch(), 10, 100, 10, lookups, d.sizes()));
  }

  @Test
  void shouldRequireTheExpressionOfValuesThatAreWritten() {
    constrain(Map.of("attributes", List.of("mail"), "regex", "^[[:alnum:]]+@[a-z]+$"));
    assertThat(addPerson("uid=new," + PEOPLE, "mail", "new at home"))
        .isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(addPerson("uid=new," + PEOPLE, "mail", "new@home")).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "mail", "ann@home", "ann"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(REPLACE, "mail", "ann"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "mail;lang-en", "ann"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "mail", "ann@home"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "cn", "ann"))).isEqualTo(SUCCESS);
    assertThat(directory.result(modify(ANN, change(ADD, "mail", "ann"))).message())
        .isEqualTo("a value of mail does not match the regular expression of a constraint");
    assertThat(code(ANN, change(ADD, "mail", "bad"), change(DELETE, "mail", "bad")))
        .as("a value that is not there afterwards")
        .isEqualTo(SUCCESS);
  }

  @Test
  void shouldLeaveValuesAloneThatWereStoredBefore() {
    constrain(Map.of("attributes", List.of("mail"), "regex", "^[a-z]+@[a-z]+$"));
    assertThat(code(BOB, change(ADD, "mail", "bob@home"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(REPLACE, "mail", "bob at home", "bob@ship"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(DELETE, "mail", "bob@ship"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(REPLACE, "mail", "Bob At Home")))
        .as("with other bytes")
        .isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(BOB, change(REPLACE, "mail"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(ADD, "mail", "bob at home")))
        .as("no longer there")
        .isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldForbidAnExpression() {
    constrain(Map.of("attributes", List.of("description"), "forbiddenRegex", "secret"));
    assertThat(code(ANN, change(ADD, "description", "a secret"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "description", "nothing"))).isEqualTo(SUCCESS);
  }

  @Test
  void shouldTakeOtherBytesThanTextForCharacters() {
    Expression expression = Expression.of("abc.");
    assertThat(expression.isFoundIn(new byte[] {'a', 'b', 'c', (byte) 0xff}, Pace.UNBOUNDED))
        .isTrue();
    assertThat(expression.isFoundIn(new byte[] {'a', 'b', (byte) 0xff}, Pace.UNBOUNDED)).isFalse();
  }

  @Test
  void shouldBoundTheLengthInBytes() {
    constrain(Map.of("attributes", List.of("description"), "maximumBytes", 4));
    assertThat(code(ANN, change(ADD, "description", "Maße"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "description", "Mass"))).isEqualTo(SUCCESS);
  }

  @Test
  void shouldBoundTheNumberOfValuesOfAllOptionsTogether() {
    constrain(Map.of("attributes", List.of("description"), "maximumValues", 3));
    assertThat(code(ANN, change(ADD, "description", "1", "2", "3", "4")))
        .isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "description", "1", "2"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "description;lang-en", "1", "2")))
        .isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "description;lang-en", "1"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "description", "3"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(DELETE, "description", "1"), change(ADD, "description", "3")))
        .isEqualTo(SUCCESS);
    assertThat(code(ANN, change(REPLACE, "description", "4"))).isEqualTo(SUCCESS);
  }

  @Test
  void shouldLetEntriesWithTooManyValuesLoseSome() {
    constrain(Map.of("attributes", List.of("mail"), "maximumValues", 0));
    assertThat(code(BOB, change(ADD, "cn", "Robert"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(ADD, "mail", "bob@home"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(BOB, change(DELETE, "mail", "bob@work"))).isEqualTo(SUCCESS);
    assertThat(code(BOB, change(REPLACE, "mail", "bob@home"))).isEqualTo(SUCCESS);
    assertThat(addPerson("uid=new," + PEOPLE, "mail", "x")).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldAllowSomeValuesByTheEqualityRule() {
    constrain(Map.of("attributes", List.of("employeeType"), "values", List.of("Cook", "Sailor")));
    assertThat(code(ANN, change(ADD, "employeeType", "  COOK"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "employeeType", "Pirate"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldAllowValuesThatEntriesHave() {
    constrain(
        Map.of(
            "attributes",
            List.of("title"),
            "listAttributes",
            List.of("title", "ou"),
            "listBase",
            CATALOG,
            "listScope",
            "one",
            "listFilter",
            "(objectClass=device)"));
    assertThat(code(ANN, change(ADD, "title", "captain"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "title", "BOSUN"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "title", "Spy"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "title", "M*"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "title", "catalog"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "title", "x)(title=*"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldAllowNoValuesOfABaseThatDoesNotExist() {
    constrain(
        Map.of(
            "attributes",
            List.of("title"),
            "listAttributes",
            List.of("title"),
            "listBase",
            "ou=nowhere," + TOP));
    assertThat(code(ANN, change(ADD, "title", "Captain"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldCheckTheWholeEntryThatEntersTheScope() {
    constrain(
        Map.of("attributes", List.of("mail"), "regex", "@", "base", PEOPLE, "scope", "children"));
    assertThat(code(EVE, change(ADD, "mail", "no"))).isEqualTo(SUCCESS);
    assertThat(directory.code(move(EVE, "uid=eve", PEOPLE))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(EVE, change(REPLACE, "mail", "eve@home"))).isEqualTo(SUCCESS);
    assertThat(directory.code(move(EVE, "uid=eve", PEOPLE))).isEqualTo(SUCCESS);
    assertThat(directory.code(move(BOB, "uid=bob", LEAF))).as("leaves it").isEqualTo(SUCCESS);
  }

  @Test
  void shouldCheckTheWholeEntryThatBeginsToMatch() {
    constrain(
        Map.of("attributes", List.of("mail"), "regex", "@", "filter", "(|(title=Mate)(!(cn=*)))"));
    assertThat(code(ANN, change(ADD, "mail", "no"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "title", "Captain"))).isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "title", "mate"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(REPLACE, "mail", "a@b"), change(ADD, "title", "mate")))
        .isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "mail", "no"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(ANN, change(ADD, "mail", "no"), change(DELETE, "title")))
        .as("matches no longer")
        .isEqualTo(SUCCESS);
  }

  @Test
  void shouldKeepTheNumberOfAnEntryThatBeginsToMatch() {
    constrain(Map.of("attributes", List.of("mail"), "maximumValues", 1, "filter", "(title=Mate)"));
    assertThat(code(BOB, change(ADD, "title", "Mate"))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(code(BOB, change(ADD, "title", "Mate"), change(DELETE, "mail", "bob@work")))
        .isEqualTo(SUCCESS);
  }

  @Test
  void shouldCheckNames() {
    constrain(Map.of("attributes", List.of("uid"), "regex", "^[a-z]+$", "maximumValues", 1));
    assertThat(directory.code(rename(ANN, "uid=ann2", true))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(directory.code(rename(ANN, "uid=anna", false))).isEqualTo(CONSTRAINT_VIOLATION);
    assertThat(directory.code(rename(ANN, "uid=anna", true))).isEqualTo(SUCCESS);
  }

  @Test
  void shouldCheckIncrements() {
    constrain(Map.of("attributes", List.of("uidNumber"), "regex", "^[1-9]$"));
    String user = "uid=unix," + PEOPLE;
    assertThat(
            directory.code(
                add(
                    user,
                    "objectClass",
                    "account",
                    "objectClass",
                    "posixAccount",
                    "cn",
                    "unix",
                    "uidNumber",
                    "8",
                    "gidNumber",
                    "8",
                    "homeDirectory",
                    "/")))
        .isEqualTo(SUCCESS);
    assertThat(code(user, change(INCREMENT, "uidNumber", "1"))).isEqualTo(SUCCESS);
    assertThat(code(user, change(INCREMENT, "uidNumber", "1"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldRestWhereTheRulesAreRelaxed() {
    constrain(Map.of("attributes", List.of("mail"), "regex", "@"));
    RequestControl relax = new RequestControl(ControlType.RELAX_RULES.oid(), true, null);
    assertThat(directory.code(modify(List.of(relax), ANN, change(ADD, "mail", "ann"))))
        .isEqualTo(SUCCESS);
    assertThat(code(ANN, change(ADD, "mail", "anna"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldHoldForUsers() {
    directory.identity = OperationFixture.USER;
    directory.access = new AccessPolicy(false).withWriters(Set.of(OperationFixture.USER.dn()));
    constrain(Map.of("attributes", List.of("mail"), "regex", "@"));
    assertThat(code(ANN, change(ADD, "mail", "ann"))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldMatchInTimeThatGrowsWithTheValueOnly() {
    constrain(Map.of("attributes", List.of("description"), "regex", "(a+)+$"));
    String hostile = "a".repeat(20_000) + "b";
    assertThat(code(ANN, change(ADD, "description", hostile))).isEqualTo(CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldRefuseWhatTakesTooManySteps() {
    allow(1_000);
    constrain(Map.of("attributes", List.of("description"), "forbiddenRegex", "(a|aa){1,100}$"));
    constrain(Map.of("attributes", List.of("sn"), "regex", "(b|aa){1,100}$"));
    String hostile = "a".repeat(500) + "b";
    assertThat(code(ANN, change(ADD, "description", hostile))).isEqualTo(ADMIN_LIMIT_EXCEEDED);
    assertThat(code(ANN, change(ADD, "sn", hostile))).isEqualTo(ADMIN_LIMIT_EXCEEDED);
    assertThat(code(ANN, change(ADD, "description", "b"), change(ADD, "sn", "b")))
        .isEqualTo(SUCCESS);
  }

  @Test
  void shouldRefuseTooManyValuesToLookUp() {
    allow(20);
    constrain(
        Map.of("attributes", List.of("description"), "listAttributes", List.of("description")));
    assertThat(code(ANN, change(ADD, "description", KNOWN))).isEqualTo(ADMIN_LIMIT_EXCEEDED);
    assertThat(code(ANN, change(ADD, "description", Arrays.copyOf(KNOWN, 5)))).isEqualTo(SUCCESS);
  }

  @Test
  void shouldFindNoFaultsOnceThePaceHasEnded() {
    ConstraintRule rule =
        MapSection.rule(List.of(Map.of("attributes", List.of("mail"), "regex", "^a+$")));
    Entry bob = person(BOB, "bob", "mail", "a".repeat(1000));
    assertThat(rule.faults(bob, null, Pace.ofLooks(10))).isEmpty();
    assertThat(rule.faults(bob, null, Pace.ofLooks(10_000))).isEmpty();
  }

  @Test
  void shouldListTheFaultsOfAnEntry() {
    ConstraintRule rule =
        MapSection.rule(
            List.of(
                Map.of("attributes", List.of("mail"), "regex", "@", "maximumValues", 2),
                Map.of("attributes", List.of("sn", "cn"), "maximumBytes", 2),
                Map.of("attributes", List.of("title"), "listAttributes", List.of("ou")),
                Map.of("attributes", List.of("uid"), "maximumValues", 0, "base", LEAF)));
    Entry bob = person(BOB, "bob", "mail", "secret", "mail", "b@c", "title", "Pilot");
    assertThat(rule.faults(bob, null, Pace.UNBOUNDED))
        .containsExactly(
            "a value of mail does not match the regular expression of a constraint",
            "a value of sn has more than the 2 bytes of a constraint",
            "a value of cn has more than the 2 bytes of a constraint");
    try (ReadTransaction state = directory.store.beginRead()) {
      assertThat(rule.faults(bob, state, Pace.UNBOUNDED))
          .hasSize(4)
          .contains("a value of title is in none of the entries that a constraint names");
    }
    bob.add(description("mail"), "d@e".getBytes(UTF_8));
    assertThat(rule.faults(bob, null, Pace.UNBOUNDED))
        .contains("mail has more than the 2 values of a constraint");
    assertThat(rule.faults(person(EVE, "ev"), null, Pace.UNBOUNDED))
        .containsExactly("uid has more than the 0 values of a constraint");
  }
}
