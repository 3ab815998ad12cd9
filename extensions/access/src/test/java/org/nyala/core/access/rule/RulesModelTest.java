package org.nyala.core.access.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;

class RulesModelTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  @Test
  void shouldApplyGrants() {
    Set<Right> before = EnumSet.of(Right.READ, Right.SEARCH);
    Set<Right> rights = EnumSet.of(Right.SEARCH, Right.ADD);

    assertThat(new Grant(Mode.SET, rights).applyTo(before)).isEqualTo(rights);
    assertThat(new Grant(Mode.ADD, rights).applyTo(before))
        .containsExactly(Right.SEARCH, Right.READ, Right.ADD);
    assertThat(new Grant(Mode.REMOVE, rights).applyTo(before)).containsExactly(Right.READ);
    assertThat(Grant.UNCHANGED.applyTo(before)).isEqualTo(before);
    assertThat(new Grant(Mode.SET, Set.of()).applyTo(before)).isEmpty();
    assertThat(before).containsExactly(Right.SEARCH, Right.READ);
  }

  @ParameterizedTest
  @CsvSource({
    "ENTRY, 2, 2, 0", "ENTRY, 3, 2, -1", "ENTRY, 1, 2, -1",
    "SUBTREE, 2, 2, 0", "SUBTREE, 5, 2, 3", "SUBTREE, 1, 2, -1",
    "BELOW, 2, 2, -1", "BELOW, 3, 2, 1", "BELOW, 1, 2, -1",
    "DIRECTLY_BELOW, 3, 2, 1", "DIRECTLY_BELOW, 4, 2, -1", "DIRECTLY_BELOW, 2, 2, -1"
  })
  void shouldCountLevels(Scope scope, int depth, int nameDepth, int expected) {
    assertThat(scope.levelsUp(depth, nameDepth)).isEqualTo(expected);
  }

  @Test
  void shouldRefuseWhatMeansNothing() throws InvalidDnException {
    Condition captured =
        new Condition.Named(new Place(Scope.ENTRY, DnPattern.parse(SCHEMA, "cn={u}")));
    Condition group =
        new Condition.InGroup(
            new Group(
                DnPattern.parse(SCHEMA, "cn={u}"), false, null, SCHEMA.attributeType("member")));
    Map<Limit.Bound, Integer> one = Map.of(Limit.Bound.ENTRIES, 1);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> new People("p", List.of(captured), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new People("p", List.of(group), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new People("p", List.of(Condition.Plain.USERS), Source.NONE));
    assertThatIllegalArgumentException().isThrownBy(() -> new People("p", List.of(), Source.NONE));
    assertThatIllegalArgumentException().isThrownBy(() -> new Zone("z", List.of(), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new LimitStatement(List.of(), Map.of(Limit.Bound.SECONDS, 0), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LimitStatement(List.of(), Map.of(), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LimitStatement(List.of(captured), one, Source.NONE));
    for (Condition about :
        List.of(
            Condition.Plain.SELF,
            Condition.Plain.OWN_VALUE,
            new Condition.Ancestor(1),
            new Condition.Descendant(1),
            new Condition.ListedIn(SCHEMA.attributeType("owner")))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LimitStatement(List.of(about), one, Source.NONE));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> new Attributes(false, List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Rule(Target.ALL, List.of(), Source.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new TargetValue.Named(new Place(Scope.ENTRY, DnPattern.parse(SCHEMA, "cn={u}"))));
    assertThatIllegalArgumentException().isThrownBy(() -> new TargetValue.Exact("a\nb"));
  }

  @Test
  void shouldCoverSubtypesOfTheAttributesOfAClass() {
    Schema schema =
        SchemaLoader.load(
            List.of(
                new SchemaSource(
                    "test.schema",
                    """
                    attributetype ( 1.2.3.1 NAME 'needed' SUP name )
                    attributetype ( 1.2.3.2 NAME 'below' SUP needed )
                    attributetype ( 1.2.3.3 NAME 'allowed' SUP name )
                    attributetype ( 1.2.3.4 NAME 'deeper' SUP allowed )
                    objectclass ( 1.2.3.5 NAME 'thing' SUP top STRUCTURAL MUST needed MAY allowed )
                    """)));
    Attributes attributes =
        new Attributes(false, List.of(new Attributes.Item.OfClass(schema.objectClass("thing"))));

    for (String name : List.of("needed", "below", "allowed", "deeper", "objectClass")) {
      assertThat(attributes.covers(AttributeDescription.parse(schema, name))).as(name).isTrue();
    }
    assertThat(attributes.covers(AttributeDescription.parse(schema, "name"))).isFalse();
  }

  @Test
  void shouldRefuseANameTwice() {
    Zone zone = new Zone("a", List.of(Network.parse("::1")), Source.NONE);
    People people = new People("a", List.of(new Condition.Named(Place.EVERYWHERE)), Source.NONE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AccessRules(List.of(zone, zone), List.of(), List.of(), List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AccessRules(List.of(zone), List.of(people), List.of(), List.of()));
  }

  @Test
  void shouldWriteNamesInOneLine() throws InvalidDnException {
    Dn dn = DnParser.parse(SCHEMA, "cn=a\nb\rc,dc=com");
    DnPattern pattern = DnPattern.of(dn);

    assertThat(pattern).hasToString("cn=a\\0ab\\0dc,dc=com");
    assertThat(DnPattern.parse(SCHEMA, pattern.toString())).isEqualTo(pattern);
  }
}
