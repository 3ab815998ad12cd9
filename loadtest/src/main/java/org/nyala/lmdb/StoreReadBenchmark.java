package org.nyala.lmdb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.DefaultIndexes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of the store for a request: a read by name, an equality search, an entry of a scan. On
 * 2,000 people in a real LMDB file. Confined to the benchmark's thread.
 */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StoreReadBenchmark {
  private static final int PEOPLE = 2_000;
  private static final int ENTRIES = PEOPLE + 1;
  private static final String SUFFIX = "dc=example,dc=com";

  /** The number of searches that the store remembers; 0: the store searches its trees each time. */
  @Param("131072")
  public int rememberedSearches;

  private final Schema schema = SchemaLoader.standard();
  private final EntryView view = new EntryView();
  private final Dn[] names = new Dn[PEOPLE];
  private final CompiledFilter[] filters = new CompiledFilter[PEOPLE];
  private @Nullable CompiledFilter everything;
  private @Nullable Dn suffix;
  private @Nullable Path directory;
  private @Nullable LmdbBackend backend;
  private int turn;

  /** Fills a store in a temporary directory. */
  @Setup(Level.Trial)
  public void fill() throws IOException, InvalidDnException, FilterLimitException {
    Path target = Files.createTempDirectory("nyala-benchmark");
    directory = target;
    LmdbSettings settings =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(1L << 30)
            .with(draft -> draft.rememberedSearches = rememberedSearches);
    LmdbBackend.create(target, schema, List.of(SUFFIX), DefaultIndexes.of(schema), settings);
    FilterCompiler compiler = new FilterCompiler(schema, type -> !type.isSecret(), 10, 10);
    suffix = DnParser.parse(schema, SUFFIX);
    everything = compiler.compileOwn(new FilterNode.Present("objectClass"));
    LmdbBackend opened = LmdbBackend.open(target, schema, settings);
    try (WriteTransaction writer = opened.beginWrite()) {
      Entry top = entry(Objects.requireNonNull(suffix), "objectClass", "domain", "dc", "example");
      writer.apply(new ResolvedChange.Add(top));
      for (int i = 0; i < PEOPLE; i++) {
        String uid = "user." + i;
        names[i] = DnParser.parse(schema, "uid=" + uid + "," + SUFFIX);
        filters[i] = compiler.compileOwn(new FilterNode.Equality("uid", bytes(uid)));
        writer.apply(new ResolvedChange.Add(person(names[i], uid)));
      }
      writer.commit();
    }
    backend = opened;
  }

  private Entry person(Dn dn, String uid) {
    return entry(
        dn,
        "objectClass",
        "inetOrgPerson",
        "uid",
        uid,
        "cn",
        "Some " + uid,
        "sn",
        "Body",
        "mail",
        uid + "@example.com",
        "description",
        "A person whose description makes the entry about as long as usual. ".repeat(5));
  }

  private Entry entry(Dn dn, String... namesAndValues) {
    Entry entry = new Entry(dn);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      AttributeDescription name = AttributeDescription.parse(schema, namesAndValues[i]);
      entry.add(Objects.requireNonNull(name), bytes(namesAndValues[i + 1]));
    }
    return entry;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @TearDown(Level.Trial)
  public void remove() throws IOException {
    backend().close();
    try (Stream<Path> files = Files.walk(Objects.requireNonNull(directory))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private LmdbBackend backend() {
    return Objects.requireNonNull(backend);
  }

  private int nextPerson() {
    turn = turn == PEOPLE - 1 ? 0 : turn + 1;
    return turn;
  }

  /** Finds an entry by its name and reads it. */
  @Benchmark
  public int pointRead() {
    try (ReadTransaction read = backend().beginRead()) {
      long id = read.find(names[nextPerson()]);
      if (!read.read(id, view)) {
        throw new IllegalStateException("entry " + id + " is missing");
      }
      return view.recordLength();
    }
  }

  /** Finds the base, then the one entry with a uid below it. */
  @Benchmark
  public int equalitySearch() {
    return search(filters[nextPerson()], 1);
  }

  /** One entry of a scan of everything. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int scannedEntry() {
    return search(Objects.requireNonNull(everything), ENTRIES);
  }

  private int search(CompiledFilter filter, int expected) {
    int found = 0;
    try (ReadTransaction read = backend().beginRead()) {
      long base = read.find(Objects.requireNonNull(suffix));
      SearchSpec spec =
          new SearchSpec(base, org.nyala.core.message.Scope.SUBTREE, filter, false, false);
      try (EntryCursor cursor = read.search(spec, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          found++;
        }
      }
    }
    if (found != expected) {
      throw new IllegalStateException(found + " entries instead of " + expected);
    }
    return found;
  }
}
