package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Membership;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.CommittedChange;
import org.nyala.integrity.LastReference;
import org.nyala.integrity.ReferentialIntegrityRule;

class ReferentialIntegrityTest {
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String STAFF = "ou=staff," + TOP;
  private static final String GROUPS = "ou=groups," + TOP;
  private static final LastReference REFUSED = new LastReference.Refused();
  private static final String NOBODY = "cn=nobody," + TOP;

  private UpdateFixture directory;

  @AfterEach
  void close() {
    directory.close();
  }

  private static AttributeType type(String name) {
    return SCHEMA.attributeType(name);
  }

  private void open(String placeholder, int maximum, Entry... more) {
    open(new LastReference.Filled(UpdateFixture.dn(placeholder), false), maximum, more);
  }

  private void open(LastReference last, int maximum, Entry... more) {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    for (String unit : List.of("people", "staff", "groups")) {
      entries.add(entry("ou=" + unit + "," + TOP, "objectClass", "organizationalUnit", "ou", unit));
    }
    for (int i = 0; i < 4; i++) {
      entries.add(person(i));
    }
    entries.addAll(List.of(more));
    directory = new UpdateFixture(entries);
    directory.rules.add(
        new ReferentialIntegrityRule(
            SCHEMA,
            List.of(type("member"), type("uniqueMember"), type("manager"), type("seeAlso")),
            last,
            maximum,
            true));
    directory.membership =
        Membership.of(type("memberOf"), List.of(type("member"), type("uniqueMember")), false, 1000);
  }

  private static Entry person(int number) {
    String name = "p" + number;
    return entry(name(number), "objectClass", "inetOrgPerson", "uid", name, "cn", name, "sn", name);
  }

  private static String name(int number) {
    return "uid=p" + number + "," + PEOPLE;
  }

  private static Entry group(String name, String... members) {
    Entry group = entry("cn=" + name + "," + GROUPS, "objectClass", "groupOfNames", "cn", name);
    for (String member : members) {
      group.add(AttributeDescription.of(type("member")), OperationFixture.bytes(member));
    }
    return group;
  }

  private List<String> values(String name, String attribute) {
    return directory.stored(name).getOrDefault(attribute, List.of());
  }

