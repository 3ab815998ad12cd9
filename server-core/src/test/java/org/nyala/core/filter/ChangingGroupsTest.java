package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.integrity.MemberCandidates;
import org.nyala.core.integrity.References;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Tests memberships while groups and members change between the slices of a test. */
final class ChangingGroupsTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final Pace OVER = () -> false;
  private static final int ROUNDS = 300;
  private static final AttributeDescription MEMBER = AttributeDescription.parse(SCHEMA, "member");
  private static final AttributeDescription DESCRIPTION =
      AttributeDescription.parse(SCHEMA, "description");
  private static final int VALUES = 60;

  /** More values than one hastened slice tests. */
  private static final int MANY_VALUES = 2500;

  private static final AttributeSelector BY_MEMBER = new AttributeSelector(MEMBER);
  private static final Dn PERSON = dn("uid=e,o=x");
  private static final Dn INNER = dn("cn=inner,o=x");
  private static final Dn OUTER = dn("cn=outer,o=x");
  private static final Dn NOBODY = dn("uid=nobody,o=x");

  private final InMemoryBackend backend =
      new InMemoryBackend(
          SCHEMA,
          List.of(entry(dn("o=x")), entry(PERSON), entry(NOBODY), entry(INNER), entry(OUTER)));

  /** True if the store is in the second of its two states. */
  private boolean isOther;

  @AfterEach
  void close() {
    backend.close();
  }

  private static Dn dn(String text) {
    return RandomDirectory.dn(SCHEMA, text);
  }

  private static Entry entry(Dn name) {
    Entry entry = new Entry(name);
    entry.add(AttributeDescription.parse(SCHEMA, "description"), new byte[] {'x'});
    return entry;
  }

  private void group(WriteTransaction write, Dn group, Dn... members) {
    List<byte[]> values = List.of(members).stream().map(Dn::raw).toList();
    write.apply(
        new ResolvedChange.Modify(
            group, write.find(group), List.of(new AttributeChange.Replaced(MEMBER, values))));
  }

  /** Switches the store to its other state in one commit. */
  private void flip(Dn inFirst, Dn inSecond, Dn added) {
    isOther = !isOther;
    try (WriteTransaction write = backend.beginWrite()) {
      group(write, isOther ? inSecond : inFirst, added);
      group(write, isOther ? inFirst : inSecond, NOBODY);
      write.commit();
    }
  }

  /** Tests an entry, and runs an action between slices. */
  private boolean test(EntryMatch test, Dn name, Runnable between) {
    for (; ; ) {
      Ternary value = slice(test, name, OVER);
      if (value != null) {
        return value == Ternary.TRUE;
      }
      assertThat(test.isHopeless()).isFalse();
      between.run();
    }
  }

  private static CompiledFilter memberOf(Dn group, boolean isTransitive) {
    return new CompiledFilter.MemberOfItem(List.of(BY_MEMBER), group, isTransitive);
  }

  @Test
  void shouldBeAMemberOfOneWhoeverIsMovedFromGroupToGroup() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    CompiledFilter either =
        new CompiledFilter.Or(List.of(memberOf(INNER, false), memberOf(OUTER, false)));
    flip(INNER, OUTER, PERSON);
    for (int i = 0; i < ROUNDS; i++) {
      EntryMatch test = EntryMatch.inSlices(either, 1);
      boolean isMember =
          test(
              test,
              PERSON,
              () -> {
                if (random.nextBoolean()) {
                  flip(INNER, OUTER, PERSON);
                }
              });
      assertThat(isMember).as("test.seed=%d, round %d", seed, i).isTrue();
    }
  }

  @Test
  void shouldBeNoMemberOverGroupsThatWereNeverOneInTheOther() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    CompiledFilter chain = new CompiledFilter.ChainItem(BY_MEMBER, PERSON);
    flipNested();
    for (int i = 0; i < ROUNDS; i++) {
      boolean isChain = i % 2 == 0;
      EntryMatch test = EntryMatch.inSlices(isChain ? chain : memberOf(OUTER, true), 1);
      boolean isMember =
          test(
              test,
              isChain ? OUTER : PERSON,
              () -> {
                if (random.nextBoolean()) {
                  flipNested();
                }
              });
      assertThat(isMember).as("test.seed=%d, round %d", seed, i).isFalse();
    }
  }

  /**
   * Switches between two states: either the person is in the inner group, or that is in the outer
   * one; never both.
   */
  private void flipNested() {
    isOther = !isOther;
    try (WriteTransaction write = backend.beginWrite()) {
      group(write, INNER, isOther ? PERSON : NOBODY);
      group(write, OUTER, isOther ? NOBODY : INNER);
      write.commit();
    }
  }

  @Test
  void shouldComeToAnEndWhereChangesComeAllTheTime() {
    int[] slices = new int[1];
    flipNested();
    boolean isMember =
        test(
            EntryMatch.inSlices(memberOf(OUTER, true), 1),
            PERSON,
            () -> {
              slices[0]++;
              flipNested();
            });
    assertThat(isMember).isFalse();
    assertThat(slices[0]).isBetween(2, 10);
  }

  /** Returns a test that takes a slice for each of the values, and never succeeds. */
  private static CompiledFilter values(String piece) {
    return new CompiledFilter.SubstringsItem(
        new AttributeSelector(DESCRIPTION),
        Objects.requireNonNull(DESCRIPTION.type().substrings()),
        null,
        List.of(piece.getBytes(StandardCharsets.UTF_8)),
        null);
  }

  private void describe(Dn name, int count) {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(("x" + i).getBytes(StandardCharsets.UTF_8));
    }
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(
          new ResolvedChange.Modify(
              name, write.find(name), List.of(new AttributeChange.Replaced(DESCRIPTION, values))));
      write.commit();
    }
  }

  @Test
  void shouldKeepWhatTheEntryItselfCameToWhileOthersChange() {
    describe(PERSON, MANY_VALUES);
    flip(INNER, OUTER, PERSON);
    CompiledFilter inner = memberOf(INNER, false);
    CompiledFilter outer = memberOf(OUTER, false);
    List<CompiledFilter> filters =
        List.of(
            new CompiledFilter.Or(List.of(inner, values("y"), outer)),
            new CompiledFilter.And(
                List.of(
                    new CompiledFilter.Or(List.of(inner, values("y"), outer)),
                    new CompiledFilter.Not(values("z")))),
            new CompiledFilter.Or(
                List.of(
                    new CompiledFilter.And(List.of(values("x"), inner)),
                    new CompiledFilter.And(List.of(values("y"), outer)),
                    new CompiledFilter.And(List.of(outer, new CompiledFilter.Not(values("z")))))),
            new CompiledFilter.Not(
                new CompiledFilter.And(
                    List.of(
                        values("x"),
                        new CompiledFilter.NumberItem(
                            CompiledFilter.NumberItem.Computed.SUBORDINATES, 1, 1)))));
    for (CompiledFilter filter : filters) {
      int[] slices = new int[1];
      Runnable between =
          () -> {
            slices[0]++;
            flip(INNER, OUTER, PERSON);
          };
      EntryMatch test = EntryMatch.inSlices(filter, 1);
      assertThat(test(test, PERSON, between)).as("%s", filter).isTrue();
      assertThat(slices[0]).as("%s", filter).isBetween(1, 4 * MANY_VALUES);
      // No state of one entry remains in the test of the next one.
      assertThat(test(test, NOBODY, between)).as("%s", filter).isEqualTo(matches(filter, NOBODY));
    }
  }

  private boolean matches(CompiledFilter filter, Dn name) {
    return test(new EntryMatch(filter), name, () -> {});
  }

  /** Returns a filter of value tests, look-ups and operators. */
  private static CompiledFilter random(Random random, int depth) {
    List<CompiledFilter> nodes = new ArrayList<>();
    for (int i = depth == 0 ? 3 : 1 + random.nextInt(3); depth > 0 && i > 0; i--) {
      nodes.add(random(random, depth - 1));
    }
    return switch (depth == 0 ? 3 + random.nextInt(5) : random.nextInt(3)) {
      case 0 -> new CompiledFilter.And(nodes);
      case 1 -> new CompiledFilter.Or(nodes);
      case 2 -> new CompiledFilter.Not(nodes.getFirst());
      case 3 -> memberOf(INNER, random.nextBoolean());
      case 4 -> memberOf(OUTER, random.nextBoolean());
      case 5 -> new CompiledFilter.ChainItem(BY_MEMBER, PERSON);
      default -> values(random.nextBoolean() ? "x1" : "y");
    };
  }

  @Test
  void shouldBeWhatEntriesAreAtSomeMoment() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    describe(PERSON, VALUES);
    for (int i = 0; i < ROUNDS; i++) {
      CompiledFilter filter = random(random, 3);
      EntryMatch test = EntryMatch.inSlices(filter, 1 + random.nextInt(20));
      for (Dn name : List.of(PERSON, NOBODY, PERSON)) {
        flipNested();
        boolean one = matches(filter, name);
        flipNested();
        boolean other = matches(filter, name);
        boolean found =
            test(
                test,
                name,
                () -> {
                  if (random.nextInt(4) == 0) {
                    flipNested();
                  }
                });
        if (one == other) {
          assertThat(found).as("test.seed=%d, round %d, %s", seed, i, filter).isEqualTo(one);
        }
      }
    }
  }

  @Test
  void shouldNotOutlastItsSliceWhereNobodyWantsTheAnswer() {
    Pace abandoned =
        new Pace() {
          @Override
          public boolean goesOn() {
            return false;
          }

          @Override
          public boolean mayOutlast() {
            return false;
          }
        };
    EntryMatch test = EntryMatch.inSlices(memberOf(OUTER, true), 1);
    flipNested();
    int slices = 0;
    while (!test.isHopeless()) {
      assertThat(slice(test, PERSON, abandoned)).as("slice %d", slices++).isNull();
      flipNested();
    }
  }

  private @Nullable Ternary slice(EntryMatch test, Dn name, Pace pace) {
    try (ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      read.read(read.find(name), view);
      FilterMatcher matcher = new FilterMatcher(SCHEMA, type -> !type.isSecret());
      return matcher.match(
          test, view, read.attributes(), new References(read, SCHEMA, 1000, Pace.UNBOUNDED), pace);
    }
  }

  /** Looks up members as candidates, with a slice for each, and renames the person after some. */
  private CompiledFilter candidates(CompiledFilter filter, int renameFrom, int renameTo) {
    MemberCandidates looking = new MemberCandidates(filter, SCHEMA, 1000);
    Dn[] names = {PERSON, dn("uid=f,o=x")};
    for (int slice = 0; ; slice++) {
      try (ReadTransaction read = backend.beginRead()) {
        @Nullable CompiledFilter found =
            looking.resolve(new References(read, SCHEMA, 1000, Pace.UNBOUNDED), OVER);
        if (found != null) {
          return found;
        }
      }
      if (slice >= renameFrom && slice < renameTo) {
        try (WriteTransaction write = backend.beginWrite()) {
          Dn from = write.find(names[0]) == ReadTransaction.NO_ENTRY ? names[1] : names[0];
          Dn to = from == names[0] ? names[1] : names[0];
          write.apply(new ResolvedChange.Rename(from, write.find(from), to, List.of()));
          write.commit();
        }
      }
    }
  }

  private long personId() {
    try (ReadTransaction read = backend.beginRead()) {
      return Math.max(read.find(PERSON), read.find(dn("uid=f,o=x")));
    }
  }

  @Test
  void shouldMissNoMemberThatIsRenamedWhileMembersAreLookedUp() {
    try (WriteTransaction write = backend.beginWrite()) {
      group(write, INNER, dn("uid=f,o=x"), NOBODY, PERSON);
      write.commit();
    }
    long id = personId();
    for (int at = 0; at < 6; at++) {
      CompiledFilter found = candidates(memberOf(INNER, false), at, at + 1);
      assertThat(found)
          .as("renamed after slice %d", at)
          .isInstanceOf(CompiledFilter.EntryIds.class);
      assertThat(((CompiledFilter.EntryIds) found).ids())
          .as("renamed after slice %d", at)
          .contains(id);
    }
    CompiledFilter asked = memberOf(INNER, false);
    assertThat(candidates(asked, 0, Integer.MAX_VALUE)).as("never quiescent").isSameAs(asked);
  }

  @Test
  void shouldLeadNowhereOverGroupsThatWereNeverOneInTheOther() {
    CompiledFilter chain = new CompiledFilter.ChainItem(BY_MEMBER, PERSON);
    for (int at = 0; at < 6; at++) {
      MemberCandidates looking = new MemberCandidates(chain, SCHEMA, 1000);
      CompiledFilter found = null;
      for (int slice = 0; found == null; slice++) {
        try (ReadTransaction read = backend.beginRead()) {
          found = looking.resolve(new References(read, SCHEMA, 1000, Pace.UNBOUNDED), OVER);
        }
        if (slice == at) {
          flipNested();
        }
      }
      long outer;
      try (ReadTransaction read = backend.beginRead()) {
        outer = read.find(OUTER);
      }
      assertThat(((CompiledFilter.EntryIds) found).ids()).as("after %d", at).doesNotContain(outer);
    }
  }

  /** Each is a unit of work: a group may have a hundred thousand members, and all may be groups. */
  @Test
  void shouldEndASliceAfterEachMemberThatIsNoGroup() {
    Dn[] people = people(200);
    try (WriteTransaction write = backend.beginWrite()) {
      group(write, OUTER, people);
      write.commit();
    }
    assertThat(slices(memberOf(OUTER, true))).isGreaterThanOrEqualTo(2 * people.length);
    assertThat(slices(memberOf(OUTER, false))).isBetween(people.length, people.length + 4);
  }

  @Test
  void shouldEndASliceAfterEachGroupThatIsNoMember() {
    Dn[] groups = people(200);
    try (WriteTransaction write = backend.beginWrite()) {
      for (Dn group : groups) {
        group(write, group, PERSON);
      }
      write.commit();
    }
    CompiledFilter chain = new CompiledFilter.ChainItem(BY_MEMBER, PERSON);
    assertThat(slices(chain)).isGreaterThanOrEqualTo(2 * groups.length);
  }

  @Test
  void shouldKeepOneListOfIdsForTestsThatAreTheSame() {
    try (WriteTransaction write = backend.beginWrite()) {
      group(write, INNER, PERSON);
      group(write, OUTER, NOBODY);
      write.commit();
    }
    CompiledFilter inner = memberOf(INNER, false);
    CompiledFilter outer = memberOf(OUTER, false);
    CompiledFilter found =
        candidates(new CompiledFilter.Or(List.of(inner, outer, inner, inner, outer)), 0, 0);
    assertThat(((CompiledFilter.Or) found).nodes())
        .extracting(list -> ((CompiledFilter.EntryIds) list).ids())
        .satisfiesExactly(
            ids -> assertThat(ids).containsExactly(personId()),
            ids -> assertThat(ids).doesNotContain(personId()));
    CompiledFilter none = candidates(new CompiledFilter.And(List.of(inner, inner, outer)), 0, 0);
    assertThat(((CompiledFilter.And) none).nodes()).hasSize(2);
  }

  private Dn[] people(int count) {
    Dn[] people = new Dn[count];
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < count; i++) {
        people[i] = dn("uid=many" + i + ",o=x");
        write.apply(new ResolvedChange.Add(entry(people[i])));
      }
      write.commit();
    }
    return people;
  }

  /** The number of slices of the shortest length that a look-up takes. */
  private int slices(CompiledFilter filter) {
    MemberCandidates looking = new MemberCandidates(filter, SCHEMA, 1000);
    try (ReadTransaction read = backend.beginRead()) {
      int slices = 1;
      while (looking.resolve(new References(read, SCHEMA, 1000, Pace.UNBOUNDED), OVER) == null) {
        slices++;
      }
      return slices;
    }
  }
}
