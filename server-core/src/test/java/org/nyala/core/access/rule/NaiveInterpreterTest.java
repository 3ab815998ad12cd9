package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.rule.NaiveInterpreter.Answer;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Cases from slapd.access(5), the manual and the corners of both. */
class NaiveInterpreterTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final long SEED = Seeds.seed();

  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann,ou=people,dc=example,dc=com";
  private static final String BOB = "uid=bob,ou=people,dc=example,dc=com";
  private static final String GROUP = "cn=g,ou=groups,dc=example,dc=com";
  private static final String INNER = "cn=i,ou=groups,dc=example,dc=com";
  private static final String UNIQUE = "cn=u,ou=groups,dc=example,dc=com";

  private static final List<PlainEntry> ENTRIES =
      List.of(
          new PlainEntry(
              GROUP, Map.of("objectClass", List.of("groupOfNames"), "member", List.of(INNER))),
          new PlainEntry(
              INNER, Map.of("objectClass", List.of("groupOfNames"), "member", List.of(GROUP, ANN))),
          new PlainEntry(
              UNIQUE,
              Map.of(
                  "objectClass",
                  List.of("groupOfUniqueNames"),
                  "uniqueMember",
                  List.of(BOB),
                  "owner",
                  List.of("UID=Ann,OU=people,DC=example,DC=com"))),
          new PlainEntry(
              ANN, Map.of("objectClass", List.of("inetOrgPerson"), "mail", List.of("ann@x.org"))));

  private static AccessRules rules(String text) {
    try {
      return RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static Client client(String name) {
    return name.isEmpty() ? Client.ANONYMOUS : Client.ANONYMOUS.bound(name);
  }

  private static Question question(String entry, String attribute, String value) {
    PlainEntry known =
        ENTRIES.stream()
            .filter(each -> each.name().equals(entry))
            .findFirst()
            .orElse(new PlainEntry(entry, Map.of()));
    return new Question(known, attribute, value);
  }

  /** Rights as slapd's letters; {@code i} is increment, {@code p} proxy. */
  private static String letters(Set<Right> rights) {
    StringBuilder letters = new StringBuilder();
    for (Right right : rights) {
      letters.append(letter(right));
    }
    return letters.toString();
  }

  private static char letter(Right right) {
    return switch (right) {
      case DISCLOSE -> 'd';
      case AUTHENTICATE -> 'x';
      case COMPARE -> 'c';
      case SEARCH -> 's';
      case READ -> 'r';
      case ADD -> 'a';
      case REMOVE -> 'z';
      case INCREMENT -> 'i';
      case MANAGE -> 'm';
      case PROXY -> 'p';
    };
  }

  private static String rights(String rules, Client client, Question question) {
    NaiveInterpreter interpreter =
        new NaiveInterpreter(rules(rules), new PlainDirectory(SCHEMA, ENTRIES));
    return letters(interpreter.answer(client, question).rights());
  }

  private static String rights(String rules, String user, String entry, String attribute) {
    return rights(rules, client(user), question(entry, attribute, null));
  }

  @Test
  void shouldGrantNothingIfNoRuleCovers() {
    assertThat(rights("", ANN, TOP, "cn")).isEmpty();
    assertThat(rights("to entry \"dc=com\"\n all may read", ANN, TOP, "cn")).isEmpty();
  }

  @Test
  void shouldLetTheFirstRuleThatCoversDecide() {
    String rules =
        """
        to attributes userPassword
          self may write
          anonymous may authenticate
        to all
          self may read, write
          users may read
        """;
    assertThat(rights(rules, ANN, ANN, "userPassword")).isEqualTo("dazi");
    assertThat(rights(rules, "", ANN, "userPassword")).isEqualTo("dx");
    assertThat(rights(rules, BOB, ANN, "userPassword")).isEmpty();
    assertThat(rights(rules, ANN, ANN, "cn")).isEqualTo("dcsrazi");
    assertThat(rights(rules, BOB, ANN, "cn")).isEqualTo("dcsr");
    assertThat(rights(rules, "", ANN, "cn")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "entry, false, true, false, false",
    "subtree, false, true, true, true",
    "below, false, false, true, true",
    "directly below, false, false, true, false"
  })
  void shouldKnowScopes(String scope, boolean above, boolean self, boolean next, boolean deep) {
    String rules = "to " + scope + " \"dc=example,dc=com\"\n users may only read";
    String who = "to all\n " + scope + " \"dc=example,dc=com\" may only read";
    Map<String, Boolean> expected =
        Map.of("dc=com", above, "DC=Example, DC=com", self, "ou=x," + TOP, next, ANN, deep);

    expected.forEach(
        (name, isIn) -> {
          assertThat(rights(rules, BOB, name, "cn")).as(name).isEqualTo(isIn ? "r" : "");
          assertThat(rights(who, name, "dc=org", "cn")).as(name).isEqualTo(isIn ? "r" : "");
        });
  }

  @Test
  void shouldLetTheTreeHaveATopOfNoName() {
    assertThat(rights("to entry \"\"\n all may only read", "", "", "cn")).isEqualTo("r");
    assertThat(rights("to below \"\"\n all may only read", "", "", "cn")).isEmpty();
    assertThat(rights("to directly below \"\"\n all may only read", "", "cn=m", "cn"))
        .isEqualTo("r");
    assertThat(rights("to all\n all may only read", "", "", "entry")).isEqualTo("r");
  }

  @Test
  void shouldNotFindAnonymousByName() {
    String rules =
        "to all\n self may read\n subtree \"\" may read\n ancestor 1 may read\n users may read";
    assertThat(rights(rules, "", "", "entry")).isEmpty();
    assertThat(rights("to all\n anonymous may only read", "", TOP, "cn")).isEqualTo("r");
    assertThat(rights("to all\n anonymous may only read", ANN, TOP, "cn")).isEmpty();
  }

  /** The silly example of slapd.access(5): search and compare for everybody, read for users. */
  @Test
  void shouldContinueWithTheNextClause() {
    String rules = "to all\n all may only compare, search and continue\n users plus read";
    assertThat(rights(rules, "", TOP, "cn")).isEqualTo("cs");
    assertThat(rights(rules, ANN, TOP, "cn")).isEqualTo("csr");
  }

  @Test
  void shouldReplaceAfterContinue() {
    String rules = "to all\n all may read and continue\n users may only add\n self may write";
    assertThat(rights(rules, ANN, ANN, "cn")).isEqualTo("a");
    assertThat(rights(rules, "", ANN, "cn")).isEqualTo("dcsr");
  }

  /** The other example of slapd.access(5). */
  @Test
  void shouldBreakToTheNextRule() {
    String rules =
        """
        to subtree "dc=example,dc=com" attributes cn
          all may only compare, search and break
        to subtree "ou=people,dc=example,dc=com"
          others plus read
        """;
    assertThat(rights(rules, "", ANN, "cn")).isEqualTo("csr");
    assertThat(rights(rules, "", TOP, "cn")).isEqualTo("cs");
    assertThat(rights(rules, "", ANN, "sn")).isEqualTo("r");
  }

  @Test
  void shouldGrantNothingIfARuleCoversAfterABreakAndNobodyFits() {
    String rules = "to all\n users may search and break\nto attributes mail\n self may write";
    assertThat(rights(rules, BOB, ANN, "mail")).isEmpty();
    assertThat(rights(rules, BOB, ANN, "cn")).isEqualTo("dcs");
  }

  /** The update DN of slapd.access(5): it writes everything, others are asked about further. */
  @Test
  void shouldBreakWithoutAChange() {
    String rules =
        """
        to all
          entry "cn=update,dc=example,dc=com" may write
          others break
        to all
          users may only read
        """;
    assertThat(rights(rules, "cn=update," + TOP, ANN, "cn")).isEqualTo("dazi");
    assertThat(rights(rules, ANN, ANN, "cn")).isEqualTo("r");
  }

  @Test
  void shouldAddAndRemove() {
    String rules =
        "to all\n users may read and continue\n self plus write and continue\n all minus ";
    assertThat(rights(rules + "read, add", ANN, ANN, "cn")).isEqualTo("dcszi");
    assertThat(rights(rules + "write", BOB, ANN, "cn")).isEqualTo("dcsr");
    assertThat(rights("to all\n all plus read", BOB, ANN, "cn")).isEqualTo("r");
    assertThat(rights("to all\n all minus read", BOB, ANN, "cn")).isEmpty();
  }

  /** The levels of {@code self} in slapd.access(5). */
  @Test
  void shouldKnowTheLevelsOfSelf() {
    String user = "cn=User,dc=example,dc=com";
    String book = "ou=Address Book,cn=User,dc=example,dc=com";
    assertThat(rights("to all\n descendant 1 may only read", user, TOP, "cn")).isEqualTo("r");
    assertThat(rights("to all\n descendant 1 may only read", user, book, "cn")).isEmpty();
    assertThat(rights("to all\n ancestor 1 may only read", user, book, "cn")).isEqualTo("r");
    assertThat(rights("to all\n ancestor 1 may only read", user, "cn=x," + book, "cn")).isEmpty();
    assertThat(rights("to all\n ancestor 2 may only read", user, "cn=x," + book, "cn"))
        .isEqualTo("r");
    assertThat(rights("to all\n ancestor 9 may only read", user, book, "cn")).isEmpty();
    assertThat(rights("to all\n self may only read", user, book, "cn")).isEmpty();
  }

  /**
   * {@code to dn.regex="^(.+,)?uid=([^,]+),dc=example,dc=com$" by dn.exact,expand="uid=$2,..."}.
   */
  @Test
  void shouldKnowCaptures() {
    String rules =
        """
        to subtree "uid={u},ou=people,dc=example,dc=com"
          entry "uid={u},ou=agents,dc=example,dc=com" may only write
          group "cn={u},ou=groups,dc=example,dc=com" may only read
        """;
    String agent = "uid=Ann,ou=agents,dc=example,dc=com";
    assertThat(rights(rules, agent, ANN, "cn")).isEqualTo("azi");
    assertThat(rights(rules, agent, "cn=x," + ANN, "cn")).isEqualTo("azi");
    assertThat(rights(rules, agent, BOB, "cn")).isEmpty();
    assertThat(rights(rules, agent, "ou=people,dc=example,dc=com", "cn")).isEmpty();
    assertThat(rights(rules, ANN, "uid=I,ou=people,dc=example,dc=com", "cn")).isEqualTo("r");
    assertThat(rights(rules, BOB, "uid=I,ou=people,dc=example,dc=com", "cn")).isEmpty();
  }

  @Test
  void shouldCaptureWholeValuesOfRdnsOfOneValue() {
    String rules = "to names \"uid={u},dc=com\"\n entry \"cn={u},dc=org\" may only read";
    assertThat(rights(rules, "cn=a\\,b,dc=org", "uid=A\\2cB,dc=com", "cn")).isEqualTo("r");
    assertThat(rights(rules, "cn=a,dc=org", "uid=a+cn=b,dc=com", "cn")).isEmpty();
    assertThat(rights(rules, "cn=a,dc=org", "cn=a,dc=com", "cn")).isEmpty();
  }

  @Test
  void shouldKnowGroups() {
    assertThat(rights("to all\n group \"" + INNER + "\" may only read", ANN, TOP, "cn"))
        .isEqualTo("r");
    assertThat(rights("to all\n group \"" + INNER + "\" may only read", BOB, TOP, "cn")).isEmpty();
    assertThat(rights("to all\n group \"" + GROUP + "\" may only read", ANN, TOP, "cn")).isEmpty();
    String nested = "to all\n group \"" + GROUP + "\" nested may only read";
    assertThat(rights(nested, ANN, TOP, "cn")).isEqualTo("r");
    assertThat(rights(nested, BOB, TOP, "cn")).isEmpty();
    assertThat(rights("to all\n group \"cn=no\" nested may only read", BOB, TOP, "cn")).isEmpty();
  }

  @Test
  void shouldKnowClassesAndMembersOfGroups() {
    String unique = "to all\n group \"" + UNIQUE + "\" ";
    assertThat(rights(unique + "may only read", BOB, TOP, "cn")).isEmpty();
    assertThat(rights(unique + "member uniqueMember may only read", BOB, TOP, "cn")).isEqualTo("r");
    assertThat(rights(unique + "member owner may only read", ANN, TOP, "cn")).isEqualTo("r");
    String ofClass = "to all\n group \"" + INNER + "\" class ";
    assertThat(rights(ofClass + "groupOfNames may only read", ANN, TOP, "cn")).isEqualTo("r");
    assertThat(rights(unique + "class groupOfNames member owner may only read", ANN, TOP, "cn"))
        .isEmpty();
  }

  @Test
  void shouldKnowPeople() {
    String rules =
        "people ann = entry \""
            + ANN
            + "\"\npeople both = ann, group \""
            + UNIQUE
            + "\" member uniqueMember\nto all\n both may only read\n";
    assertThat(rights(rules, ANN, TOP, "cn")).isEqualTo("r");
    assertThat(rights(rules, BOB, TOP, "cn")).isEqualTo("r");
    assertThat(rights(rules, TOP, TOP, "cn")).isEmpty();
    assertThat(rights(rules, "", TOP, "cn")).isEmpty();
  }

  /** {@code by dnattr=owner write}. */
  @Test
  void shouldKnowThoseListedInTheEntry() {
    String rules = "to all\n listed in owner may only write";
    assertThat(rights(rules, ANN, UNIQUE, "cn")).isEqualTo("azi");
    assertThat(rights(rules, BOB, UNIQUE, "cn")).isEmpty();
    assertThat(rights(rules, ANN, GROUP, "cn")).isEmpty();
  }

  /** {@code by users selfwrite by users read} on {@code member}. */
  @Test
  void shouldKnowTheOwnValue() {
    String rules = "to attributes member\n users may only read, write value self";
    assertThat(rights(rules, client(ANN), question(GROUP, "member", ANN))).isEqualTo("razi");
    assertThat(rights(rules, client(ANN), question(GROUP, "member", BOB))).isEqualTo("r");
    assertThat(rights(rules, client(ANN), question(GROUP, "member", null))).isEqualTo("r");
    String own = "to all\n users may only add value self\n all may only search";
    assertThat(rights(own, client(ANN), question(GROUP, "member", ANN))).isEqualTo("a");
    assertThat(rights(own, client(ANN), question(GROUP, "member", BOB))).isEqualTo("s");
    assertThat(rights(own, client(ANN), question(GROUP, "description", ANN))).isEqualTo("s");
    assertThat(rights(own, client(""), question(GROUP, "member", ""))).isEqualTo("s");
  }

  @Test
  void shouldKnowTheOwnValueAmongClausesThatCount() {
    String rules =
        "to all\n users may only read, add value self and continue\n others plus disclose";
    assertThat(rights(rules, client(ANN), question(GROUP, "member", ANN))).isEqualTo("dra");
    assertThat(rights(rules, client(ANN), question(GROUP, "member", BOB))).isEqualTo("dr");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.9, sr",
    "192.0.3.9, s",
    "2001:db8::1, sr",
    "2001:db9::1, s",
    "::1, s",
    "10.0.0.1, sr",
    "'', xs",
    "::ffff:192.0.2.9, sr"
  })
  void shouldKnowZones(String address, String expected) {
    String rules =
        """
        zone inner = 10.0.0.0/8
        zone office = 192.0.2.0/24, 2001:db8::/32, inner
        to all
          all may only search and continue
          from office plus read
          from ldapi plus authenticate
        """;
    Client client = Client.ANONYMOUS.from(address);
    assertThat(rights(rules, client, question(TOP, "cn", null))).isEqualTo(expected);
  }

  @Test
  void shouldKnowStrengthsAndMechanisms() {
    Client strong = new Client(ANN, "", 128, 56, 71, "GSSAPI");
    Question question = question(TOP, "cn", null);
    for (String who :
        List.of(
            "over 128",
            "over tls 128",
            "over sasl 56",
            "over transport 71",
            "by GSSAPI",
            "users over 100 by GSSAPI from ldapi")) {
      assertThat(rights("to all\n " + who + " may only read", strong, question))
          .as(who)
          .isEqualTo("r");
    }
    for (String who :
        List.of(
            "over 129",
            "over tls 129",
            "over sasl 57",
            "over transport 72",
            "by simple",
            "users over 100 by GSSAPI from ::1")) {
      assertThat(rights("to all\n " + who + " may only read", strong, question)).as(who).isEmpty();
    }
    assertThat(rights("to all\n by simple may only read", client(ANN), question)).isEqualTo("r");
  }

  @Test
  void shouldKnowFilters() {
    String rules = "to where (&(objectClass=inetOrgPerson)(mail=*))\n all may only read";
    assertThat(rights(rules, "", ANN, "cn")).isEqualTo("r");
    assertThat(rights(rules, "", GROUP, "cn")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn | cn | true",
        "cn | commonName | true",
        "cn | cn;lang-de | true",
        "cn;lang-de | cn | false",
        "cn;lang-de | cn;lang-de | true",
        "cn;lang- | cn;lang-de | true",
        "name | cn;lang-de | true",
        "cn | name | false",
        "cn | sn | false",
        "sn, cn | cn | true",
        "cn | entry | false",
        "entry | entry | true",
        "entry | children | false",
        "children | children | true",
        "entry | cn | false",
        "@person | sn | true",
        "@person | objectClass | true",
        "@person | mail | false",
        "@person | cn;lang-de | true",
        "@namedObject | cn | true",
        "@groupOfUniqueNames | uniqueMember | true",
        "@account | uid | true",
        "@inetOrgPerson | sn | true",
        "@person | entry | false",
        "@extensibleObject | mail | true",
        "@extensibleObject | entry | true",
        "all but @person | sn | false",
        "all but @person | mail | true",
        "all but @person | entry | true",
        "all but cn, entry | cn;lang-de | false",
        "all but cn, entry | children | true",
        "all but cn, entry | entry | false",
      })
  void shouldKnowAttributes(String attributes, String attribute, boolean isCovered) {
    String rules = "to attributes " + attributes + "\n all may only read";
    assertThat(rights(rules, "", TOP, attribute)).isEqualTo(isCovered ? "r" : "");
    assertCovers(rules, attribute, isCovered);
  }

  /** The model's own answer is the same. */
  private static void assertCovers(String rules, String attribute, boolean isCovered) {
    Attributes attributes = ((Rule) rules(rules).steps().getFirst()).target().attributes();
    boolean answer =
        switch (attribute) {
          case "entry" -> attributes.covers(Attributes.Pseudo.ENTRY);
          case "children" -> attributes.covers(Attributes.Pseudo.CHILDREN);
          default -> attributes.covers(AttributeDescription.parse(SCHEMA, attribute));
        };
    assertThat(answer).isEqualTo(isCovered);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn value \"Ann\" | cn | ANN | true",
        "cn value \"Ann\" | cn;lang-de | ann | true",
        "cn value \"Ann\" | cn | Bob | false",
        "cn value \"Ann\" | cn | | false",
        "member value \"uid=ann,dc=com\" | member | UID=Ann, DC=com | true",
        "member value entry \"uid=ann,dc=com\" | member | UID=Ann, DC=com | true",
        "member value subtree \"dc=com\" | member | dc=com | true",
        "member value below \"dc=com\" | member | dc=com | false",
        "member value below \"dc=com\" | member | cn=a,cn=b,dc=com | true",
        "member value directly below \"dc=com\" | member | cn=a,cn=b,dc=com | false",
        "member value directly below \"dc=com\" | member | cn=b,dc=com | true",
        "member value below \"dc=com\" | member | | false",
        "member value below \"dc=com\" | owner | cn=b,dc=com | false",
      })
  void shouldKnowValues(String attributes, String attribute, String value, boolean isCovered) {
    String rules = "to attributes " + attributes + "\n all may only read";
    assertThat(rights(rules, Client.ANONYMOUS, question(TOP, attribute, value)))
        .isEqualTo(isCovered ? "r" : "");
  }

  @Test
  void shouldAskTheDirectoryAtThePlaceOfTheDelegation() {
    AccessRules rules =
        rules(
            """
            to attributes userPassword
              self may write
            delegate subtree "ou=people,dc=example,dc=com" to directory
            to all
              users may only search
            """);
    Rule own =
        (Rule) rules("to attributes cn, userPassword\n all may only read").steps().getFirst();
    NaiveInterpreter interpreter = new NaiveInterpreter(rules, new PlainDirectory(SCHEMA, ENTRIES));
    interpreter.delegated(((Delegation) rules.steps().get(1)).subtree(), List.of(own));

    assertThat(letters(interpreter.answer(client(BOB), question(ANN, "cn", null)).rights()))
        .isEqualTo("r");
    assertThat(interpreter.answer(client(BOB), question(ANN, "userPassword", null)).rights())
        .isEmpty();
    assertThat(letters(interpreter.answer(client(BOB), question(ANN, "sn", null)).rights()))
        .isEqualTo("s");
    assertThat(letters(interpreter.answer(client(BOB), question(GROUP, "cn", null)).rights()))
        .isEqualTo("s");
  }

  @Test
  void shouldTellTheRuleAndTheClause() {
    AccessRules rules =
        rules("to attributes cn\n self may write\n\nto all\n anonymous may read\n users may read");
    NaiveInterpreter interpreter = new NaiveInterpreter(rules, new PlainDirectory(SCHEMA, ENTRIES));

    Answer fits = interpreter.answer(client(BOB), question(ANN, "sn", null));
    assertThat(fits.rule().source().line()).isEqualTo(4);
    assertThat(fits.clause().source().line()).isEqualTo(6);
    Answer nobody = interpreter.answer(client(BOB), question(ANN, "cn", null));
    assertThat(nobody.rule().source().line()).isEqualTo(1);
    assertThat(nobody.clause()).isNull();
  }

  /** Random rules and requests are worth asking: there are answers of many kinds. */
  @Test
  void shouldAnswerRandomRequests() {
    RandomRules random = new RandomRules(SCHEMA, SEED);
    RandomRequests requests = new RandomRequests(SEED);
    PlainDirectory directory = new PlainDirectory(SCHEMA, RandomRequests.ENTRIES);
    Set<Set<Right>> answers = new HashSet<>();
    int uncovered = 0;
    int unfit = 0;
    int times = 2_000;
    for (int i = 0; i < times; i++) {
      NaiveInterpreter interpreter = new NaiveInterpreter(random.next(20), directory);
      Answer answer = interpreter.answer(requests.client(), requests.question());
      answers.add(Set.copyOf(answer.rights()));
      uncovered += answer.rule() == null ? 1 : 0;
      unfit += answer.rule() != null && answer.clause() == null ? 1 : 0;
    }
    assertThat(answers).as("seed %s", SEED).hasSizeGreaterThan(50);
    assertThat(uncovered).as("seed %s", SEED).isBetween(1, times * 3 / 4);
    assertThat(unfit).as("seed %s", SEED).isBetween(1, times / 2);
  }
}
