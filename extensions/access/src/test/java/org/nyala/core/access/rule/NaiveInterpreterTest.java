package org.nyala.core.access.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.access.rule.RuleCases.ANN;
import static org.nyala.core.access.rule.RuleCases.BOB;
import static org.nyala.core.access.rule.RuleCases.ENTRIES;
import static org.nyala.core.access.rule.RuleCases.GROUP;
import static org.nyala.core.access.rule.RuleCases.SCHEMA;
import static org.nyala.core.access.rule.RuleCases.TOP;
import static org.nyala.core.access.rule.RuleCases.client;
import static org.nyala.core.access.rule.RuleCases.letters;
import static org.nyala.core.access.rule.RuleCases.question;
import static org.nyala.core.access.rule.RuleCases.rights;
import static org.nyala.core.access.rule.RuleCases.rules;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.rule.NaiveInterpreter.Answer;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.Right;

/**
 * Cases of what covers, and of the order of rules and clauses, from slapd.access(5) and the manual.
 */
class NaiveInterpreterTest {
  private static final long SEED = Seeds.seed();

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

  @Test
  void shouldLetTheTreeHaveATopOfNoName() {
    assertThat(rights("to entry \"\"\n all may only read", "", "", "cn")).isEqualTo("r");
    assertThat(rights("to below \"\"\n all may only read", "", "", "cn")).isEmpty();
    assertThat(rights("to directly below \"\"\n all may only read", "", "cn=m", "cn"))
        .isEqualTo("r");
    assertThat(rights("to all\n all may only read", "", "", "entry")).isEqualTo("r");
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
