package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Tests the test of an entry over several slices. */
final class EntryMatchTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final AttributeSelection.Visibility VISIBLE = type -> !type.isSecret();
  private static final Pace OVER = () -> false;

  /** The parts of a large filter. */
  private static final int PARTS = 3500;

  private final FilterCompiler compiler = new FilterCompiler(SCHEMA, VISIBLE, 64, 12_000);

  private static Ternary inSlices(
      EntryMatch test, EntryView view, ReadTransaction read, int[] slices) {
    Ternary value = null;
    while (value == null) {
      // Each slice may run on another thread, with a matcher of its own.
      FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
      value = matcher.match(test, view, read.attributes(), read::hasSubordinates, OVER);
      slices[0]++;
    }
    return value;
  }

  @Test
  void shouldComeToTheSameInSlicesOfOneTest() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int[] slices = new int[1];
    int tests = 0;
    for (int round = 0; round < 12; round++) {
      List<Entry> entries = new RandomDirectory(SCHEMA, random.nextLong()).entries(25);
      RandomFilters filters = new RandomFilters(entries, random.nextLong());
      try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, entries);
          ReadTransaction read = backend.beginRead()) {
        for (int i = 0; i < 60; i++) {
          CompiledFilter filter = compiler.compileOwn(wide(filters, random));
          compare(filter, entries, read, slices, "test.seed=" + seed);
          tests += entries.size();
        }
      }
    }
    // Without slices it would be the number of tests; with them it is by chance about 1.6 of that.
    assertThat(slices[0]).as("test.seed=%d", seed).isGreaterThan(tests * 5 / 4);
  }

  /** Returns a filter with many items side by side, some of them about the same attribute. */
  private static FilterNode wide(RandomFilters filters, Random random) {
    List<FilterNode> nodes = new ArrayList<>();
    int count = 1 + random.nextInt(30);
    for (int i = 0; i < count; i++) {
      FilterNode node = filters.next(1 + random.nextInt(3));
      nodes.addAll(Collections.nCopies(1 + random.nextInt(2), node));
    }
    return switch (random.nextInt(3)) {
      case 0 -> new FilterNode.And(nodes);
      case 1 -> new FilterNode.Or(nodes);
      default -> new FilterNode.Not(new FilterNode.Or(nodes));
    };
  }

  private static void compare(
      CompiledFilter filter,
      List<Entry> entries,
      ReadTransaction read,
      int[] slices,
      String described) {
    FilterMatcher straight = new FilterMatcher(SCHEMA, VISIBLE);
    EntryMatch test = EntryMatch.inSlices(filter, 1);
    EntryView view = new EntryView();
    for (Entry entry : entries) {
      read.read(read.find(entry.dn()), view);
      Ternary expected = straight.match(filter, view, read.attributes(), read::hasSubordinates);
      assertThat(inSlices(test, view, read, slices))
          .as("%s, %s for %s", described, filter, entry.dn())
          .isEqualTo(expected);
    }
  }

  private static Entry group(int members) {
    Entry group = new Entry(RandomDirectory.dn(SCHEMA, "cn=group"));
    AttributeDescription member = AttributeDescription.parse(SCHEMA, "member");
    for (int i = 0; i < members; i++) {
      group.add(member, bytes("uid=u" + i + ",o=x"));
    }
    return group;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldBeginAgainWhereTheEntryHasChanged() throws Exception {
    Entry before = group(500);
    Entry after = group(499);
    after.add(AttributeDescription.parse(SCHEMA, "member"), bytes("uid=late,o=x"));
    CompiledFilter filter =
        compiler.compileOwn(new FilterNode.Equality("member", bytes("uid=late,o=x")));
    EntryMatch test = EntryMatch.inSlices(filter, 50);
    FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
    EntryView view = new EntryView();
    try (InMemoryBackend one = new InMemoryBackend(SCHEMA, List.of(before));
        InMemoryBackend other = new InMemoryBackend(SCHEMA, List.of(after));
        ReadTransaction first = one.beginRead();
        ReadTransaction second = other.beginRead()) {
      first.read(1, view);
      assertThat(matcher.match(test, view, first.attributes(), first::hasSubordinates, OVER))
          .isNull();
      second.read(1, view);
      assertThat(inSlices(test, view, second, new int[1])).isEqualTo(Ternary.TRUE);
      int tries = 0;
      while (!test.isHopeless()) {
        (tries++ % 2 == 0 ? first : second).read(1, view);
        assertThat(matcher.match(test, view, first.attributes(), first::hasSubordinates, OVER))
            .isNull();
      }
      assertThat(tries).isBetween(10, 100);
    }
  }

  @Test
  void shouldDoOnceWhatIsTheSame() throws Exception {
    List<FilterNode> names = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      names.add(new FilterNode.Extensible("2.5.13.1", null, bytes("uid=no" + i + ",o=x"), false));
      names.add(new FilterNode.Extensible("2.5.13.1", null, bytes("o=x"), false));
    }
    CompiledFilter filter = compiler.compileOwn(new FilterNode.Or(names));
    FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
    EntryView view = new EntryView();
    try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, List.of(group(1000)));
        ReadTransaction read = backend.beginRead()) {
      read.read(1, view);
      EntryMatch test = new EntryMatch(filter);
      assertThat(matcher.match(test, view, read.attributes(), _ -> false, Pace.UNBOUNDED))
          .isEqualTo(Ternary.FALSE);
      assertThat(matcher.tests()).isLessThan(50_000);
    }
  }

  /** Returns parts of one filter, of a kind. */
  private static List<FilterNode> parts(int kind) {
    List<FilterNode> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      String text = "a" + Integer.toString(i, 26).replaceAll("[0-9]", "x");
      parts.add(
          switch (kind) {
            case 0 -> new FilterNode.Present("createTimestamp");
            case 1 -> new FilterNode.Present("cn;lang-" + text);
            case 2 -> new FilterNode.Equality("entryDN", bytes("cn=" + i));
            case 3 -> new FilterNode.Equality("description", bytes("same"));
            case 4 -> new FilterNode.Equality("cn;lang-" + text + i % 7, bytes("no"));
            case 5 -> new FilterNode.Substrings("sn", bytes("n" + i), List.of(), null);
            case 6 -> new FilterNode.Not(new FilterNode.Present("ou"));
            default ->
                new FilterNode.And(
                    List.of(new FilterNode.Present("l"), new FilterNode.Present("street")));
          });
    }
    return parts;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void shouldLookAtTheClockAsItPreparesManyParts(int kind) throws Exception {
    CompiledFilter filter = compiler.compileOwn(new FilterNode.Or(parts(kind)));
    int parts = filter instanceof CompiledFilter.Or or ? or.nodes().size() : 1;
    FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
    EntryView view = new EntryView();
    try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, List.of(group(1000)));
        ReadTransaction read = backend.beginRead()) {
      read.read(1, view);
      EntryMatch test = EntryMatch.inSlices(filter, TestRun.INTERVAL);
      Ternary expected = matcher.match(filter, view, read.attributes(), read::hasSubordinates);
      int[] first = new int[1];
      assertThat(inSlices(test, view, read, first)).isEqualTo(expected);
      int[] prepared = new int[1];
      assertThat(inSlices(test, view, read, prepared)).isEqualTo(expected);
      assertThat(parts).isEqualTo(PARTS);
      assertThat(first[0] - prepared[0]).isGreaterThan(PARTS / 64);
    }
  }
}
