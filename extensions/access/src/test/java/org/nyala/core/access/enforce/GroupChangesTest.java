package org.nyala.core.access.enforce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.rule.Group;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.update.CommittedChange;

/** Tests which changes of groups have the memberships of a client found anew. */
final class GroupChangesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int USERS = 5;
  private static final int GROUPS = 9;
  private static final AttributeDescription MEMBER = description("member");

  private final Map<String, Set<String>> members = new HashMap<>();

  /** The names from and to which something is to be moved back; empty for none. */
  private List<String> back = List.of();

  private InMemoryBackend store = new InMemoryBackend(SCHEMA, List.of());
  private GroupWatch watch = new GroupWatch();

  private static AttributeDescription description(String name) {
    AttributeDescription known = AttributeDescription.parse(SCHEMA, name);
    assertThat(known).isNotNull();
    return known;
  }

  private static Dn dn(String name) {
    return entry(name).dn();
  }

  private static String user(int number) {
    return "cn=u" + number + ',' + TOP;
  }

  private static String group(int number) {
    return "cn=g" + number + ",ou=" + (number % 2 == 0 ? "even" : "odd") + ',' + TOP;
  }

  private static List<byte[]> bytes(Iterable<String> names) {
    List<byte[]> bytes = new ArrayList<>();
    names.forEach(name -> bytes.add(name.getBytes(UTF_8)));
    return bytes;
  }

  /** Opens a store without groups, under rules that name all of them. */
  private RuledControl open(int groups, String kind) throws Exception {
    List<Entry> entries = new ArrayList<>();
    entries.add(entry(TOP, "objectClass", "domain", "dc", "example"));
    for (String ou : List.of("even", "odd", "moved")) {
      entries.add(entry("ou=" + ou + ',' + TOP, "objectClass", "organizationalUnit", "ou", ou));
    }
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < groups; i++) {
      rules.append("to entry \"").append(user(i)).append("\"\n  group \"");
      rules.append(group(i)).append("\" ").append(kind).append(" may read\n");
    }
    rules.append("to all\n  all may search\n");
    store = new InMemoryBackend(SCHEMA, entries, true);
    watch = new GroupWatch();
    RuledControl opened =
        RuledControl.of(
            new RulesText("rules", rules.toString()),
            SCHEMA,
            null,
            _ -> store,
            watch,
            _ -> {
              throw new AssertionError("no filter asks");
            });
    opened.takeOver();
    return opened;
  }

  private void commit(ResolvedChange change) {
    long id;
    try (ReadTransaction read = store.beginRead()) {
      id = read.find(change.dn());
    }
    try (WriteTransaction write = store.beginWrite()) {
      write.apply(change);
      write.commit();
    }
    watch.committed(
        List.of(new CommittedChange(change, id, Csn.FIRST, null, null, false, Dn.EMPTY)));
  }

  private long id(String name) {
    try (ReadTransaction read = store.beginRead()) {
      return read.find(dn(name));
    }
  }

  private void add(String group, Set<String> listed) {
    Entry added = entry(group, "objectClass", "groupOfNames", "cn", "g");
    bytes(listed).forEach(each -> added.add(MEMBER, each));
    members.put(group, new TreeSet<>(listed));
    commit(new ResolvedChange.Add(added));
  }

  private void change(String group, AttributeChange... changes) {
    commit(new ResolvedChange.Modify(dn(group), id(group), List.of(changes)));
  }

  private void replace(String group, Set<String> listed) {
    members.put(group, new TreeSet<>(listed));
    change(group, new AttributeChange.Replaced(MEMBER, bytes(listed)));
  }

  private static ClientFacts client(int number) {
    return new ClientFacts(dn(user(number)), null, 0, 0, 0, "");
  }

  private static DecidedRules found(RuledControl control, int user) throws Exception {
    DecidedRules found = control.lookUp(client(user)).go(() -> true);
    assertThat(found).isNotNull();
    return found;
  }

  private static Set<String> groups(RuledControl control, DecidedRules found) {
    Set<String> names = new TreeSet<>();
    for (Group each : control.rules().groups()) {
      if (found.memberships().isMember(each)) {
        names.add(each.name().dn().toString());
      }
    }
    return names;
  }

  @Test
  void shouldLeaveAClientAsItIsWhereItIsNotConcerned() throws Exception {
    RuledControl opened = open(GROUPS, "nested");
    add(group(0), Set.of(user(0), user(4)));
    add(group(1), Set.of(group(0)));
    add(group(2), Set.of(user(1)));
    add(group(3), Set.of(group(2)));
    DecidedRules known = found(opened, 0);
    assertThat(groups(opened, known)).containsExactlyInAnyOrder(group(0), group(1));
    long before = watch.version();
    // Other groups, their classes, other members of its own groups, and entries that are no groups.
    replace(group(2), Set.of(user(1), user(2)));
    replace(group(3), Set.of(user(3)));
    replace(group(0), Set.of(user(0), user(3)));
    change(
        group(1), new AttributeChange.Updated(MEMBER, List.of(), bytes(List.of("CN=u3 , " + TOP))));
    change(
        group(2),
        new AttributeChange.Replaced(
            description("objectClass"), bytes(List.of("groupOfNames", "extensibleObject"))));
    commit(new ResolvedChange.Delete(dn(group(3)), id(group(3))));
    add(group(5), Set.of(user(2), group(2)));
    commit(
        new ResolvedChange.Rename(
            dn(group(2)), id(group(2)), dn("cn=g2,ou=moved," + TOP), List.of()));
    assertThat(watch.version()).isEqualTo(before + 8);
    // A group that rules name was moved: that alone is looked at anew.
    assertThat(opened.isCurrent(known)).isFalse();
    DecidedRules again = found(opened, 0);
    replace(group(5), Set.of(user(1), user(3)));
    commit(new ResolvedChange.Delete(dn(group(5)), id(group(5))));
    assertThat(opened.isCurrent(again)).isTrue();
    assertThat(again.memberships().version()).isEqualTo(watch.version());
    replace(group(1), Set.of(user(3)));
    assertThat(opened.isCurrent(again)).isFalse();
  }

  @RepeatedTest(12)
  void shouldNeverTakeFormerMembershipsForPresentOnes() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    String kind =
        List.of("nested", "", "nested class groupOfNames", "class groupOfNames")
            .get(random.nextInt(4));
    RuledControl opened = open(random.nextBoolean() ? GROUPS : 2 * GROUPS, kind);
    Map<Integer, DecidedRules> known = new HashMap<>();
    Map<Integer, GroupLookup> going = new HashMap<>();
    int kept = 0;
    int found = 0;
    for (int step = 0; step < 150; step++) {
      String done = changeSomething(random);
      for (int user = 0; user < USERS; user++) {
        String context = "test.seed=%d, %s, step %d: %s".formatted(seed, kind, step, done);
        Set<String> expected = groups(opened, found(opened, user));
        DecidedRules former = known.get(user);
        if (former != null && opened.isCurrent(former)) {
          assertThat(groups(opened, former)).as(context).isEqualTo(expected);
          kept++;
        } else if (random.nextInt(3) == 0) {
          known.put(user, found(opened, user));
        }
        // Another one, a group or so after each change.
        GroupLookup lookup = going.computeIfAbsent(user, number -> opened.lookUp(client(number)));
        try {
          DecidedRules slow = lookup.go(() -> random.nextInt(8) > 0);
          if (slow != null) {
            assertThat(groups(opened, slow)).as(context).isEqualTo(expected);
            found++;
            going.remove(user);
          }
        } catch (LdapOperationException e) {
          assertThat(e.result().code()).isEqualTo(ResultCode.BUSY);
          going.remove(user);
        }
      }
    }
    assertThat(kept).isPositive();
    assertThat(found).isPositive();
  }

  private String changeSomething(Random random) {
    if (!back.isEmpty()) {
      return move(back.getFirst(), back.getLast());
    }
    String group = group(random.nextInt(GROUPS));
    Set<String> listed = members.get(group);
    if (listed == null) {
      Set<String> first = new TreeSet<>(List.of(something(random), something(random), "cn=x"));
      add(group, first);
      return "add " + group + first;
    }
    Set<String> other = new TreeSet<>(listed);
    String name = something(random);
    boolean isGone = !other.add(name) && other.remove(name);
    switch (random.nextInt(12)) {
      case 0 -> {
        members.remove(group);
        commit(new ResolvedChange.Delete(dn(group), id(group)));
        return "delete " + group;
      }
      case 1 -> {
        return random.nextBoolean()
            ? move(group, "cn=g,ou=moved," + TOP)
            : move("ou=odd," + TOP, "ou=strange," + TOP);
      }
      case 2 -> {
        List<String> classes =
            List.of("groupOfNames", "extensibleObject").subList(random.nextInt(2), 2);
        change(group, new AttributeChange.Replaced(description("objectClass"), bytes(classes)));
        return "classes " + group + classes;
      }
      case 3, 4, 5, 6 -> {
        members.put(group, other);
        List<byte[]> one = bytes(List.of(name));
        change(
            group,
            isGone
                ? new AttributeChange.Updated(MEMBER, one, List.of())
                : new AttributeChange.Updated(MEMBER, List.of(), one));
      }
      default -> replace(group, other);
    }
    return (isGone ? "remove " : "add ") + name + " in " + group;
  }

  /** Moves a group away, or the container of half of them, until the next change. */
  private String move(String from, String to) {
    commit(new ResolvedChange.Rename(dn(from), id(from), dn(to), List.of()));
    back = back.isEmpty() ? List.of(to, from) : List.of();
    return "move " + from + " to " + to;
  }

  private static String something(Random random) {
    return random.nextInt(3) == 0 ? user(random.nextInt(USERS)) : group(random.nextInt(GROUPS));
  }

  /** A chain of groups, found one in a slice, while another group changes before each. */
  @Test
  void shouldFindManyGroupsWhileOthersChange() throws Exception {
    int count = 100;
    RuledControl opened = open(count, "nested");
    for (int i = 0; i < count - 1; i++) {
      add(group(i), Set.of(i == 0 ? user(0) : group(i - 1), user(2)));
    }
    String other = group(count - 1);
    add(other, Set.of(user(1)));
    GroupLookup lookup = opened.lookUp(client(0));
    DecidedRules found = null;
    int slices = 0;
    while (found == null) {
      found = lookup.go(() -> false);
      replace(other, Set.of(user(1), user(slices % 2 + 2)));
      slices++;
      assertThat(slices).isLessThan(10 * count);
    }
    assertThat(groups(opened, found)).hasSize(count - 1);
    assertThat(slices).isGreaterThan(count / 2);
    assertThat(opened.isCurrent(found)).isTrue();
  }
}
