package org.nyala.loadtest.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/** Compares the caching store with LMDB's, both loaded from the same LDIF. */
class CachingBackendTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final ExtendedSchema DEFINITIONS = ExtendedSchema.of(SCHEMA);
  private static final List<Scope> SCOPES = List.of(Scope.values());
  private static final long CACHE_BYTES = 16L << 20;
  private static final int CACHED = 7;

  @TempDir Path temporary;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final FilterCompiler compiler =
      new FilterCompiler(SCHEMA, type -> !type.isSecret(), 64, 4096);
  private final FilterMatcher matcher = new FilterMatcher(SCHEMA, type -> !type.isSecret());
  private final EntryView view = new EntryView();

  private List<Entry> entries;
  private Path ldif;
  private Path folder;

  @BeforeEach
  void writeLdif() throws IOException {
    entries = new RandomDirectory(SCHEMA, seed).withSpecialEntries().entries(400);
    ldif = temporary.resolve("entries.ldif");
    folder = temporary.resolve("caching");
    try (LdifWriter writer =
        new LdifWriter(Files.newOutputStream(ldif), LdifWriter.DEFAULT_COLUMNS)) {
      for (Entry entry : entries) {
        writer.dn(entry.dn().raw());
        for (AttributeDescription description : entry.descriptions()) {
          for (byte[] value : entry.values(description)) {
            byte[] name = description.name().getBytes(StandardCharsets.UTF_8);
            writer.attribute(name, value, 0, value.length);
          }
        }
        writer.end();
      }
    }
  }

  private ImportResult load() {
    return CachingLoad.run(
        DEFINITIONS, List.of(ImportSource.file(ldif)), folder, CACHE_BYTES, _ -> {});
  }

  private CachingBackend open() {
    return CachingBackend.open(folder, SCHEMA, CACHED, CACHE_BYTES);
  }

  private LmdbBackend openLmdb() {
    Path other = temporary.resolve("lmdb");
    LmdbSettings settings = LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20);
    new LdifImport(
            DEFINITIONS,
            ImportSettings.defaults(SCHEMA).with(draft -> draft.lmdb = settings),
            _ -> {},
            InstantSource.system(),
            System::nanoTime)
        .run(List.of(ImportSource.file(ldif)), other);
    return LmdbBackend.open(other, SCHEMA, settings);
  }

  @Test
  void shouldAnswerSearchesLikeLmdb() throws Exception {
    assertThat(load().entriesRejected()).isZero();
    RandomFilters filters = new RandomFilters(entries, seed);
    try (LmdbBackend lmdb = openLmdb();
        CachingBackend caching = open()) {
      assertThat(caching.namingContexts()).isEqualTo(lmdb.namingContexts());
      assertThat(caching.size()).isEqualTo(entries.size());
      for (int i = 0; i < 400; i++) {
        Dn base = entries.get(random.nextInt(3) == 0 ? 0 : random.nextInt(entries.size())).dn();
        FilterNode filter = filters.next(4);
        Search search =
            new Search(
                base,
                SCOPES.get(random.nextInt(4)),
                compiler.compileOwn(filter),
                random.nextBoolean(),
                random.nextBoolean(),
                1 + random.nextInt(20));
        assertThat(found(caching, search))
            .as("test.seed=%d, search %d: %s, %s", seed, i, filter, search)
            .isEqualTo(found(lmdb, search));
        assertThat(caching.cache().size()).isLessThanOrEqualTo(CACHED);
      }
    }
  }

  private record Search(
      Dn base,
      Scope scope,
      CompiledFilter filter,
      boolean withReferrals,
      boolean withAliases,
      int examineLimit) {}

  /** Walks in slices, each in a transaction of its own; returns DNs and attributes. */
  private List<String> found(Backend backend, Search search) {
    List<String> found = new ArrayList<>();
    long position = 0;
    for (; ; ) {
      try (ReadTransaction read = backend.beginRead();
          EntryCursor cursor = read.search(spec(read, search), position)) {
        EntryCursor.Step step = cursor.next(view, search.examineLimit());
        if (step == EntryCursor.Step.END) {
          return found;
        }
        assertThat(cursor.position()).isGreaterThan(position);
        position = cursor.position();
        if (step == EntryCursor.Step.ENTRY && isMatch(read, search, cursor.isExact())) {
          found.add(text());
        }
      }
    }
  }

  private static SearchSpec spec(ReadTransaction read, Search search) {
    return new SearchSpec(
        read.find(search.base()),
        search.scope(),
        search.filter(),
        search.withReferrals(),
        search.withAliases());
  }

  private boolean isMatch(ReadTransaction read, Search search, boolean isExact) {
    boolean isKept =
        search.withReferrals() && (view.flags() & EntryRecord.REFERRAL) != 0
            || search.withAliases() && (view.flags() & EntryRecord.ALIAS) != 0;
    return isKept
        || isExact
        || matcher.match(search.filter(), view, read.attributes(), read::hasSubordinates)
            == Ternary.TRUE;
  }

  /** Returns id, parent, DN and user attributes. */
  private String text() {
    int start = view.attributeStart(0);
    byte[] user = new byte[view.attributeEnd(view.userAttributeCount() - 1) - start];
    view.buffer().get(start, user);
    return view.id()
        + " "
        + view.parentId()
        + " "
        + new String(view.dn(), StandardCharsets.UTF_8)
        + " "
        + new String(user, StandardCharsets.ISO_8859_1);
  }

  @Test
  void shouldFindEntriesByNameLikeLmdb() {
    load();
    try (LmdbBackend lmdb = openLmdb();
        CachingBackend caching = open();
        ReadTransaction expected = lmdb.beginRead();
        ReadTransaction read = caching.beginRead()) {
      for (Entry entry : entries) {
        Dn below = entry.dn().under(entry.dn());
        assertThat(read.find(entry.dn())).isEqualTo(expected.find(entry.dn())).isPositive();
        for (Dn name : List.of(entry.dn(), entry.dn().parent(), below)) {
          assertThat(read.find(name)).isEqualTo(expected.find(name));
          assertThat(read.distanceToNearest(name)).isEqualTo(expected.distanceToNearest(name));
        }
        long id = read.find(entry.dn());
        assertThat(read.hasSubordinates(id)).isEqualTo(expected.hasSubordinates(id));
        assertThat(read.read(id, view)).isTrue();
        String text = text();
        assertThat(expected.read(id, view)).isTrue();
        assertThat(text).isEqualTo(text());
      }
      assertThat(read.read(entries.size() + 1, view)).isFalse();
      assertThat(read.mayHoldReferralsOrAliases()).isTrue();
    }
  }

  @Test
  void shouldOpenAgainAndChangeNothing() {
    load();
    for (int i = 0; i < 2; i++) {
      try (CachingBackend caching = open()) {
        assertThat(caching.size()).isEqualTo(entries.size());
        assertThatThrownBy(caching::beginWrite).isInstanceOf(StoreUnavailableException.class);
      }
    }
    assertThatThrownBy(this::load)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("already");
  }

  @Test
  void shouldExplainFoldersWithoutACompleteStore() throws Exception {
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("holds no caching store")
        .hasMessageContaining("caching load");
    Files.createDirectory(folder);
    assertThatThrownBy(this::open).hasMessageContaining("holds no caching store");
    Files.writeString(ldif, "");
    assertThatThrownBy(this::load).hasMessageContaining("no entries");
    assertThatThrownBy(this::open).hasMessageContaining("a load that did not end?");
  }

  @Test
  void shouldRefuseADamagedStore() throws Exception {
    load();
    Path log = folder.resolve("00000000.jdb");
    byte[] bytes = Files.readAllBytes(log);
    Arrays.fill(bytes, 0, 64, (byte) 'x');
    Files.write(log, bytes);
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot open the caching store in " + folder);
  }
}
