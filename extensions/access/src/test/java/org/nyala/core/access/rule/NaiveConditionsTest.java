package org.nyala.core.access.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.access.rule.RuleCases.ANN;
import static org.nyala.core.access.rule.RuleCases.BOB;
import static org.nyala.core.access.rule.RuleCases.GROUP;
import static org.nyala.core.access.rule.RuleCases.INNER;
import static org.nyala.core.access.rule.RuleCases.TOP;
import static org.nyala.core.access.rule.RuleCases.UNIQUE;
import static org.nyala.core.access.rule.RuleCases.client;
import static org.nyala.core.access.rule.RuleCases.question;
import static org.nyala.core.access.rule.RuleCases.rights;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;

/** Cases of whom a clause fits, from slapd.access(5) and the manual. */
class NaiveConditionsTest {
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
  void shouldNotFindAnonymousByName() {
    String rules =
        "to all\n self may read\n subtree \"\" may read\n ancestor 1 may read\n users may read";
    assertThat(rights(rules, "", "", "entry")).isEmpty();
    assertThat(rights("to all\n anonymous may only read", "", TOP, "cn")).isEqualTo("r");
    assertThat(rights("to all\n anonymous may only read", ANN, TOP, "cn")).isEmpty();
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
}