  @Test
  void shouldRemoveValuesThatNameADeletedEntry() {
    Entry boss = person(9);
    open(REFUSED, 100, group("g", name(0), name(1)), boss);
    directory.run(
        UpdateFixture.modify(name(2), UpdateFixture.change(0, "manager", "UID=P0, " + PEOPLE)));
    List<CommittedChange> committed = new ArrayList<>();
    directory.listeners.add(committed::addAll);
    assertThat(directory.code(delete(name(0)))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=g," + GROUPS, "member")).containsExactly(name(1));
    assertThat(values(name(2), "manager")).isEmpty();
    assertThat(values("cn=g," + GROUPS, "modifiersName"))
        .containsExactly(OperationFixture.ROOT.dn().toString());
  }

  @Test
  void shouldRefuseADeleteThatLeavesARequiredAttributeEmpty() {
    open(REFUSED, 100, group("g", name(0)));
    LdapResult result = directory.result(delete(name(0)));
    assertThat(result.code()).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(result.message()).contains("member", "cn=g," + GROUPS);
    assertThat(directory.stored(name(0))).isNotNull();
    assertThat(values("cn=g," + GROUPS, "member")).containsExactly(name(0));
  }

  @Test
  void shouldLeaveThePlaceholder() {
    open(NOBODY, 100, group("g", name(0)));
    assertThat(directory.code(delete(name(0)))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=g," + GROUPS, "member")).containsExactly(NOBODY);
  }

  @Test
  void shouldKeepTheLastValueOfRequiredAttributesAloneIfConfigured() {
    Entry referrer = person(9);
    referrer.add(AttributeDescription.of(type("manager")), OperationFixture.bytes(name(0)));
    open(
        new LastReference.Kept(), 100, group("g", name(0)), group("h", name(0), name(1)), referrer);
    assertThat(directory.code(delete(name(0)))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=g," + GROUPS, "member")).containsExactly(name(0));
    assertThat(values("cn=h," + GROUPS, "member")).containsExactly(name(1));
    assertThat(values(name(9), "manager")).isEmpty();
  }

  @Test
  void shouldLeaveThePlaceholderInOptionalAttributesIfConfigured() {
    for (boolean fillsOptional : new boolean[] {false, true}) {
      open(
          NOBODY,
          100,
          entry(
              "uid=s," + STAFF,
              "objectClass",
              "inetOrgPerson",
              "uid",
              "s",
              "cn",
              "S",
              "sn",
              "S",
              "manager",
              name(0),
              "seeAlso",
              name(0),
              "seeAlso",
              name(1)));
      directory.rules.set(
          0,
          new ReferentialIntegrityRule(
              SCHEMA,
              List.of(type("manager"), type("seeAlso")),
              new LastReference.Filled(UpdateFixture.dn(NOBODY), fillsOptional),
              100,
              true));
      assertThat(directory.code(delete(name(0)))).isEqualTo(ResultCode.SUCCESS);
      assertThat(values("uid=s," + STAFF, "manager"))
          .isEqualTo(fillsOptional ? List.of(NOBODY) : List.of());
      assertThat(values("uid=s," + STAFF, "seeAlso")).containsExactly(name(1));
    }
  }

  @Test
  void shouldDeleteATreeWithTheGroupsThatReferIntoIt() {
    open(REFUSED, 100, group("g", name(0)));
    RequestControl tree = new RequestControl(ControlType.TREE_DELETE.oid(), true, null);
    assertThat(directory.code(delete(TOP, tree))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.names()).isEmpty();
  }

  @Test
  void shouldRewriteNamesOfRenamedTreesAndKeepBitStrings() {
    open(
        REFUSED,
        100,
        entry(
            "cn=u," + GROUPS,
            "objectClass",
            "groupOfUniqueNames",
            "cn",
            "u",
            "uniqueMember",
            name(0) + "#'01'B",
            "uniqueMember",
            name(0)),
        group("g", "UID=p1 , " + PEOPLE, "cn=g," + GROUPS));
    assertThat(directory.code(move(PEOPLE, "ou=folk", STAFF))).isEqualTo(ResultCode.SUCCESS);
    String moved = "ou=folk," + STAFF;
    assertThat(values("cn=u," + GROUPS, "uniqueMember"))
        .containsExactlyInAnyOrder("uid=p0," + moved + "#'01'B", "uid=p0," + moved);
    assertThat(directory.code(rename("cn=g," + GROUPS, "cn=h", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=h," + GROUPS, "member"))
        .containsExactlyInAnyOrder("uid=p1," + moved, "cn=h," + GROUPS);
  }

  @Test
  void shouldWriteNamesAnewWhoseCaseAloneChanges() {
    open(
        REFUSED,
        100,
        group("g", name(0), "UID=p1 , " + PEOPLE, name(2)),
        entry(
            "cn=u," + GROUPS,
            "objectClass",
            "groupOfUniqueNames",
            "cn",
            "u",
            "uniqueMember",
            name(0) + "#'01'B"));
    assertThat(directory.code(rename(name(0), "uid=P0", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=g," + GROUPS, "member"))
        .containsExactlyInAnyOrder("uid=P0," + PEOPLE, "UID=p1 , " + PEOPLE, name(2));
    assertThat(values("cn=u," + GROUPS, "uniqueMember"))
        .containsExactly("uid=P0," + PEOPLE + "#'01'B");
    assertThat(directory.code(rename(PEOPLE, "ou=People", true))).isEqualTo(ResultCode.SUCCESS);
    String people = "ou=People," + TOP;
    assertThat(values("cn=g," + GROUPS, "member"))
        .containsExactlyInAnyOrder("uid=P0," + people, "uid=p1," + people, "uid=p2," + people);
    List<CommittedChange> committed = new ArrayList<>();
    directory.listeners.add(committed::addAll);
    assertThat(directory.code(rename(people, "ou=People", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(committed).noneMatch(change -> change.toString().contains("cn=g,"));
  }

  @Test
  void shouldMoveNamesOfMissingEntriesWithTheirSubtree() {
    String gone = "uid=gone," + PEOPLE;
    String other = "uid=gone,ou=more people," + TOP;
    open(
        REFUSED,
        100,
        group(
            "g", name(0), gone, "CN=x, " + gone, other, "cn=below," + name(0), "cn=a\\,b," + gone),
        entry(
            "cn=u," + GROUPS,
            "objectClass",
            "groupOfUniqueNames",
            "cn",
            "u",
            "uniqueMember",
            gone + "#'01'B",
            "uniqueMember",
            gone));
    assertThat(directory.code(move(PEOPLE, "ou=folk", STAFF))).isEqualTo(ResultCode.SUCCESS);
    String moved = "ou=folk," + STAFF;
    assertThat(values("cn=g," + GROUPS, "member"))
        .containsExactlyInAnyOrder(
            "uid=p0," + moved,
            "uid=gone," + moved,
            "CN=x,uid=gone," + moved,
            "cn=a\\,b,uid=gone," + moved,
            other,
            "cn=below,uid=p0," + moved);
    assertThat(values("cn=u," + GROUPS, "uniqueMember"))
        .containsExactlyInAnyOrder("uid=gone," + moved + "#'01'B", "uid=gone," + moved);
    // Nothing is below it: no subtree.
    assertThat(directory.code(rename("uid=p0," + moved, "uid=q0", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(values("cn=g," + GROUPS, "member"))
        .contains("uid=q0," + moved, "cn=below,uid=p0," + moved);
  }

  @Test
  void shouldLimitWhatFollowsOneChange() {
    open(REFUSED, 2, group("g", name(0), name(1), name(2)));
    assertThat(directory.code(rename(PEOPLE, "ou=folk", true)))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(name(0))).isNotNull();
    assertThat(directory.code(rename(name(0), "uid=q0", true))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldRefuseToRenameATreeThatTakesTooManyLookUps() {
    for (int lookups : List.of(8, 1000)) {
      open(REFUSED, 100, group("some", name(0), name(3)));
      ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
      directory.limits =
          TestLimits.with(
              ServerLimits.DEFAULT,
              new ServerLimits.UpdateLimits(
                  d.writeQueue(), d.writeBatch(), 100, 100, 10, lookups, d.sizes()));
      boolean isEnough = lookups == 1000;
      assertThat(directory.code(UpdateFixture.rename(PEOPLE, "ou=persons", true)))
          .isEqualTo(isEnough ? ResultCode.SUCCESS : ResultCode.ADMIN_LIMIT_EXCEEDED);
      assertThat(directory.names().contains(PEOPLE)).isEqualTo(!isEnough);
      assertThat(directory.stored("cn=some," + GROUPS).get("member"))
          .contains(isEnough ? "uid=p0,ou=persons," + TOP : name(0));
      directory.close();
    }
  }

  @Test
  void shouldAgreeWithAModelAfterRandomChanges() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    open(NOBODY, 1000);
    Map<String, Set<String>> model = new TreeMap<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      names.add(name(i));
    }
    for (int step = 0; step < 150; step++) {
      change(random, step, names, model);
      String context = "-Dtest.seed=" + seed + " step " + step;
      for (String group : model.keySet()) {
        assertThat(new TreeSet<>(values(group, "member"))).as(context).isEqualTo(model.get(group));
      }
      checkMembership(random, names, model, context);
    }
  }

  private void change(Random random, int step, List<String> names, Map<String, Set<String>> model) {
    int kind = random.nextInt(10);
    String name = names.get(random.nextInt(names.size()));
    if (kind < 4 || names.size() < 4) {
      String group = "cn=g" + step + "," + GROUPS;
      TreeSet<String> members = new TreeSet<>();
      for (int i = 0; i <= random.nextInt(4); i++) {
        members.add(names.get(random.nextInt(names.size())));
      }
      if (random.nextInt(4) == 0) {
        members.add(group);
      }
      Request.Add add = UpdateFixture.add(group, "objectClass", "groupOfNames", "cn", "g" + step);
      List<Request.AttributeValues> attributes = new ArrayList<>(add.attributes());
      attributes.add(UpdateFixture.values("member", members.toArray(String[]::new)));
      run(new Request.Add(1, group, attributes, List.of()));
      model.put(group, members);
      names.add(group);
    } else if (kind < 6) {
      run(delete(name));
      names.remove(name);
      model.remove(name);
      for (Set<String> members : model.values()) {
        if (members.remove(name) && members.isEmpty()) {
          members.add(NOBODY);
        }
      }
    } else {
      String rdn = name.substring(0, name.indexOf('='));
      boolean isPerson = rdn.equals("uid");
      String parent = isPerson ? (random.nextBoolean() ? PEOPLE : STAFF) : GROUPS;
      String renamed = rdn + "=n" + step + "," + parent;
      run(move(name, rdn + "=n" + step, parent));
      names.set(names.indexOf(name), renamed);
      Set<String> own = model.remove(name);
      if (own != null) {
        model.put(renamed, own);
      }
      for (Set<String> members : model.values()) {
        if (members.remove(name)) {
          members.add(renamed);
        }
      }
    }
  }

  private void run(Request request) {
    assertThat(directory.code(request)).isEqualTo(ResultCode.SUCCESS);
  }

  private void checkMembership(
      Random random, List<String> names, Map<String, Set<String>> model, String context) {
    String name = names.get(random.nextInt(names.size()));
    TreeSet<String> direct = new TreeSet<>();
    model.forEach(
        (group, members) -> {
          if (members.contains(name)) {
            direct.add(group);
          }
        });
    TreeSet<String> all = new TreeSet<>(direct);
    while (true) {
      TreeSet<String> more = new TreeSet<>(all);
      model.forEach(
          (group, members) -> {
            if (members.stream().anyMatch(all::contains)) {
              more.add(group);
            }
          });
      if (more.size() == all.size()) {
        break;
      }
      all.addAll(more);
    }
    assertThat(memberOf(name)).as(context).isEqualTo(direct);
    FilterNode chain =
        new FilterNode.Extensible(
            Membership.CHAIN_RULE_OID, "member", OperationFixture.bytes(name), false);
    assertThat(search(chain)).as(context).isEqualTo(all);
    if (model.isEmpty()) {
      return;
    }
    List<String> groups = new ArrayList<>(model.keySet());
    String group = groups.get(random.nextInt(groups.size()));
    TreeSet<String> members = new TreeSet<>(model.get(group));
    members.remove(NOBODY);
    FilterNode equal = new FilterNode.Equality("memberOf", OperationFixture.bytes(group));
    assertThat(search(equal)).as(context).isEqualTo(members);
    FilterNode selective =
        new FilterNode.And(
            List.of(
                equal,
                new FilterNode.Equality(
                    name.startsWith("uid") ? "uid" : "cn",
                    OperationFixture.bytes(
                        name.substring(name.indexOf('=') + 1, name.indexOf(','))))));
    assertThat(search(selective).contains(name)).as(context).isEqualTo(members.contains(name));
    FilterNode memberChain =
        new FilterNode.Extensible(
            Membership.CHAIN_RULE_OID, "memberOf", OperationFixture.bytes(group), false);
    assertThat(search(memberChain).contains(name)).as(context).isEqualTo(all.contains(group));
  }

  private Set<String> memberOf(String name) {
    RecordingSink sink =
        directory.run(OperationFixture.search(name, Scope.BASE, OperationFixture.ALL, "memberOf"));
    assertThat(sink.dns).hasSize(1);
    return new TreeSet<>(sink.attributes.getFirst().getOrDefault("memberOf", List.of()));
  }

  private Set<String> search(FilterNode filter) {
    RecordingSink sink = new RecordingSink(10_000);
    directory.start(OperationFixture.search(TOP, Scope.SUBTREE, filter, "1.1"), sink);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    return new TreeSet<>(sink.dns);
  }

  @Test
  void shouldComputeMemberOfForFiltersComparisonsAndAnswers() {
    open(REFUSED, 100, group("g", name(0)), group("outer", "cn=g," + GROUPS));
    assertThat(search(new FilterNode.Present("memberOf")))
        .containsExactlyInAnyOrder(name(0), "cn=g," + GROUPS);
    assertThat(search(new FilterNode.Not(new FilterNode.Present("memberOf"))))
        .doesNotContain(name(0))
        .contains(name(1));
    assertThat(compare(name(0), "cn=g," + GROUPS)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(name(0), "cn=outer," + GROUPS)).isEqualTo(ResultCode.COMPARE_FALSE);
    assertThat(compare(name(1), "cn=g," + GROUPS)).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    assertThat(
            directory
                .run(OperationFixture.search(name(0), Scope.BASE, OperationFixture.ALL, "*", "+"))
                .attributes
                .getFirst())
        .containsEntry("memberOf", List.of("cn=g," + GROUPS));
    assertThat(
            directory
                .run(OperationFixture.search(name(0), Scope.BASE, OperationFixture.ALL, "*"))
                .attributes
                .getFirst())
        .doesNotContainKey("memberOf");
    assertThat(
            directory.code(
                UpdateFixture.modify(
                    name(0), UpdateFixture.change(0, "memberOf", "cn=g," + GROUPS))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  private ResultCode compare(String name, String group) {
    return directory.code(
        new Request.Compare(1, name, "memberOf", OperationFixture.bytes(group), List.of()));
  }

  @Test
  void shouldFollowNestedGroupsWhereConfiguredAndEndInCircles() {
    open(
        REFUSED, 100, group("a", name(0), "cn=b," + GROUPS), group("b", "cn=a," + GROUPS, name(1)));
    directory.membership = Membership.of(type("memberOf"), List.of(type("member")), true, 2);
    assertThat(memberOf(name(0))).containsExactlyInAnyOrder("cn=a," + GROUPS, "cn=b," + GROUPS);
    FilterNode inA = new FilterNode.Equality("memberOf", OperationFixture.bytes("cn=a," + GROUPS));
    assertThat(search(inA))
        .containsExactlyInAnyOrder(name(0), name(1), "cn=a," + GROUPS, "cn=b," + GROUPS);
  }

  @Test
  void shouldRefuseWhatNeedsMoreGroupsThanAllowed() {
    open(REFUSED, 100, group("a", name(0)), group("b", name(0)), group("c", name(1)));
    directory.membership = Membership.of(type("memberOf"), List.of(type("member")), false, 1);
    assertThat(
            directory.code(
                OperationFixture.search(name(0), Scope.BASE, OperationFixture.ALL, "memberOf")))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(memberOf(name(1))).containsExactly("cn=c," + GROUPS);
  }
}
