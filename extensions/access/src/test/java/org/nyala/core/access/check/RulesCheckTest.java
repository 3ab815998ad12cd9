package org.nyala.core.access.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.access.rule.RandomRequests;
import org.nyala.core.access.rule.RandomRules;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

class RulesCheckTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int ROUNDS = 2_000;
  private static final int QUESTIONS = 60;

  private static List<String> findings(String text) throws Exception {
    return RulesCheck.unreached(RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA)).stream()
        .map(Finding::toString)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all|entry \"dc=com\"",
        "all|attributes cn",
        "subtree \"dc=com\"|names \"uid={u},dc=com\"",
        "subtree \"dc=com\"|below \"ou=a,dc=com\"",
        "subtree \"dc=com\"|subtree \"dc=com\" where (cn=a)",
        "below \"dc=com\"|directly below \"dc=com\"",
        "below \"dc=com\"|subtree \"ou=a,dc=com\"",
        "directly below \"dc=com\"|entry \"ou=a,dc=com\"",
        "names \"uid={u},dc=com\"|entry \"uid=a,dc=com\"",
        "names \"uid={u},dc=com\"|names \"uid={other},dc=com\"",
        "names \"cn={*},uid={*},dc=com\"|names \"cn={c},uid=a,dc=com\"",
        "subtree \"uid={u},dc=com\"|below \"cn=x,uid=a,dc=com\"",
        "attributes name, mail|attributes cn, mail",
        "attributes name|attributes cn;lang-de",
        "attributes @person|attributes sn, cn;lang-de",
        "attributes @person, entry|attributes @person",
        "attributes all but cn|attributes mail, entry",
        "attributes all but cn|attributes all but name",
        "attributes member|attributes member value \"cn=a\""
      })
  void shouldFindARuleBehindOneThatCoversAllOfIt(String targets) throws Exception {
    String[] both = targets.split("\\|", -1);
    String text = "to %s\n users may read\nto %s\n users may read\n".formatted(both[0], both[1]);

    assertThat(findings(text))
        .containsExactly(
            "r:3:1: this rule is never reached: the one in line 1 covers all that it covers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "entry \"dc=com\"|all",
        "attributes cn|all",
        "below \"dc=com\"|subtree \"dc=com\"",
        "below \"dc=com\"|entry \"dc=com\"",
        "directly below \"dc=com\"|directly below \"ou=a,dc=com\"",
        "directly below \"dc=com\"|subtree \"ou=a,dc=com\"",
        "entry \"dc=com\"|directly below \"dc=com\"",
        "names \"uid={u},dc=com\"|entry \"cn=a,dc=com\"",
        "names \"uid={u},dc=com\"|entry \"uid=a+cn=b,dc=com\"",
        "entry \"uid=a,dc=com\"|names \"uid={u},dc=com\"",
        "subtree \"dc=org\"|entry \"dc=com\"",
        "where (cn=a)|all",
        "attributes member value \"cn=a\"|attributes member",
        "attributes cn|attributes name",
        "attributes cn;lang-de|attributes cn",
        "attributes @person|attributes mail",
        "attributes @person|attributes @inetOrgPerson",
        "attributes all but cn|attributes name",
        "attributes all but name|attributes all but cn",
        "attributes cn|attributes all but cn",
        "attributes all but entry|attributes entry"
      })
  void shouldNotFindOthers(String targets) throws Exception {
    String[] both = targets.split("\\|", -1);
    String text = "to %s\n users may read\nto %s\n users may read\n".formatted(both[0], both[1]);

    assertThat(findings(text)).isEmpty();
  }

  @Test
  void shouldNotTakeARuleThatLetsPassForOneThatDecides() throws Exception {
    assertThat(findings("to all\n users break\n others may nothing\nto all\n all may read\n"))
        .isEmpty();
    assertThat(findings("to all\n users continue\n others may nothing\nto all\n all may read\n"))
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all|users",
        "users|self",
        "users|subtree \"dc=com\" over 128",
        "users|group \"cn=a,dc=com\"",
        "users|listed in member",
        "users|people1",
        "subtree \"dc=com\"|entry \"uid=a,dc=com\"",
        "names \"uid={*},dc=com\"|entry \"uid=a,dc=com\"",
        "directly below \"dc=com\"|names \"uid={*},dc=com\"",
        "from 192.0.2.0/24|from 192.0.2.128/25 users",
        "from office|from 192.0.2.7",
        "from 192.0.0.0/16|from office",
        "from office|from office users",
        "over 128|over tls 256",
        "over tls 128|over tls 128 self"
      })
  void shouldFindAClauseBehindOneThatFitsAllWhomItFits(String clauses) throws Exception {
    String[] both = clauses.split("\\|", -1);
    String text =
        """
        zone office = 192.0.2.0/25, 192.0.2.128/25
        people people1 = entry "cn=a,dc=com"
        to all
          %s may search
          %s may read
        """
            .formatted(both[0], both[1]);

    assertThat(findings(text))
        .containsExactly(
            "r:5:3: this clause is never reached: one before it matches the same users");
    // Nor the other way round, nor if the first one lets it be asked.
    assertThat(findings(text.replace("may search", "may search and continue"))).isEmpty();
    String turned =
        text.replace(both[0] + " may search", both[1] + " may search")
            .replace(both[1] + " may read", both[0] + " may read");
    assertThat(findings(turned)).isEmpty();
  }

  @Test
  void shouldFindAClauseForNobodyAndALimitThatNeverCounts() throws Exception {
    assertThat(findings("to all\n anonymous self may read\n"))
        .containsExactly("r:2:2: this clause matches nobody");
    assertThat(findings("limit users entries 5\nlimit entry \"dc=com\" seconds 1\n"))
        .containsExactly("r:2:1: this limit never applies: one before it matches the same users");
    assertThat(findings("limit users entries 5\nlimit anonymous seconds 1\n")).isEmpty();
  }

  @Test
  void shouldNeverCallAClauseUnreachedThatDecides() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    PlainDirectory directory = new PlainDirectory(SCHEMA, RandomRequests.ENTRIES);
    int found = 0;
    for (int i = 0; i < ROUNDS; i++) {
      String text = RulesPrinter.print(new RandomRules(SCHEMA, random.nextLong()).next(6));
      AccessRules rules = RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
      List<Finding> findings = RulesCheck.unreached(rules);
      found += findings.size();
      Set<Object> unreached = Set.copyOf(findings.stream().map(Finding::source).toList());
      NaiveInterpreter interpreter = new NaiveInterpreter(rules, directory);
      RandomRequests requests = new RandomRequests(random.nextLong());
      for (int j = 0; j < QUESTIONS; j++) {
        NaiveInterpreter.Answer answer = interpreter.answer(requests.client(), requests.question());
        List<Object> decided = new ArrayList<>();
        Rule rule = answer.rule();
        Clause clause = answer.clause();
        if (rule != null) {
          decided.add(rule.source());
        }
        if (clause != null) {
          decided.add(clause.source());
        }
        assertThat(unreached)
            .as("-Dtest.seed=%d%n%s%s", seed, text, findings)
            .doesNotContainAnyElementsOf(decided.isEmpty() ? List.of(0) : decided);
      }
    }
    assertThat(found).isGreaterThan(ROUNDS / 20);
  }

  @Test
  void shouldNameEntriesThatAreMissing() throws Exception {
    String text =
        """
        people admins = group "cn=admins,dc=com", entry "uid=a,dc=com"
        to subtree "uid={u},dc=com"
          entry "cn={u},dc=com" may read
          group "cn=staff,dc=com" may read
        to entry "ou=x,dc=com"
          group "cn=admins,dc=com" may read
        delegate subtree "ou=y,dc=com" to directory
        limit entry "uid=b,dc=com" entries 1
        """;
    AccessRules rules = RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);

    assertThat(NamedEntries.missing(rules, name -> !name.toString().startsWith("uid")))
        .map(Finding::toString)
        .containsExactly(
            "r:1:1: there is no group cn=admins,dc=com",
            "r:4:3: there is no group cn=staff,dc=com",
            "r:5:1: there is no entry ou=x,dc=com",
            "r:7:1: there is no entry ou=y,dc=com");
  }
}
