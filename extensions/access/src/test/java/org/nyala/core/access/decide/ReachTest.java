package org.nyala.core.access.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Reach.Extent;
import org.nyala.core.rights.Right;

/** The rights in a scope before entries are read. */
class ReachTest extends DecisionFixture {
  @Test
  void shouldBeCertainOfAScopeIfItsEntriesAreTreatedAlike() {
    DecidedRules rules =
        rules(
            """
            to subtree "ou=people,dc=example,dc=com" where (sn=x) attributes sn
              users may read
            to subtree "ou=people,dc=example,dc=com" attributes mail, sn
              users may search
            to subtree "ou=people,dc=example,dc=com" attributes userPassword
              self may read
            to below "ou=people,dc=example,dc=com" attributes uid
              all may read
            to entry "ou=people,dc=example,dc=com" attributes l
              users may add
            to directly below "ou=people,dc=example,dc=com" attributes l
              users may add
            to attributes cn value "Ann"
              all may nothing
            to attributes cn
              users may read
            """,
            ANN);
    Dn people = samples.dn(PEOPLE);
    Dn top = samples.dn(TOP);
    DecidedReach below = rules.reach(people, Scope.SUBTREE);
    assertThat(below.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(below.of(description("sn"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(below.of(description("sn"), Right.READ)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("userPassword"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("uid"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("l"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    assertThat(below.of(description("l"), Right.ADD)).isEqualTo(Extent.MIXED);
    assertThat(below.of(Pseudo.ENTRY, Right.READ)).isEqualTo(Extent.NOWHERE);
    DecidedReach whole = rules.reach(top, Scope.SUBTREE);
    assertThat(whole.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(whole.of(description("cn"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    DecidedReach others = rules.reach(samples.dn("ou=groups," + TOP), Scope.SUBTREE);
    assertThat(others.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    assertThat(others.of(description("userPassword"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    DecidedReach level = rules.reach(people, Scope.ONE_LEVEL);
    assertThat(level.of(description("uid"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(rules.reach(people, Scope.SUBORDINATE).of(description("uid"), Right.READ))
        .isEqualTo(Extent.EVERYWHERE);
    assertThat(rules.reach(samples.dn(ANN), Scope.BASE).of(description("userPassword"), Right.READ))
        .isEqualTo(Extent.EVERYWHERE);
    samples.number(description("sn"));
    samples.number(description("cn"));
    assertThat(whole.ofTest(samples.table(), description("name"), Right.SEARCH, false, _ -> {}))
        .isEqualTo(Extent.NOWHERE);
    assertThat(whole.ofTest(samples.table(), description("cn"), Right.SEARCH, false, _ -> {}))
        .isEqualTo(Extent.EVERYWHERE);
  }

  @Test
  void shouldNotBeCertainOfRulesOfTheDirectoryAboveTheirSubtree() {
    AccessRules file = parse("delegate subtree \"%s\" to directory\n".formatted(PEOPLE));
    Map<Dn, List<Rule>> delegated =
        Map.of(samples.dn("OU=People," + TOP), List.of(rule("(objectClass=*)", Right.READ)));
    DecidedRules rules =
        CompiledRules.of(file, delegated, SCHEMA, null)
            .forClient(new ClientFacts(null, null, 0, 0, 0, ""), memberships(Set.of()));
    assertThat(rules.reach(samples.dn(TOP), Scope.SUBTREE).of(Pseudo.ENTRY, Right.READ))
        .isEqualTo(Extent.MIXED);
    assertThat(rules.reach(samples.dn(PEOPLE), Scope.SUBTREE).of(Pseudo.ENTRY, Right.READ))
        .isEqualTo(Extent.EVERYWHERE);
    assertThat(rules.reach(samples.dn("ou=g," + TOP), Scope.SUBTREE).of(Pseudo.ENTRY, Right.READ))
        .isEqualTo(Extent.NOWHERE);
  }
}
