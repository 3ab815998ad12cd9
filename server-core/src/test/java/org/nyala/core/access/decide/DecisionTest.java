package org.nyala.core.access.decide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.decide.Reach.Extent;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Limit;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.access.rule.Right;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.Where;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** The properties of decisions besides their being right: what is shared, bounded and certain. */
class DecisionTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final Pace OVER = () -> false;

  private static final String RULES_OF_THREADS =
      """
      to where (sn=a*) attributes mail, description
        users may read
      to attributes userPassword, member
        self may write
        users may add value self
      to all
        listed in owner may write
        users may search
      """;

  private final SampleEntries samples = new SampleEntries(SCHEMA);
  private final EntryView view = new EntryView();
  private final List<String> asked = new ArrayList<>();

  private static AccessRules parse(String text) {
    try {
      return RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static GroupMemberships memberships(Set<String> groups) {
    return new GroupMemberships() {
      @Override
      public long version() {
        return 3;
      }

      @Override
      public boolean isMember(Group group) {
        return groups.contains(group.name().toString());
      }
    };
  }

  private ClientRules rules(String text, String user) {
    ClientFacts facts = new ClientFacts(samples.dn(user), null, 0, 0, 71, "simple");
    return CompiledRules.of(parse(text), Map.of(), SCHEMA, null)
        .forClient(facts, memberships(Set.of("cn=admins," + TOP)));
  }

  private EntryAccess access(ClientRules rules) {
    return new EntryAccess(
        rules,
        (user, name, group, pace) -> {
          asked.add(name.toString());
          return name.toString().startsWith("cn=ann,");
        });
  }

  private static PlainEntry entry(String name, String attribute, String... values) {
    return new PlainEntry(name, Map.of(attribute, List.of(values)));
  }

  private Profile profile(EntryAccess access, String name) {
    return profile(access, entry(name, "cn", "x"));
  }

  private Profile profile(EntryAccess access, PlainEntry entry) {
    samples.show(entry, false, view);
    return access.profile(view, samples.table(), _ -> false, Pace.UNBOUNDED);
  }

  private AttributeDescription description(String attribute) {
    return samples.description(attribute);
  }

  @Test
  void shouldShareTheAnswersAmongEntriesAndOperations() {
    ClientRules rules =
        rules(
            """
            to subtree "ou=people,dc=example,dc=com" attributes mail
              users may read
            to attributes userPassword
              self may write
            to all
              users may read
            """,
            ANN);
    EntryAccess access = access(rules);
    Profile bob = profile(access, BOB);
    for (int i = 0; i < 100; i++) {
      assertThat(profile(access, "uid=u" + i + "," + PEOPLE)).isSameAs(bob);
      assertThat(profile(access, "cn=c,uid=u" + i + "," + PEOPLE))
          .isSameAs(profile(access, bobs()));
    }
    assertThat(profile(access(rules), BOB)).isSameAs(bob);
    Profile ann = profile(access, "UID=Ann," + PEOPLE);
    assertThat(ann).isNotSameAs(bob);
    assertThat(ann.onValues(description("userPassword"), Right.ADD)).isEqualTo(Answer.GRANTED);
    assertThat(bob.onValues(description("userPassword"), Right.ADD)).isEqualTo(Answer.DENIED);
    assertThat(access.tests()).isZero();
    boolean[] granted = bob.granted(samples.table(), Right.READ);
    assertThat(granted).isSameAs(bob.granted(samples.table(), Right.READ));
    assertThat(granted[samples.number(description("cn"))]).isTrue();
    assertThat(bob.mayDependOnValues()).isFalse();
    assertThat(bob.depending(samples.table(), Right.READ)).isNull();
  }

  private static String bobs() {
    return "cn=c," + BOB;
  }

  @Test
  void shouldShareTheAnswersAmongEntriesThatPassTheSameTests() {
    ClientRules rules =
        rules(
            """
            to where (sn=a*) attributes mail
              users may read
            to all
              listed in owner may write
              users may search
            """,
            ANN);
    EntryAccess access = access(rules);
    Set<Profile> profiles = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      Map<String, List<String>> attributes = new HashMap<>();
      attributes.put("sn", List.of(i % 2 == 0 ? "ab" : "b" + i));
      attributes.put("owner", List.of(i % 4 < 2 ? ANN : BOB));
      profiles.add(profile(access, new PlainEntry("uid=u" + i + "," + PEOPLE, attributes)));
    }
    assertThat(profiles).hasSize(4);
    assertThat(access.tests()).isGreaterThan(40);
  }

  @Test
  void shouldKeepABoundedNumberOfAnswers() {
    StringBuilder text = new StringBuilder();
    List<String> attributes = List.of("cn", "sn", "mail", "title", "ou", "l", "st", "street", "o");
    for (String attribute : attributes) {
      text.append("to where (description=").append(attribute).append(") attributes ");
      text.append(attribute).append("\n users may read\n");
    }
    ClientRules rules = rules(text + "to all\n users may search\n", ANN);
    EntryAccess access = access(rules);
    Set<Profile> profiles = new HashSet<>();
    for (int i = 0; i < 2 << attributes.size(); i++) {
      int subset = i;
      List<String> values =
          IntStream.range(0, attributes.size())
              .filter(bit -> (subset >> bit & 1) != 0)
              .mapToObj(attributes::get)
              .toList();
      PlainEntry entry =
          entry("uid=u," + PEOPLE, "description", ("x " + String.join(" ", values)).split(" "));
      Profile profile = profile(access, entry);
      profiles.add(profile);
      for (String attribute : attributes) {
        assertThat(Rights.has(profile.rights(description(attribute)), Right.READ))
            .isEqualTo(values.contains(attribute));
      }
    }
    assertThat(rules.hasRoom()).isFalse();
    assertThat(profiles).hasSizeGreaterThan(1 << attributes.size());
  }

  @Test
  void shouldTellValuesApartOnlyIfRulesDo() {
    ClientRules rules =
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
    Profile profile = profile(access(rules), BOB);
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
  void shouldNoticeThatAParentHasAnotherName() {
    String text = "to below \"%s\"\n users may read\n".formatted(PEOPLE);
    EntryAccess access = access(rules(text, ANN));
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isTrue();
    EntryView moved = new EntryView();
    moved.wrap(view.id(), view.buffer(), 0, "ou=others,dc=example,dc=com".getBytes(UTF_8));
    access.beginSlice();
    Profile after = access.profile(moved, samples.table(), _ -> false, Pace.UNBOUNDED);
    assertThat(after.allowsEntry(Right.READ)).isFalse();
    access.beginSlice();
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isTrue();
  }

  @Test
  void shouldTestWideEntriesInSlices() {
    int most = 9_000;
    String[] members =
        IntStream.range(0, most).mapToObj(i -> "uid=u" + i + "," + PEOPLE).toArray(String[]::new);
    PlainEntry group = entry("cn=g," + TOP, "member", members);
    ClientRules rules =
        rules(
            """
            to where (member=uid=u8999,ou=people,dc=example,dc=com) attributes member
              listed in owner may manage
              listed in member may write
            """,
            "uid=u8998," + PEOPLE);
    EntryAccess access = access(rules);
    samples.show(group, false, view);
    int slices = 1;
    Profile profile = access.profile(view, samples.table(), _ -> false, OVER);
    while (profile == null) {
      slices++;
      profile = access.profile(view, samples.table(), _ -> false, OVER);
    }
    assertThat(slices).isBetween(2 * most / 1_000, 2 * most / 50);
    assertThat(access.tests()).isBetween(2L * most, 8L * most);
    assertThat(profile.onValues(description("member"), Right.ADD)).isEqualTo(Answer.GRANTED);
    assertThat(profile.onValues(description("member"), Right.MANAGE)).isEqualTo(Answer.DENIED);
    assertThat(access.isHopeless()).isFalse();
  }

  @Test
  void shouldBeginAgainIfTheEntryChangesBetweenSlices() {
    String[] members =
        IntStream.range(0, 9_000).mapToObj(i -> "uid=u" + i + "," + PEOPLE).toArray(String[]::new);
    PlainEntry before = entry("cn=g," + TOP, "member", members);
    Map<String, List<String>> attributes = new HashMap<>(before.attributes());
    attributes.put("sn", List.of("x"));
    PlainEntry after = new PlainEntry("cn=g," + TOP, attributes);
    String text =
        """
        to where (!(sn=x)) attributes cn
          all may read
        to where (member=cn=nobody) attributes cn
          all may read
        """;
    EntryAccess access = access(rules(text, ANN));
    samples.show(before, false, view);
    Profile profile = access.profile(view, samples.table(), _ -> false, OVER);
    assertThat(profile).isNull();
    samples.show(after, false, view);
    while (profile == null) {
      profile = access.profile(view, samples.table(), _ -> false, OVER);
    }
    assertThat(profile.rights(description("cn"))).isEqualTo(Rights.NONE);
    boolean isBefore = true;
    for (int i = 0; i < 200 && !access.isHopeless(); i++) {
      samples.show(isBefore ? before : after, false, view);
      isBefore = !isBefore;
      assertThat(access.profile(view, samples.table(), _ -> false, OVER)).isNull();
    }
    assertThat(access.isHopeless()).isTrue();
  }

  @Test
  void shouldAskForAGroupOnceForAllEntriesItIsAbout() {
    String text =
        """
        to subtree "uid={u},ou=people,dc=example,dc=com"
          group "cn={u},ou=deputies,dc=example,dc=com" may read
        """;
    EntryAccess access = access(rules(text, "cn=agent,dc=com"));
    assertThat(profile(access, ANN).allowsEntry(Right.READ)).isTrue();
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isFalse();
    for (int i = 0; i < 10; i++) {
      assertThat(profile(access, "cn=c" + i + "," + ANN).allowsEntry(Right.READ)).isTrue();
    }
    assertThat(asked)
        .containsExactly(
            "cn=ann,ou=deputies,dc=example,dc=com", "cn=bob,ou=deputies,dc=example,dc=com");
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
  void shouldBeCertainOfAScopeIfItsEntriesAreTreatedAlike() {
    ClientRules rules =
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
            to attributes cn
              users may read
            """,
            ANN);
    Dn people = samples.dn(PEOPLE);
    Dn top = samples.dn(TOP);
    Reach below = rules.reach(people, Scope.SUBTREE);
    assertThat(below.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(below.of(description("sn"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(below.of(description("sn"), Right.READ)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("userPassword"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("uid"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(below.of(description("l"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    assertThat(below.of(Pseudo.ENTRY, Right.READ)).isEqualTo(Extent.NOWHERE);
    Reach whole = rules.reach(top, Scope.SUBTREE);
    assertThat(whole.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.MIXED);
    assertThat(whole.of(description("cn"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    Reach others = rules.reach(samples.dn("ou=groups," + TOP), Scope.SUBTREE);
    assertThat(others.of(description("mail"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    assertThat(others.of(description("userPassword"), Right.SEARCH)).isEqualTo(Extent.NOWHERE);
    Reach level = rules.reach(people, Scope.ONE_LEVEL);
    assertThat(level.of(description("uid"), Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
    assertThat(rules.reach(people, Scope.SUBORDINATE).of(description("uid"), Right.READ))
        .isEqualTo(Extent.EVERYWHERE);
    assertThat(rules.reach(samples.dn(ANN), Scope.BASE).of(description("userPassword"), Right.READ))
        .isEqualTo(Extent.EVERYWHERE);
    samples.number(description("sn"));
    samples.number(description("cn"));
    AttributeSelector name = new AttributeSelector(description("name"));
    assertThat(whole.of(samples.table(), name, Right.SEARCH)).isEqualTo(Extent.MIXED);
    AttributeSelector cn = new AttributeSelector(description("cn"));
    assertThat(whole.of(samples.table(), cn, Right.SEARCH)).isEqualTo(Extent.EVERYWHERE);
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
    assertThat(rules(text, ANN).groupsVersion()).isEqualTo(3);
  }

  @Test
  void shouldDecideFiltersThatAreTheSameForAllEntriesAtOnce() {
    List<Step> steps = new ArrayList<>();
    for (String filter : List.of("(!(cn:noSuchRule:=x))", "(&(objectClass=*)(cn=x)(noSuch=x))")) {
      steps.add(rule(filter, Right.MANAGE));
    }
    steps.add(rule("(objectClass=*)", Right.READ));
    AccessRules rules = new AccessRules(List.of(), List.of(), steps, List.of());
    ClientRules client =
        CompiledRules.of(rules, Map.of(), SCHEMA, null)
            .forClient(new ClientFacts(null, null, 0, 0, 0, ""), memberships(Set.of()));
    EntryAccess access = access(client);
    assertThat(profile(access, ANN).entryRights()).isEqualTo(Rights.of(Right.READ));
    assertThat(access.tests()).isZero();
  }

  private static Rule rule(String filter, Right right) {
    Target target = new Target(Place.EVERYWHERE, new Where(filter), Attributes.ALL, null);
    Grant grant = new Grant(Grant.Mode.SET, Set.of(right));
    Clause clause = new Clause(List.of(), grant, Clause.Flow.STOP, Source.NONE);
    return new Rule(target, List.of(clause), Source.NONE);
  }

  @Test
  void shouldAnswerSeveralThreadsAlike() {
    ClientRules rules = rules(RULES_OF_THREADS, ANN);
    List<PlainEntry> entries =
        IntStream.range(0, 200)
            .mapToObj(i -> i % 7 == 0 ? ANN : "uid=u" + i + "," + PEOPLE)
            .map(name -> entry(name, name.length() % 2 == 0 ? "sn" : "owner", ANN, "ab"))
            .toList();
    List<String> expected = new ArrayList<>();
    entries.forEach(
        each -> expected.add(shown(profile(access(rules(RULES_OF_THREADS, ANN)), each))));
    List<List<String>> found =
        IntStream.range(0, 8)
            .parallel()
            .mapToObj(_ -> new DecisionTest().shown(rules, entries))
            .toList();
    assertThat(found).allSatisfy(each -> assertThat(each).isEqualTo(expected));
  }

  private List<String> shown(ClientRules rules, List<PlainEntry> entries) {
    EntryAccess access = access(rules);
    return entries.stream().map(each -> shown(profile(access, each))).toList();
  }

  private String shown(Profile profile) {
    StringBuilder shown = new StringBuilder();
    for (String attribute : List.of("mail", "sn", "description", "userPassword", "member")) {
      int id = samples.number(description(attribute));
      shown.append(profile.rights(samples.table(), id)).append(' ');
      shown.append(profile.onValues(samples.table(), id, Right.ADD)).append(' ');
    }
    return shown.append(profile.entryRights()).toString();
  }

  @Test
  void shouldHoldAnswersInOneNumber() {
    assertThat(3 * Rights.BITS).isLessThan(Integer.SIZE);
  }
}
