package org.nyala.core.access.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Step;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/** Single questions that random rules rarely ask. */
class DecisionTest extends DecisionFixture {
  @Test
  void shouldTellValuesApartOnlyIfRulesDo() {
    DecidedRules rules =
        rules(
            """
            to attributes objectClass value "account"
              all may nothing
            to attributes member
              users may read, write value self
            to all
              users may read
            """,
            ANN);
    RuledProfile profile = profile(access(rules), BOB);
    assertThat(profile.mayDependOnValues()).isTrue();
    assertThat(profile.onValues(description("member"), Right.READ)).isEqualTo(Answer.GRANTED);
    assertThat(profile.onValues(description("member"), Right.ADD)).isEqualTo(Answer.DEPENDS);
    assertThat(profile.onValues(description("objectClass"), Right.READ)).isEqualTo(Answer.DEPENDS);
    assertThat(profile.onValues(description("cn"), Right.READ)).isEqualTo(Answer.GRANTED);
    assertThat(profile.onValues(description("cn"), Right.ADD)).isEqualTo(Answer.DENIED);
    assertThat(profile.depending(samples.table(), Right.READ)).isNull();
    int objectClass = samples.number(description("objectClass"));
    assertThat(profile.depending(samples.table(), Right.READ)).isNotNull();
    assertThat(profile.depending(samples.table(), Right.READ)[objectClass]).isTrue();
    assertThat(profile.depending(samples.table(), Right.ADD)).isNull();
  }

  @Test
  void shouldKnowTheRightsToNamesWithoutAnEntry() {
    String text =
        """
        to entry "uid=ann,ou=people,dc=example,dc=com" where (cn=*)
          all may read
        to entry "uid=bob,ou=people,dc=example,dc=com"
          all may disclose
        to entry ""
          all may search
        """;
    EntryAccess access = access(rules(text, ANN));
    Dn ann = samples.dn(ANN);
    assertThat(access.profile(ann, Pace.UNBOUNDED).entryRights()).isEqualTo(Rights.NONE);
    assertThat(access.profile(samples.dn(BOB), Pace.UNBOUNDED).entryRights())
        .isEqualTo(Rights.of(Right.DISCLOSE));
    assertThat(access.profile(Dn.EMPTY, Pace.UNBOUNDED).allowsEntry(Right.SEARCH)).isTrue();
    assertThat(profile(access, ANN).allowsEntry(Right.READ)).isTrue();
  }

  @Test
  void shouldCountTheStrongestProtection() {
    String strong = "to all\n users over N may read\n";
    assertThat(profile(access(rules(strong.replace("N", "71"), ANN)), BOB).allowsEntry(Right.READ))
        .isTrue();
    assertThat(profile(access(rules(strong.replace("N", "72"), ANN)), BOB).allowsEntry(Right.READ))
        .isFalse();
  }

  @Test
  void shouldFindTheFirstLimitForTheClient() {
    String text =
        """
        limit anonymous entries 1
        limit group "cn=admins,dc=example,dc=com" from ldapi entries 2
        limit users entries 3
        """;
    assertThat(rules(text, "").limit().bounds()).containsEntry(Limit.Bound.ENTRIES, 1);
    assertThat(rules(text, ANN).limit().bounds()).containsEntry(Limit.Bound.ENTRIES, 2);
    assertThat(rules("limit anonymous entries 1\n", ANN).limit()).isNull();
    assertThat(rules(text, ANN).memberships().version()).isEqualTo(3);
  }

  @Test
  void shouldDecideFiltersThatAreTheSameForAllEntriesAtOnce() {
    List<Step> steps = new ArrayList<>();
    for (String filter : List.of("(!(cn:noSuchRule:=x))", "(&(objectClass=*)(cn=x)(noSuch=x))")) {
      steps.add(rule(filter, Right.MANAGE));
    }
    steps.add(rule("(objectClass=*)", Right.READ));
    AccessRules rules = new AccessRules(List.of(), List.of(), steps, List.of());
    DecidedRules client =
        CompiledRules.of(rules, Map.of(), SCHEMA, null)
            .forClient(new ClientFacts(null, null, 0, 0, 0, ""), memberships(Set.of()));
    EntryAccess access = access(client);
    assertThat(profile(access, ANN).entryRights()).isEqualTo(Rights.of(Right.READ));
    assertThat(access.tests()).isZero();
  }
}
