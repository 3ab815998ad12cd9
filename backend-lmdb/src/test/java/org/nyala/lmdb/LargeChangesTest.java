package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.TestStore.SCHEMA;
import static org.nyala.lmdb.TestStore.SUFFIX;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/** Random changes of attributes that cross the bounds for values in records, both ways. */
final class LargeChangesTest {
  private static final LmdbSettings SETTINGS =
      TestStore.SETTINGS.with(draft -> draft.large = new LargeThresholds(8, 1024));
  private static final List<String> ATTRIBUTES =
      List.of("member", "memberUid", "description", "description;lang-en", "title");

  @TempDir Path directory;
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);

  /** Entry name, attribute, normal form of the value, value as presented. */
  private Map<String, Map<String, Map<String, String>>> entries = new TreeMap<>();

  private static List<IndexDefinition> indexes() {
    return List.of(
        IndexDefinition.parse(SCHEMA, "member", "eq,pres"),
        IndexDefinition.parse(SCHEMA, "memberUid", "eq,sub,pres"),
        IndexDefinition.parse(SCHEMA, "description", "eq,sub,pres"),
        IndexDefinition.parse(SCHEMA, "title", "sub"),
        IndexDefinition.parse(SCHEMA, "objectClass", "eq"));
  }

  private static Dn dn(String name) {
    return TestStore.dn("cn=" + name + "," + SUFFIX);
  }

  private static AttributeDescription description(String name) {
    AttributeDescription parsed = AttributeDescription.parse(SCHEMA, name);
    assertThat(parsed).isNotNull();
    return parsed;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private String value(String attribute) {
    String word = TestStore.WORDS.get(random.nextInt(TestStore.WORDS.size()));
    String number = word + random.nextInt(60);
    return switch (attribute) {
      case "member" -> "uid=" + number + "," + SUFFIX;
      case "description" -> random.nextInt(4) == 0 ? number + " " + "long".repeat(150) : number;
      default -> number;
    };
  }

  /** A normal form for the oracle: all values are in ASCII except for one letter. */
  private static String normal(String attribute, String value) {
    return attribute.equals("memberUid") ? value : value.toLowerCase(Locale.ROOT);
  }

  private void putSome(Map<String, String> values, String attribute, int count) {
    for (int i = 0; i < count; i++) {
      String value = value(attribute);
      values.putIfAbsent(normal(attribute, value), value);
    }
  }

  @Test
  void shouldHoldWhatAModelHoldsAfterAnyChanges() {
    LmdbBackend.create(directory, SCHEMA, List.of(SUFFIX), indexes(), SETTINGS);
    try (LmdbBackend backend = LmdbBackend.open(directory, SCHEMA, SETTINGS)) {
      addTop(backend);
      for (int round = 0; round < 120; round++) {
        Map<String, Map<String, Map<String, String>>> before = copy(entries);
        boolean isKept = random.nextInt(6) > 0;
        try (WriteTransaction write = backend.beginWrite()) {
          for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            change(write);
          }
          if (isKept) {
            write.commit();
          }
        }
        entries = isKept ? entries : before;
        check(backend, round);
      }
    }
    assertThat(Verification.verify(directory, SCHEMA, 5).problems()).as("seed %d", seed).isEmpty();
  }

  private static Map<String, Map<String, Map<String, String>>> copy(
      Map<String, Map<String, Map<String, String>>> source) {
    Map<String, Map<String, Map<String, String>>> copy = new TreeMap<>();
    source.forEach(
        (name, attributes) -> {
          Map<String, Map<String, String>> inner = new TreeMap<>();
          attributes.forEach((attribute, values) -> inner.put(attribute, new TreeMap<>(values)));
          copy.put(name, inner);
        });
    return copy;
  }

  private static void addTop(LmdbBackend backend) {
    Entry top = new Entry(TestStore.dn(SUFFIX));
    TestStore.add(top, "objectClass", "domain");
    TestStore.add(top, "dc", "example");
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(top));
      write.commit();
    }
  }

  private void change(WriteTransaction write) {
    String name = "g" + random.nextInt(5);
    Map<String, Map<String, String>> entry = entries.get(name);
    if (entry == null) {
      add(write, name);
      return;
    }
    long id = write.find(dn(name));
    switch (random.nextInt(12)) {
      case 0 -> {
        write.apply(new ResolvedChange.Delete(dn(name), id));
        entries.remove(name);
      }
      case 1 -> rename(write, name, id, entry);
      default -> write.apply(new ResolvedChange.Modify(dn(name), id, changes(entry)));
    }
  }

  private void add(WriteTransaction write, String name) {
    Map<String, Map<String, String>> model = new TreeMap<>();
    Entry entry = new Entry(dn(name));
    TestStore.add(entry, "objectClass", "groupOfNames");
    for (String attribute : ATTRIBUTES) {
      Map<String, String> values = new TreeMap<>();
      putSome(values, attribute, random.nextInt(3) * random.nextInt(12));
      if (!values.isEmpty()) {
        model.put(attribute, values);
        values.values().forEach(value -> TestStore.add(entry, attribute, value));
      }
    }
    write.apply(new ResolvedChange.Add(entry));
    entries.put(name, model);
  }

  private void rename(
      WriteTransaction write, String name, long id, Map<String, Map<String, String>> entry) {
    String other = "g" + random.nextInt(5);
    if (!other.equals(name) && !entries.containsKey(other)) {
      write.apply(new ResolvedChange.Rename(dn(name), id, dn(other), changes(entry)));
      entries.put(other, entry);
      entries.remove(name);
    }
  }

  private List<AttributeChange> changes(Map<String, Map<String, String>> entry) {
    List<AttributeChange> changes = new ArrayList<>();
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      String attribute = ATTRIBUTES.get(random.nextInt(ATTRIBUTES.size()));
      Map<String, String> values = entry.computeIfAbsent(attribute, _ -> new TreeMap<>());
      changes.add(random.nextInt(5) == 0 ? replace(attribute, values) : update(attribute, values));
      if (values.isEmpty()) {
        entry.remove(attribute);
      }
    }
    return changes;
  }

  private AttributeChange replace(String attribute, Map<String, String> values) {
    values.clear();
    putSome(values, attribute, random.nextInt(3) * random.nextInt(15));
    return new AttributeChange.Replaced(description(attribute), bytes(values));
  }

  private static List<byte[]> bytes(Map<String, String> values) {
    return values.values().stream().map(LargeChangesTest::utf8).toList();
  }

  private AttributeChange update(String attribute, Map<String, String> values) {
    List<byte[]> removed = new ArrayList<>();
    List<byte[]> added = new ArrayList<>();
    boolean isShrinking = random.nextBoolean();
    for (String normal : new ArrayList<>(values.keySet())) {
      if (random.nextInt(10) < (isShrinking ? 6 : 1)) {
        String value = values.remove(normal);
        boolean isOtherCase = !attribute.equals("memberUid") && random.nextBoolean();
        removed.add(utf8(isOtherCase ? value.toUpperCase(Locale.ROOT) : value));
        if (random.nextInt(4) == 0) {
          // Removed and added at once: presented in another way afterwards.
          String again = isOtherCase ? value.toUpperCase(Locale.ROOT) : value;
          values.put(normal, again);
          added.add(utf8(again));
        }
      }
    }
    Map<String, String> fresh = new TreeMap<>();
    putSome(fresh, attribute, random.nextInt(isShrinking ? 3 : 9));
    fresh.forEach(
        (normal, value) -> {
          if (values.putIfAbsent(normal, value) == null) {
            added.add(utf8(value));
          }
        });
    return new AttributeChange.Updated(description(attribute), removed, added);
  }

  private void check(LmdbBackend backend, int round) {
    try (ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      for (int i = 0; i < 5; i++) {
        String name = "g" + i;
        long id = read.find(dn(name));
        assertThat(id != 0)
            .as("seed %d round %d", seed, round)
            .isEqualTo(entries.containsKey(name));
        if (id != 0) {
          assertThat(read.read(id, view)).isTrue();
          checkEntry(read, view, name, round);
        }
      }
      for (int i = 0; i < 20; i++) {
        checkFilter(read, randomFilter(), round);
      }
    }
    assertThat(Verification.verify(backend.environment(), SCHEMA, 5).problems())
        .as("seed %d round %d", seed, round)
        .isEmpty();
  }

  private void checkEntry(ReadTransaction read, EntryView view, String name, int round) {
    Map<String, Map<String, String>> shown = new TreeMap<>();
    ValueCursor cursor = new ValueCursor();
    boolean isAnyApart = false;
    for (int index = 0; index < view.attributeCount(); index++) {
      String attribute = read.attributes().description(view.attributeId(index)).name();
      Map<String, String> values = new TreeMap<>();
      isAnyApart |= view.isApart(index);
      cursor.open(view, index);
      while (cursor.next()) {
        String value = new String(cursor.value(), StandardCharsets.UTF_8);
        values.put(normal(attribute, value), value);
      }
      if (view.isApart(index)) {
        assertThat(values.size()).as("seed %d round %d", seed, round).isGreaterThanOrEqualTo(4);
      } else {
        assertThat(values.size()).as("seed %d round %d", seed, round).isBetween(1, 8);
      }
      shown.put(attribute, values);
    }
    shown.remove("objectClass");
    assertThat(shown).as("seed %d round %d", seed, round).isEqualTo(entries.get(name));
    assertThat((view.flags() & EntryRecord.LARGE) != 0).isEqualTo(isAnyApart);
  }

  private FilterNode randomFilter() {
    String attribute = ATTRIBUTES.get(random.nextInt(ATTRIBUTES.size()));
    return switch (random.nextInt(3)) {
      case 0 -> new FilterNode.Present(attribute);
      case 1 -> new FilterNode.Equality(attribute, utf8(value(attribute)));
      default -> {
        String word = TestStore.WORDS.get(random.nextInt(TestStore.WORDS.size()));
        yield new FilterNode.Substrings(
            attribute.equals("member") ? "title" : attribute,
            null,
            List.of(utf8(word + random.nextInt(10))),
            null);
      }
    };
  }

  /** Compares the entries found by the index with those found by testing every entry. */
  private void checkFilter(ReadTransaction read, FilterNode node, int round) {
    CompiledFilter filter = compile(node);
    assertThat(found(read, filter, filter))
        .as("seed %d round %d %s", seed, round, node)
        .isEqualTo(found(read, filter, CompiledFilter.Constant.TRUE));
  }

  private static CompiledFilter compile(FilterNode node) {
    try {
      return new FilterCompiler(SCHEMA, _ -> true, 10, 100).compileOwn(node);
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Set<Long> found(
      ReadTransaction read, CompiledFilter filter, CompiledFilter candidates) {
    FilterMatcher matcher = new FilterMatcher(SCHEMA, _ -> true);
    long base = read.find(TestStore.dn(SUFFIX));
    Set<Long> found = new TreeSet<>();
    EntryView view = new EntryView();
    try (EntryCursor cursor =
        read.search(new SearchSpec(base, Scope.SUBTREE, candidates, false, false), 0)) {
      boolean isExact = cursor.isExact() && candidates == filter;
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        if (isExact
            || matcher.match(filter, view, read.attributes(), read::hasSubordinates)
                == Ternary.TRUE) {
          found.add(view.id());
        }
      }
    }
    return found;
  }
}
