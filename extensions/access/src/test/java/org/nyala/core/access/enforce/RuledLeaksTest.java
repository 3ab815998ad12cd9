package org.nyala.core.access.enforce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ListRequests.byOffset;
import static org.nyala.core.operation.ListRequests.page;
import static org.nyala.core.operation.ListRequests.sort;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.ListRequests;
import org.nyala.core.operation.ListRequests.SortKey;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.session.OperationFixture;

/** Attacks on what access rules hide: each asks for it in another way that the protocol has. */
final class RuledLeaksTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String SECRET = "ou=secret," + TOP;
  private static final String SPY = "uid=spy," + SECRET;
  private static final String GROUP = "cn=hidden," + SECRET;
  private static final String OPEN = "cn=open," + TOP;

  /** Bob's number and title are hidden, everything below {@code ou=secret}, and passwords. */
  private static final String RULES =
      """
      to subtree "ou=secret,dc=example,dc=com"
        all may nothing
      to entry "uid=bob,ou=people,dc=example,dc=com" attributes telephoneNumber, title, roomNumber
        all may nothing
      to attributes description value "hush"
        all may nothing
      to attributes employeeNumber
        all may nothing
      to attributes ref value "ldap://hush/"
        all may nothing
      to all
        users may read
      """;

  /** Values that take more than half of what rights are found with at once. */
  private static final int MANY_VALUES = 200_000;

  private final OperationFixture server = new OperationFixture();

  RuledLeaksTest() {
    server.store(entries(), true);
    server.rights = new RulesService();
    server.access = rules(RULES);
    server.membership =
        Membership.of(
            SCHEMA.attributeType("memberOf"), List.of(SCHEMA.attributeType("member")), false, 1000);
  }

  private static AccessPolicy rules(String text) {
    return new AccessPolicy(false).withRules(new RulesText("access.rules", text));
  }

  private static Entry person(String name, String number, String description) {
    String uid = name.substring(4, 7);
    return entry(
        name,
        "objectClass",
        "inetOrgPerson",
        "uid",
        uid,
        "cn",
        uid,
        "sn",
        uid,
        "title",
        "title of " + uid,
        "telephoneNumber",
        number,
        "employeeNumber",
        number,
        "userPassword",
        "secret",
        "description",
        description,
        "description",
        "of " + uid);
  }

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    entries.add(entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people"));
    entries.add(person(ANN, "1", "hush"));
    entries.add(person(BOB, "2", "loud"));
    entries.add(entry(SECRET, "objectClass", "organizationalUnit", "ou", "secret"));
    entries.add(person(SPY, "3", "hush"));
    entries.add(entry(GROUP, "objectClass", "groupOfNames", "cn", "hidden", "member", ANN));
    entries.add(entry(OPEN, "objectClass", "groupOfNames", "cn", "open", "member", ANN));
    entries.add(
        entry(
            "cn=alias," + SECRET,
            "objectClass",
            "alias",
            "objectClass",
            "extensibleObject",
            "cn",
            "alias",
            "aliasedObjectName",
            ANN));
    entries.add(
        entry(
            "ou=away," + SECRET,
            "objectClass",
            "referral",
            "objectClass",
            "extensibleObject",
            "ou",
            "away",
            "ref",
            "ldap://elsewhere/"));
    return entries;
  }

  private static FilterNode filter(String text) {
    try {
      return FilterParser.parse(text);
    } catch (Exception e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private RecordingSink run(String base, Scope scope, String filter, String... attributes) {
    return server.run(search(base, scope, filter(filter), attributes));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(telephoneNumber=2)",
        "(telephoneNumber=*)",
        "(telephoneNumber=2*)",
        "(title=title of bob)",
        "(title~=title of bob)",
        "(title>=a)",
        "(!(title=title of ann))",
        "(!(title=*))",
        "(!(!(title=title of bob)))",
        "(|(title=title of bob)(telephoneNumber=2))",
        "(title:caseIgnoreMatch:=title of bob)",
        "(:caseIgnoreMatch:=title of bob)",
        "(!(:caseIgnoreMatch:=nothing like it))",
        "(&(uid=bob)(title=*))",
        "(employeeNumber=2)",
        "(!(employeeNumber=1))",
        "(userPassword=secret)",
        "(!(userPassword=x))",
        "(:octetStringMatch:=secret)",
        "(description=hush)",
        "(&(uid=bob)(!(description=hush)))",
        "(uid=spy)",
        "(entryDN=uid=spy,ou=secret,dc=example,dc=com)",
        "(ou:dn:=secret)",
        "(memberOf=cn=hidden,ou=secret,dc=example,dc=com)"
      })
  void shouldNotFindByWhatIsHidden(String filter) {
    RecordingSink sink = run(TOP, Scope.SUBTREE, filter);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.dns).doesNotContain(BOB, SPY, SECRET);
    if (filter.contains("hidden")) {
      assertThat(sink.dns).isEmpty();
    }
  }

  @Test
  void shouldAnswerForHiddenGroupsAsForNone() {
    assertThat(run(TOP, Scope.SUBTREE, "(memberOf=" + OPEN + ")").dns).containsExactly(ANN);
    assertThat(run(TOP, Scope.SUBTREE, "(memberOf=*)").dns).isEmpty();
    List<String> others = run(TOP, Scope.SUBTREE, "(!(memberOf=cn=none," + TOP + "))", "1.1").dns;
    assertThat(run(TOP, Scope.SUBTREE, "(!(memberOf=" + GROUP + "))", "1.1").dns)
        .isEqualTo(others)
        .contains(ANN, BOB);
    Map<String, List<String>> ann = run(ANN, Scope.BASE, "(uid=*)", "memberOf").attributes.get(0);
    assertThat(ann).isEqualTo(Map.of("memberOf", List.of(OPEN)));
  }

  @Test
  void shouldShowNoHiddenValues() {
    Map<String, List<String>> ann = run(ANN, Scope.BASE, "(uid=*)").attributes.getFirst();
    assertThat(ann.get("description")).containsExactly("of ann");
    assertThat(ann).containsKeys("title", "telephoneNumber");
    assertThat(ann).doesNotContainKeys("userPassword", "employeeNumber");
    Map<String, List<String>> bob =
        run(BOB, Scope.BASE, "(uid=*)", "*", "userPassword", "title").attributes.getFirst();
    assertThat(bob).doesNotContainKeys("userPassword", "title", "telephoneNumber");
    Request.Search typesOnly =
        new Request.Search(
            1,
            ANN,
            Scope.BASE,
            DerefAliases.NEVER,
            0,
            0,
            true,
            OperationFixture.ALL,
            List.of("title", "employeeNumber", "userPassword", "description"),
            List.of());
    assertThat(server.run(typesOnly).attributes.getFirst()).containsOnlyKeys("title");
  }

  @Test
  void shouldNotTellHiddenEntriesFromMissingOnes() {
    LdapResult missing = run("ou=none," + TOP, Scope.BASE, "(cn=*)").results.getFirst();
    for (String hidden : List.of(SECRET, SPY, GROUP, "cn=none," + SPY, "ou=away," + SECRET)) {
      for (Scope scope : Scope.values()) {
        assertThat(run(hidden, scope, "(objectClass=*)").results.getFirst())
            .as(hidden)
            .isEqualTo(missing);
      }
      LdapResult compared =
          server
              .run(new Request.Compare(1, hidden, "ou", bytes("secret"), List.of()))
              .results
              .getFirst();
      assertThat(compared).isEqualTo(missing);
    }
    assertThat(missing.matchedDn()).isEqualTo(TOP);
    Request.Search through =
        with(search("cn=alias," + SECRET, Scope.BASE, OperationFixture.ALL), DerefAliases.ALWAYS);
    assertThat(server.run(through).results.getFirst()).isEqualTo(missing);
    Request.Search over =
        with(search(TOP, Scope.SUBTREE, filter("(uid=ann)")), DerefAliases.ALWAYS);
    assertThat(server.run(over).dns).containsExactly(ANN);
    assertThat(run(TOP, Scope.SUBTREE, "(objectClass=*)").results.getFirst().referrals()).isEmpty();
  }

  @Test
  void shouldReferOnlyToWhatMayBeRead() {
    List<Entry> all = entries();
    all.add(referral("ou=told," + TOP, "ldap://told/", "ldap://hush/"));
    all.add(referral("ou=mute," + TOP, "ldap://hush/"));
    OperationFixture referring = new OperationFixture().store(all, true);
    referring.rights = new RulesService();
    referring.access = rules(RULES);

    RecordingSink found =
        referring.run(search(TOP, Scope.SUBTREE, filter("(objectClass=referral)")));
    assertThat(found.references)
        .containsExactly(List.of("ldap://told/ou=told,dc=example,dc=com??sub"));
    for (String name : List.of("ou=told," + TOP, "cn=x,ou=told," + TOP)) {
      assertThat(referring.run(compare(name, "ou", "told")).results.getFirst().referrals())
          .singleElement()
          .asString()
          .startsWith("ldap://told/");
    }
    for (String name : List.of("ou=mute," + TOP, "cn=x,ou=mute," + TOP)) {
      LdapResult refused = referring.run(compare(name, "ou", "mute")).results.getFirst();
      assertThat(refused.referrals()).isEmpty();
      assertThat(refused.code()).isEqualTo(ResultCode.OTHER);
      assertThat(referring.run(search(name, Scope.BASE, OperationFixture.ALL)).references)
          .isEmpty();
    }
  }

  private static Entry referral(String name, String... urls) {
    List<String> pairs = new ArrayList<>();
    pairs.addAll(List.of("objectClass", "referral", "objectClass", "extensibleObject"));
    pairs.addAll(List.of("ou", name.substring(3, name.indexOf(','))));
    for (String url : urls) {
      pairs.addAll(List.of("ref", url));
    }
    return entry(name, pairs.toArray(String[]::new));
  }

  /** Rights to what is above a missing name are found at once: together no more than for one. */
  @Test
  void shouldBoundWhatIsFoundAtOnce() {
    String large = "ou=large," + TOP;
    String larger = "ou=larger," + large;
    List<Entry> all = entries();
    all.add(withManyValues("organizationalUnit", large));
    all.add(withManyValues("organizationalUnit", larger));
    OperationFixture slow = new OperationFixture().store(all, true);
    slow.rights = new RulesService();
    slow.access =
        rules("to all where (description=*hush)\n  users may read\nto all\n  all may nothing\n");

    assertThat(slow.run(compare("cn=x," + large, "cn", "x")).code())
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(slow.run(compare("cn=x," + larger, "cn", "x")).code())
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  /** The rights to a group that a filter names, which take more than a slice, are found. */
  @Test
  void shouldFindByAGroupTheRightsToWhichTakeSlices() {
    List<Entry> all = entries();
    Entry group = withManyValues("groupOfNames", "cn=large," + TOP);
    group.add(AttributeDescription.parse(SCHEMA, "member"), bytes(BOB));
    all.add(group);
    OperationFixture slow = new OperationFixture().store(all, true);
    slow.rights = new RulesService();
    slow.membership = server.membership;
    slow.nanosPerLook = 1;
    slow.budget = new SliceBudget(1000, 100);
    slow.access =
        rules("to all where (description=*hush)\n  all may nothing\nto all\n  users may read\n");

    Request.Search search = search(TOP, Scope.SUBTREE, filter("(memberOf=cn=large," + TOP + ")"));
    assertThat(slow.run(search).dns).containsExactly(BOB);
    assertThat(slow.slices).isGreaterThan(4);
  }

  private static Entry withManyValues(String objectClass, String name) {
    List<String> pairs = new ArrayList<>();
    pairs.addAll(List.of("objectClass", objectClass));
    pairs.addAll(List.of(name.substring(0, 2), name.substring(3, name.indexOf(','))));
    for (int i = 0; i < MANY_VALUES; i++) {
      pairs.addAll(List.of("description", "v" + i));
    }
    return entry(name, pairs.toArray(String[]::new));
  }

  @Test
  void shouldCompareOnlyWhatMayBeCompared() {
    for (String value : List.of("title of bob", "wrong")) {
      assertThat(server.run(compare(BOB, "title", value)).code())
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      assertThat(server.run(compare(BOB, "roomNumber", value)).code())
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    assertThat(server.run(compare(BOB, "userPassword", "secret")).code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(server.run(compare(ANN, "description", "hush")).code())
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(server.run(compare(ANN, "description", "of ann")).code())
        .isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(server.run(compare(ANN, "title", "title of ann")).code())
        .isEqualTo(ResultCode.COMPARE_TRUE);
  }

  private static Request.Compare compare(String name, String attribute, String value) {
    return new Request.Compare(1, name, attribute, bytes(value), List.of());
  }

  @Test
  void shouldNotSortByWhatIsHidden() {
    Request.Search all = search(PEOPLE, Scope.ONE_LEVEL, OperationFixture.ALL);
    for (String key : List.of("title", "telephoneNumber")) {
      for (boolean isReverse : List.of(true, false)) {
        RequestControl order = sort(true, new SortKey(key, null, isReverse));
        List<String> withoutLast = isReverse ? List.of(BOB, ANN) : List.of(ANN, BOB);
        assertThat(server.run(with(all, order)).dns).as(key).isEqualTo(withoutLast);
      }
    }
    for (String key : List.of("employeeNumber", "userPassword")) {
      RecordingSink sorted = server.run(with(all, sort(true, new SortKey(key, null, true))));
      assertThat(sorted.code()).as(key).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
    }
    RecordingSink byName = server.run(with(all, sort(true, new SortKey("uid", null, true))));
    assertThat(byName.dns).containsExactly(BOB, ANN);
  }

  @Test
  void shouldCountNoHiddenEntriesInListsAndPages() {
    Request.Search everybody = search(TOP, Scope.SUBTREE, filter("(uid=*)"), "1.1");
    RequestControl order = sort(true, new SortKey("uid", null, false));
    RecordingSink view = server.run(with(everybody, order, byOffset(0, 10, 1, 0, null)));
    assertThat(view.dns).containsExactly(ANN, BOB);
    assertThat(ListRequests.place(view).count()).isEqualTo(2);
    RecordingSink paged = server.run(with(everybody, page(1, new byte[0])));
    assertThat(paged.dns).containsExactly(ANN);
    server.access = rules(RULES.replace("users may read", "users may search"));
    server.operations = null;
    assertThat(run(TOP, Scope.SUBTREE, "(uid=*)").dns).isEmpty();
  }

  @Test
  void shouldAssertOnlyByWhatMayBeSearched() {
    for (String hidden : List.of("(title=title of bob)", "(!(title=x))", "(userPassword=*)")) {
      RequestControl control = assertion(filter(hidden));
      RecordingSink sink = server.run(with(search(BOB, Scope.BASE, OperationFixture.ALL), control));
      assertThat(sink.code()).as(hidden).isEqualTo(ResultCode.ASSERTION_FAILED);
      Request.Compare compare = new Request.Compare(1, BOB, "uid", bytes("bob"), List.of(control));
      assertThat(server.run(compare).code()).isEqualTo(ResultCode.ASSERTION_FAILED);
    }
    RecordingSink sink =
        server.run(
            with(search(BOB, Scope.BASE, OperationFixture.ALL), assertion(filter("(uid=bob)"))));
    assertThat(sink.dns).containsExactly(BOB);
  }

  private static RequestControl assertion(FilterNode filter) {
    byte[] value =
        switch (filter) {
          case FilterNode.Equality test -> tagged(0xa3, test.attribute(), test.value());
          case FilterNode.Not not -> wrapped(0xa2, assertion(not.node()).value());
          case FilterNode.Present test -> plain(0x87, bytes(test.attribute()));
          default -> throw new IllegalArgumentException(filter.toString());
        };
    return new RequestControl(ControlType.ASSERTION.oid(), true, value);
  }

  private static byte[] tagged(int tag, String attribute, byte[] value) {
    byte[] name = plain(4, attribute.getBytes(StandardCharsets.UTF_8));
    byte[] asserted = plain(4, value);
    byte[] both = new byte[name.length + asserted.length];
    System.arraycopy(name, 0, both, 0, name.length);
    System.arraycopy(asserted, 0, both, name.length, asserted.length);
    return wrapped(tag, both);
  }

  private static byte[] plain(int tag, byte[] content) {
    return wrapped(tag, content);
  }

  private static byte[] wrapped(int tag, byte[] content) {
    byte[] all = new byte[content.length + 2];
    all[0] = (byte) tag;
    all[1] = (byte) content.length;
    System.arraycopy(content, 0, all, 2, content.length);
    return all;
  }

  @Test
  void shouldNotTellOfHiddenChildren() {
    server.access = rules("to attributes children\n  all may nothing\n" + RULES);
    Map<String, List<String>> top =
        run(TOP, Scope.BASE, "(objectClass=*)", "+", "numSubordinates").attributes.getFirst();
    assertThat(top).doesNotContainKeys("hasSubordinates", "numSubordinates").containsKey("entryDN");
    for (String filter :
        List.of("(hasSubordinates=TRUE)", "(!(hasSubordinates=FALSE))", "(numSubordinates>=1)")) {
      assertThat(run(TOP, Scope.SUBTREE, filter).dns).isEmpty();
    }
  }

  @Test
  void shouldShowPasswordsOnlyWhereARuleNamesThemAndTheConnectionIsSafe() {
    String all = "to all\n  users may read\n";
    server.access = rules("to attributes userPassword\n  self may read\n" + all);
    server.identity = new BoundIdentity(entry(ANN).dn(), false);
    assertThat(run(ANN, Scope.BASE, "(uid=*)").attributes.getFirst())
        .doesNotContainKey("userPassword");
    server.onThisMachine = true;
    server.address = "loopback";
    assertThat(run(ANN, Scope.BASE, "(userPassword=*)").dns).isEmpty();
  }

  @Test
  void shouldDenyEverythingWithoutARule() {
    server.access = rules("");
    LdapResult none = LdapResult.of(ResultCode.NO_SUCH_OBJECT);
    for (String name : List.of(TOP, ANN, "cn=none," + TOP, "")) {
      assertThat(run(name, Scope.BASE, "(objectClass=*)").results.getFirst()).isEqualTo(none);
      assertThat(server.run(compare(name, "objectClass", "top")).results.getFirst())
          .isEqualTo(none);
    }
    server.identity = OperationFixture.ROOT;
    assertThat(run(TOP, Scope.SUBTREE, "(uid=spy)").dns).containsExactly(SPY);
  }
}
