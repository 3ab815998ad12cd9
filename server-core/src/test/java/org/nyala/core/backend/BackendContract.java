package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** The contract of every {@link Backend}; each kind has a test class that extends this one. */
public abstract class BackendContract {
  /** The schema of the entries: the bundled one. */
  public static final Schema SCHEMA = SchemaLoader.standard();

  private static final AttributeSelection.Visibility VISIBLE = type -> !type.isSecret();

  private static final List<Scope> SCOPES = List.of(Scope.values());

  private final FilterCompiler compiler = new FilterCompiler(SCHEMA, VISIBLE, 64, 4096);
  private final FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
  private final EntryView view = new EntryView();

  /**
   * Opens a store that holds the given entries, parents before children, with ids in ascending
   * order; the test closes it.
   */
  protected abstract Backend open(List<Entry> entries);

  private static List<Entry> directory(long seed, int count) {
    return new RandomDirectory(SCHEMA, seed).withSpecialEntries().entries(count);
  }

  private static long seed() {
    return Long.getLong("test.seed", 1L);
  }

  @Test
  void shouldKeepTheMarkOfALogWithTheChangesOfItsTransaction() {
    LogMark mark = new LogMark(2, 41, "ab".repeat(LogMark.CHAIN_DIGITS / 2));
    LogMark later = new LogMark(3, 42, "cd".repeat(LogMark.CHAIN_DIGITS / 2));
    List<Entry> entries = directory(seed(), 5);
    try (Backend backend = open(entries)) {
      long next;
      try (WriteTransaction write = backend.beginWrite()) {
        assertThat(write.logMark()).isNull();
        next = write.nextEntryId();
        Entry added = new Entry(dn("ou=added,dc=example,dc=com"));
        AttributeDescription name = AttributeDescription.parse(SCHEMA, "ou");
        added.add(name, "added".getBytes(StandardCharsets.UTF_8));
        assertThat(write.apply(new ResolvedChange.Add(added), new Csn(1, 0, 1, 0))).isEqualTo(next);
        write.note(mark);
        write.commit();
      }
      try (WriteTransaction write = backend.beginWrite()) {
        assertThat(write.nextEntryId()).isEqualTo(next + 1);
        write.note(later);
        assertThat(write.logMark()).isEqualTo(later);
      }
      try (WriteTransaction write = backend.beginWrite()) {
        assertThat(write.logMark()).isEqualTo(mark);
        assertThat(write.nextEntryId()).isEqualTo(next + 1);
      }
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.logMark()).isEqualTo(mark);
      }
    }
  }

  @Test
  void shouldNameTheTopOfWhatItHolds() {
    try (Backend backend = open(directory(seed(), 5))) {
      assertThat(backend.namingContexts()).containsExactly(dn("dc=example,dc=com"));
    }
  }

  @Test
  void shouldFindEveryEntryByItsName() {
    List<Entry> entries = directory(seed(), 200);
    try (Backend backend = open(entries);
        ReadTransaction read = backend.beginRead()) {
      long before = ReadTransaction.NO_ENTRY;
      for (Entry entry : entries) {
        long id = read.find(entry.dn());
        assertThat(id).as("id of %s", entry.dn()).isGreaterThan(before);
        before = id;
        assertThat(read.find(dn(entry.dn().toString().toUpperCase(Locale.ROOT)))).isEqualTo(id);
        assertThat(read.distanceToNearest(entry.dn())).isZero();
        Dn below = dn("cn=a,cn=b," + entry.dn());
        assertThat(read.find(below)).isEqualTo(ReadTransaction.NO_ENTRY);
        assertThat(read.distanceToNearest(below)).isEqualTo(2);
      }
      assertThat(read.distanceToNearest(dn("dc=example,dc=org"))).isEqualTo(-1);
      assertThat(read.distanceToNearest(dn("dc=com"))).isEqualTo(-1);
    }
  }

  @Test
  void shouldReadEntriesAsTheyWereStored() {
    List<Entry> entries = directory(seed(), 200);
    try (Backend backend = open(entries);
        ReadTransaction read = backend.beginRead()) {
      for (Entry entry : entries) {
        long id = read.find(entry.dn());
        assertThat(read.read(id, view)).isTrue();
        assertThat(view.id()).isEqualTo(id);
        assertThat(new String(view.dn(), StandardCharsets.UTF_8)).isEqualTo(entry.dn().toString());
        assertThat(view.parentId()).isEqualTo(read.find(entry.dn().parent()));
        assertThat(view.flags()).isEqualTo(InMemoryBackend.flags(entry));
        assertThat(stored(view, read.attributes())).isEqualTo(content(entry));
      }
      assertThat(read.read(0, view)).isFalse();
      assertThat(read.read(1L << 40, view)).isFalse();
    }
  }

  private static Map<String, List<String>> stored(EntryView view, AttributeTable table) {
    TreeMap<String, List<String>> content = new TreeMap<>();
    ValueCursor values = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      List<String> texts = new ArrayList<>();
      values.open(view, i);
      while (values.next()) {
        texts.add(new String(values.value(), StandardCharsets.UTF_8));
      }
      content.put(table.description(view.attributeId(i)).name(), texts);
    }
    return content;
  }

  private static Map<String, List<String>> content(Entry entry) {
    TreeMap<String, List<String>> content = new TreeMap<>();
    for (AttributeDescription description : entry.descriptions()) {
      List<String> texts = new ArrayList<>();
      for (byte[] value : entry.values(description)) {
        texts.add(new String(value, StandardCharsets.UTF_8));
      }
      content.put(description.name(), texts);
    }
    return content;
  }

  @Test
  void shouldKnowWhichEntriesHaveSubordinates() {
    List<Entry> entries = directory(seed(), 200);
    TreeSet<String> parents = new TreeSet<>();
    entries.forEach(entry -> parents.add(text(entry.dn().parent())));
    try (Backend backend = open(entries);
        ReadTransaction read = backend.beginRead()) {
      for (Entry entry : entries) {
        assertThat(read.hasSubordinates(read.find(entry.dn())))
            .as("%s", entry.dn())
            .isEqualTo(parents.contains(text(entry.dn())));
      }
    }
  }

  private static String text(Dn dn) {
    return new String(dn.normalized(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldSearchLikeBruteForce() throws FilterLimitException {
    long first = seed();
    for (long seed = first; seed < first + 4; seed++) {
      List<Entry> entries = directory(seed, 120);
      ReferenceFilter reference = new ReferenceFilter(SCHEMA, VISIBLE, entries);
      RandomFilters filters = new RandomFilters(entries, seed);
      Random random = new Random(seed);
      try (Backend backend = open(entries);
          ReadTransaction read = backend.beginRead()) {
        for (int i = 0; i < 100; i++) {
          Entry base = entries.get(random.nextInt(3) == 0 ? 0 : random.nextInt(entries.size()));
          Search search =
              new Search(
                  base,
                  SCOPES.get(random.nextInt(4)),
                  filters.next(4),
                  random.nextBoolean(),
                  random.nextBoolean(),
                  1 + random.nextInt(20));
          assertThat(found(read, search))
              .as("test.seed=%d, search %d: %s below %s", seed, i, search, base.dn())
              .isEqualTo(expected(reference, entries, read, search));
        }
      }
    }
  }

  private record Search(
      Entry base,
      Scope scope,
      FilterNode filter,
      boolean withReferrals,
      boolean withAliases,
      int examineLimit) {}

  private static List<Long> expected(
      ReferenceFilter reference, List<Entry> entries, ReadTransaction read, Search search) {
    List<Long> ids = new ArrayList<>();
    for (Entry entry : entries) {
      int flags = InMemoryBackend.flags(entry);
      boolean always =
          (search.withReferrals() && (flags & EntryRecord.REFERRAL) != 0)
              || (search.withAliases() && (flags & EntryRecord.ALIAS) != 0);
      if (isInScope(search, entry)
          && (always || reference.value(search.filter(), entry) == Ternary.TRUE)) {
        ids.add(read.find(entry.dn()));
      }
    }
    return ids;
  }

  private static boolean isInScope(Search search, Entry entry) {
    Dn base = search.base().dn();
    return switch (search.scope()) {
      case BASE -> entry.dn().equals(base);
      case ONE_LEVEL -> entry.dn().rdnCount() > 1 && entry.dn().parent().equals(base);
      case SUBTREE -> entry.dn().isWithin(base);
      case SUBORDINATE -> entry.dn().isWithin(base) && !entry.dn().equals(base);
    };
  }

  /** Walks in slices: the cursor is reopened after every entry and every limit. */
  private List<Long> found(ReadTransaction read, Search search) throws FilterLimitException {
    CompiledFilter filter = compiler.compileOwn(search.filter());
    SearchSpec spec =
        new SearchSpec(
            read.find(search.base().dn()),
            search.scope(),
            filter,
            search.withReferrals(),
            search.withAliases());
    List<Long> ids = new ArrayList<>();
    long position = 0;
    for (; ; ) {
      try (EntryCursor cursor = read.search(spec, position)) {
        EntryCursor.Step step = cursor.next(view, search.examineLimit());
        if (step == EntryCursor.Step.END) {
          return ids;
        }
        assertThat(cursor.position()).isGreaterThan(position);
        assertThat(cursor.examined()).isBetween(1L, (long) search.examineLimit());
        position = cursor.position();
        if (step == EntryCursor.Step.ENTRY) {
          assertThat(view.id()).isEqualTo(position);
          if (isMatch(read, search, filter, cursor.isExact())) {
            ids.add(view.id());
          }
        }
      }
    }
  }

  private boolean isMatch(
      ReadTransaction read, Search search, CompiledFilter filter, boolean exact) {
    boolean always =
        (search.withReferrals() && (view.flags() & EntryRecord.REFERRAL) != 0)
            || (search.withAliases() && (view.flags() & EntryRecord.ALIAS) != 0);
    return always
        || exact
        || matcher.match(filter, view, read.attributes(), read::hasSubordinates) == Ternary.TRUE;
  }

  @Test
  void shouldWalkInOneGoAsInSlices() throws FilterLimitException {
    List<Entry> entries = directory(seed(), 200);
    CompiledFilter all = compiler.compileOwn(new FilterNode.Present("objectClass"));
    try (Backend backend = open(entries);
        ReadTransaction read = backend.beginRead()) {
      long top = read.find(entries.getFirst().dn());
      SearchSpec spec = new SearchSpec(top, Scope.SUBTREE, all, false, false);
      List<Long> ids = new ArrayList<>();
      try (EntryCursor cursor = read.search(spec, 0)) {
        while (cursor.next(view, 1000) == EntryCursor.Step.ENTRY) {
          ids.add(view.id());
        }
      }
      List<Long> expected = new ArrayList<>();
      entries.forEach(entry -> expected.add(read.find(entry.dn())));
      assertThat(ids).isEqualTo(expected);
    }
  }

  private static Dn dn(String text) {
    return RandomDirectory.dn(SCHEMA, text);
  }
}
