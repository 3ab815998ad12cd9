package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;

class IndexOrderTest {
  @TempDir Path directory;

  private static AttributeSelector selector(String attribute) {
    return new AttributeSelector(AttributeDescription.parse(TestStore.SCHEMA, attribute));
  }

  private static MatchingRule rule(String attribute) {
    AttributeType type = TestStore.SCHEMA.attributeType(attribute);
    return type.ordering() != null ? type.ordering() : type.equality();
  }

  /** Returns every value as far as it is compared, in hexadecimal, with its entries; in order. */
  private static List<Map.Entry<String, Set<Long>>> expected(TestStore store, String attribute) {
    Map<String, Set<Long>> byValue =
        new TreeMap<>(Comparator.comparing(HexFormat.of()::parseHex, Arrays::compareUnsigned));
    AttributeDescription wanted = AttributeDescription.parse(TestStore.SCHEMA, attribute);
    store.entries.forEach(
        (id, entry) -> {
          for (byte[] value : values(entry, wanted)) {
            ByteAppender normal = new ByteAppender(16);
            if (rule(attribute).valueNormalizer().normalize(value, 0, value.length, normal)) {
              int length = Math.min(normal.length(), ValueOrder.COMPARED_BYTES);
              String compared = HexFormat.of().formatHex(normal.array(), 0, length);
              byValue.computeIfAbsent(compared, _ -> new TreeSet<>()).add(id);
            }
          }
        });
    return List.copyOf(byValue.entrySet());
  }

  private static List<byte[]> values(Entry entry, AttributeDescription wanted) {
    List<byte[]> values = new ArrayList<>();
    for (AttributeDescription description : entry.descriptions()) {
      if (description.isSubtypeOf(wanted)) {
        values.addAll(entry.values(description));
      }
    }
    return values;
  }

  @Test
  void shouldWalkEveryValueInOrderHoweverItIsSliced() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      for (String attribute : List.of("cn", "uid", "title", "createTimestamp", "uidNumber")) {
        List<Set<Long>> found = walk(backend, attribute, random);
        assertThat(found)
            .as("seed %d, %s", seed, attribute)
            .isEqualTo(expected(store, attribute).stream().map(Map.Entry::getValue).toList());
      }
    }
  }

  private static List<Set<Long>> walk(LmdbBackend backend, String attribute, Random random) {
    List<Set<Long>> found = new ArrayList<>();
    byte[] position = {};
    boolean isMore = true;
    while (isMore) {
      try (ReadTransaction read = backend.beginRead()) {
        ValueOrder order = read.valueOrder(selector(attribute), rule(attribute), position);
        for (int left = 2 + random.nextInt(40); isMore && left > 0; left--) {
          isMore = order.next();
          if (isMore) {
            if (order.startsValue()) {
              found.add(new TreeSet<>());
            }
            found.getLast().add(order.entryId());
          }
        }
        position = order.position();
      }
    }
    return found;
  }

  @Test
  void shouldHaveNoOrderWhereNoIndexHasIt() {
    TestStore store = TestStore.random(directory, new Random(Seeds.seed()), 100);
    try (LmdbBackend backend = store.open();
        ReadTransaction read = backend.beginRead()) {
      assertThat(order(read, "description", "caseIgnoreMatch")).isNull();
      assertThat(order(read, "cn", "caseExactOrderingMatch")).isNull();
      assertThat(order(read, "title;lang-en", "caseIgnoreOrderingMatch")).isNull();
      assertThat(order(read, "name", "caseIgnoreOrderingMatch")).isNull();
      assertThat(order(read, "cn", "caseIgnoreOrderingMatch")).isNotNull();
    }
  }

  private static ValueOrder order(ReadTransaction read, String attribute, String rule) {
    return read.valueOrder(selector(attribute), TestStore.SCHEMA.matchingRule(rule), new byte[0]);
  }

  @Test
  void shouldNumberSnapshotsByWhatTheyHold() {
    TestStore store = TestStore.random(directory, new Random(Seeds.seed()), 20);
    try (LmdbBackend backend = store.open()) {
      long before = snapshot(backend);
      assertThat(snapshot(backend)).isEqualTo(before);
      try (var write = backend.beginWrite()) {
        var top = TestStore.dn(TestStore.SUFFIX);
        write.apply(
            new ResolvedChange.Modify(top, write.find(top), List.of()), new Csn(1, 0, 1, 0));
        write.commit();
      }
      assertThat(snapshot(backend)).isGreaterThan(before);
    }
  }

  private static long snapshot(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.snapshot();
    }
  }
}
