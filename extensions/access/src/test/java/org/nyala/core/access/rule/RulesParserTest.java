package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

class RulesParserTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static AccessRules parse(String text) throws InvalidRulesException {
    return RulesParser.parse("access.rules", text.getBytes(UTF_8), SCHEMA);
  }

  private static Rule rule(String text) throws InvalidRulesException {
    return (Rule) parse(text).steps().getFirst();
  }

  private static Grant grant(String verbAndWords) throws InvalidRulesException {
    return rule("to all\n  users " + verbAndWords + '\n').clauses().getFirst().grant();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all",
        "entry \"\"",
        "entry \"dc=example,dc=com\"",
        "subtree \"cn=a\\,b,dc=com\"",
        "below \"dc=com\"",
        "directly below \"dc=com\"",
        "names \"uid={u},dc=com\"",
        "names \"cn={*},uid={u},ou={*},dc=com\"",
        "subtree \"uid={u},ou={o},dc=com\"",
        "below \"ou={*},dc=com\"",
        "below \"uid={u},dc=com\"",
        "directly below \"uid={u},dc=com\"",
        "where (objectClass=inetOrgPerson)",
        "subtree \"dc=com\" where (&(cn=a*)(!(sn:caseExactMatch:=\"#,)))",
        "attributes cn",
        "attributes cn;lang-de, mail, entry, children, @person",
        "attributes all but @person, jpegPhoto, entry",
        "attributes cn value \"a \"\"b\"\"\"",
        "attributes member value subtree \"dc=com\"",
        "attributes uniqueMember value directly below \"dc=com\"",
        "subtree \"dc=com\" where (cn=*) attributes member value \"cn=a\"",
      })
  void shouldReadTargets(String target) throws InvalidRulesException {
    String text = "to " + target + "\n  users may read\n";

    assertThat(RulesPrinter.print(parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "all",
        "anonymous",
        "users",
        "self",
        "ancestor 1",
        "descendant 12",
        "entry \"cn=a\"",
        "subtree \"cn=a\"",
        "below \"cn=a\"",
        "directly below \"cn=a\"",
        "entry \"uid={u},cn=b\"",
        "names \"uid={*},cn=b\"",
        "names \"cn={*},uid={u},ou={*},cn=b\"",
        "below \"uid={*},cn=b\"",
        "group \"cn=a\"",
        "group \"uid={u},cn=a\" nested",
        "group \"cn=a\" class groupOfNames",
        "group \"cn=a\" nested class groupOfUniqueNames member uniqueMember",
        "group \"cn=a\" member owner",
        "listed in owner",
        "from office",
        "from 192.0.2.0/24",
        "from 192.0.2.1",
        "from 2001:db8::/32",
        "from ldapi",
        "over 128",
        "over tls 256",
        "over sasl 56",
        "over transport 71",
        "by simple",
        "by SCRAM-SHA-256",
        "admins",
        "admins from office over 128 by GSSAPI listed in member self",
      })
  void shouldReadConditions(String who) throws InvalidRulesException {
    String text =
        """
        zone office = 192.0.2.0/24
        people admins = group "cn=a"
        to names "uid={u},dc=com"
          %s may read
        """
            .formatted(who);

    assertThat(RulesPrinter.print(parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "may nothing",
        "may read",
        "may read, authenticate",
        "may read, write, proxy",
        "may manage",
        "may only read",
        "may only search, write",
        "may also search",
        "plus read",
        "plus nothing",
        "minus read, write",
        "minus nothing",
        "may read and continue",
        "plus read and break",
        "minus read and break",
        "continue",
        "break",
        "may write value self",
        "may read value self, write value self and break",
        "plus nothing value self and continue",
      })
  void shouldReadGrants(String grant) throws InvalidRulesException {
    String text = "to all\n  users " + grant + '\n';

    assertThat(RulesPrinter.print(parse("to all\nusers " + grant))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "may read | SET | disclose compare search read",
        "may search | SET | disclose compare search",
        "may compare | SET | disclose compare",
        "may authenticate | SET | disclose authenticate",
        "may write | SET | disclose add remove increment",
        "may add | SET | disclose add",
        "may disclose | SET | disclose",
        "may proxy | SET | disclose proxy",
        "may manage | SET | disclose authenticate compare search read add remove increment manage",
        "may also read | ADD | disclose compare search read",
        "may only read, write | SET | read add remove increment",
        "plus read | ADD | read",
        "minus read | REMOVE | read",
        "minus write | REMOVE | add remove increment",
        "may nothing | SET | ''",
      })
  void shouldTakeWordsApart(String text, Grant.Mode mode, String rights)
      throws InvalidRulesException {
    Set<Right> expected = EnumSet.noneOf(Right.class);
    for (String word : rights.split(" ", -1)) {
      if (!word.isEmpty()) {
        expected.add(Right.of(word));
      }
    }

    assertThat(grant(text)).isEqualTo(new Grant(mode, expected));
  }

  @Test
  void shouldReadTheOwnValueAsAClauseBeforeTheOther() throws InvalidRulesException {
    List<Clause> clauses =
        rule("to attributes member\n users may read, write value self").clauses();

    assertThat(clauses.stream().map(Clause::conditions))
        .containsExactly(List.of(Plain.USERS, Plain.OWN_VALUE), List.of(Plain.USERS));
    assertThat(clauses.getFirst().grant().rights()).contains(Right.READ, Right.ADD);
    assertThat(clauses.getLast().grant().rights()).isEqualTo(Right.READ.withImplied());
  }

  @Test
  void shouldReadNothingForOtherValuesAsAClause() throws InvalidRulesException {
    List<Clause> clauses = rule("to all\n users may nothing, write value self").clauses();

    assertThat(clauses).hasSize(2);
    assertThat(clauses.getLast().grant()).isEqualTo(new Grant(Grant.Mode.SET, Set.of()));
  }

  @Test
  void shouldReadTheOwnValueAsAClauseAfterTheOtherIfBothCount() throws InvalidRulesException {
    List<Clause> clauses =
        rule("to all\n users may read, write value self and continue\n others may also add")
            .clauses();

    assertThat(clauses.stream().map(Clause::conditions))
        .containsExactly(List.of(Plain.USERS), List.of(Plain.USERS, Plain.OWN_VALUE), List.of());
    assertThat(clauses.get(1).flow()).isEqualTo(Flow.CONTINUE);
  }

  @Test
  void shouldReadDeclarationsDelegationsAndLimits() throws InvalidRulesException {
    String text =
        """
        zone office = 192.0.2.0/24, 2001:db8::1, ldapi
        zone near = office, 10.0.0.0/8
        people staff = below "ou=people,dc=com", entry "cn=a"
        people admins = group "cn=admins,dc=com" nested, staff
        delegate subtree "ou=sales,dc=com" to directory
        limit anonymous entries 50, seconds 5, lookThrough 1000, pageSize 10, inFlight 2
        limit admins from near over 128 entries unlimited
        limit all seconds 60
        """;

    assertThat(RulesPrinter.print(parse(text))).isEqualTo(text);
  }

  @Test
  void shouldIgnoreLayout() throws InvalidRulesException {
    String text =
        "\ufeff# rules\r\n\r\nto attributes cn,  # names\r\n\r\n sn \\ \r\n"
            + "  , mail\r\n\tself may \\\n read # enough\n\n\nothers\tmay search\n# end";

    assertThat(RulesPrinter.print(parse(text)))
        .isEqualTo("to attributes cn, sn, mail\n  self may read\n  others may search\n");
  }

  @Test
  void shouldReadNothing() throws InvalidRulesException {
    assertThat(parse("")).isEqualTo(AccessRules.NONE);
    assertThat(parse("# nothing yet\n\n  ")).isEqualTo(AccessRules.NONE);
  }

  @Test
  void shouldTakeOthersAndAllBeforeConditions() throws InvalidRulesException {
    assertThat(
            RulesPrinter.print(parse("to all\n others from ldapi over 1 may read\n all may read")))
        .isEqualTo("to all\n  from ldapi over 1 may read\n  others may read\n");
    assertThat(RulesPrinter.print(parse("limit others entries 5")))
        .isEqualTo("limit all entries 5\n");
  }

  @Test
  void shouldKeepSources() throws InvalidRulesException {
    AccessRules rules =
        parse("\n zone z = ::1\nto all\n  # é\n  users may read\nlimit all entries 1");
    Rule rule = (Rule) rules.steps().getFirst();

    assertThat(rules.zones().getFirst().source()).isEqualTo(new Source("access.rules", 2, 2));
    assertThat(rule.source()).hasToString("access.rules:3:1");
    assertThat(rule.clauses().getFirst().source()).hasToString("access.rules:5:3");
    assertThat(rules.limits().getFirst().source()).hasToString("access.rules:6:1");
  }

  @Test
  void shouldNotTakeBracesOfNamesForCaptures() throws InvalidRulesException, InvalidDnException {
    DnPattern literal = DnPattern.of(DnParser.parse(SCHEMA, "cn={u},dc=com"));

    assertThat(literal).hasToString("cn=\\7bu},dc=com");
    assertThat(literal).isEqualTo(DnPattern.parse(SCHEMA, literal.toString()));
    assertThat(literal).isNotEqualTo(DnPattern.parse(SCHEMA, "cn={u},dc=com"));
    assertThat(DnPattern.parse(SCHEMA, "cn={1}x,dc=com").isFixed()).isTrue();
    DnPattern asterisk = DnPattern.of(DnParser.parse(SCHEMA, "cn={*},dc=com"));
    assertThat(asterisk).hasToString("cn=\\7b*},dc=com");
    assertThat(DnPattern.parse(SCHEMA, asterisk.toString()).isFixed()).isTrue();
    assertThat(rule("to entry \"cn={1}mdb\"\nall may read").target().place().name().isFixed())
        .isTrue();
  }

  @Test
  void shouldKnowTypesAndPlacesOfCaptures() throws InvalidDnException {
    DnPattern pattern = DnPattern.parse(SCHEMA, "cn=x,UID={User},ou={o1},dc=com");

    assertThat(pattern.captures()).containsExactly("User", "o1");
    assertThat(pattern.captureAt(0)).isNull();
    assertThat(pattern.captureAt(1)).isEqualTo("User");
    assertThat(pattern.typeOf("o1")).hasToString("ou");
    assertThat(pattern.typeOf("o2")).isNull();
    assertThat(new String(pattern.prefixAt(1), UTF_8)).isEqualTo("uid=");
  }

  @Test
  void shouldReadAnyValueAsOftenAsItIsThere() throws Exception {
    DnPattern pattern = DnPattern.parse(SCHEMA, "cn={*},uid={u},ou={*},dc=com");

    assertThat(pattern.captures()).containsExactly("u");
    assertThat(pattern.captureAt(0)).isNull();
    assertThat(pattern.isFixedAt(0)).isFalse();
    assertThat(pattern.isFixedAt(3)).isTrue();
    assertThat(pattern.typeOf("u")).hasToString("uid");
    String limit = "people p = names \"uid={*},dc=com\"\nlimit names \"cn={*},dc=com\" entries 7\n";
    assertThat(RulesPrinter.print(parse(limit))).isEqualTo(limit);
  }

  @Test
  void shouldRefuseModelsThatCannotBeWritten() throws InvalidRulesException {
    Place captured =
        new Place(Scope.ENTRY, rule("to names \"cn={u}\"\nall may read").target().place().name());
    Clause clause =
        new Clause(List.of(new Condition.Named(captured)), Grant.UNCHANGED, Flow.STOP, Source.NONE);

    assertThatThrownBy(() -> new Rule(Target.ALL, List.of(clause), Source.NONE))
        .hasMessageContaining("is not in the target");
    assertThatThrownBy(() -> new People("p", clause.conditions(), Source.NONE))
        .hasMessageContaining("captures without a target");
    DnPattern many = rule("to names \"cn={*}\"\nall may read").target().place().name();
    AttributeType member = SCHEMA.attributeType("member");
    assertThatThrownBy(() -> new Group(many, false, null, member))
        .hasMessage("many groups: cn={*}");
    assertThatThrownBy(() -> new TargetValue.Named(new Place(Scope.ENTRY, many)))
        .hasMessage("not one name: cn={*}");
    assertThatThrownBy(
            () -> new Target(Place.EVERYWHERE, null, Attributes.ALL, new TargetValue.Exact("x")))
        .hasMessageContaining("exactly one attribute");
    assertThatThrownBy(() -> new Where("(cn=a)\n")).hasMessageContaining("one line");
  }
}
