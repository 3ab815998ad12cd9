package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.FilterOracle;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;
import org.nyala.lmdb.posting.PostingReader;

/** Filters that are made to cost much, in a store of 100,000 entries. */
class PlanBoundsTest {
  private static final int ENTRIES = 100_000;

  /** The number of nodes of a filter, as many as a server accepts by default. */
  private static final int NODES = 4000;

  /** The number of entries that a slice on an event loop examines. */
  private static final int SLICE = 256;

  /** The number of keys that may be looked at before the limit is noticed. */
  private static final int SLACK = 2 * PlanLimits.DEFAULT.stepKeys();

  private static final long KEYS = PlanLimits.DEFAULT.keys(ENTRIES) + SLACK;

  @TempDir static Path directory;
  private LmdbBackend backend;

  /** The account that searches are charged to, and the greatest amount that they held of it. */
  private @Nullable MemoryAccount account;

  private long mostHeld;

  /** The cost of a search. */
  private record Cost(long found, long examined, long keys, long lookups, long mostLookups) {}

  @BeforeAll
  static void fill() throws IOException {
    StringBuilder ldif = new StringBuilder(ImportTestCase.TOP);
    for (int i = 0; i < ENTRIES; i++) {
      ldif.append("dn: uid=u").append(i).append(",dc=example,dc=com\n");
      ldif.append("objectClass: account\nobjectClass: posixAccount\ncn: c\nuid: u").append(i);
      ldif.append("\nuidNumber: ").append(i).append("\ngidNumber: ").append(i % 100);
      ldif.append("\nhomeDirectory: /home\n\n");
    }
    Path file = Files.writeString(directory.resolve("in.ldif"), ldif);
    List<IndexDefinition> indexes =
        List.of(
            IndexDefinition.parse(TestStore.SCHEMA, "uid", "eq"),
            IndexDefinition.parse(TestStore.SCHEMA, "uidNumber", "eq"),
            IndexDefinition.parse(TestStore.SCHEMA, "gidNumber", "eq"));
    new LdifImport(
            ExtendedSchema.of(TestStore.SCHEMA),
            ImportTestCase.settings().with(draft -> draft.indexes = indexes),
            ImportProgress.SILENT,
            ImportTestCase.CLOCK,
            System::nanoTime)
        .run(List.of(ImportSource.file(file)), directory.resolve("data"));
  }

  private void open(long planMemoryBytes) {
    LmdbSettings settings =
        TestStore.SETTINGS.with(draft -> draft.planMemoryBytes = planMemoryBytes);
    backend = LmdbBackend.open(directory.resolve("data"), TestStore.SCHEMA, settings);
  }

  @AfterEach
  void close() {
    assertThat(backend.planMemory().takenBytes()).isZero();
    backend.close();
  }

  @Test
  void shouldLookAtFewKeysForManyRangesThatTheScanServesAsWell() {
    open(64 << 20);
    Cost ors =
        cost(new CompiledFilter.Or(parts(2400, i -> from("uidNumber", i))), Integer.MAX_VALUE);
    assertThat(ors.found()).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(ors.keys()).isLessThan(KEYS);
    Cost both =
        cost(
            new CompiledFilter.And(
                List.of(FilterOracle.equality("homeDirectory", "zzz"), from("uidNumber", 5))),
            Integer.MAX_VALUE);
    assertThat(both.examined()).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(both.keys()).isLessThan(KEYS);
  }

  @Test
  void shouldNotLookAtRangesBesideWhatIsRare() {
    open(64 << 20);
    Cost cost =
        cost(
            new CompiledFilter.And(
                List.of(from("uidNumber", 5), FilterOracle.equality("gidNumber", "7"))),
            Integer.MAX_VALUE);
    assertThat(cost.examined()).isEqualTo(ENTRIES / 100);
    assertThat(cost.keys()).isZero();
  }

  @Test
  void shouldCollectALargeRangeOnce() {
    open(64 << 20);
    int wanted = ENTRIES / 5;
    Cost cost = cost(from("uidNumber", ENTRIES - wanted), Integer.MAX_VALUE);
    assertThat(cost.found()).isEqualTo(wanted);
    assertThat(cost.keys()).isBetween((long) wanted, (long) wanted + SLACK);
    // Some entries are examined while the range is collected, all others are in it.
    assertThat(cost.examined()).isLessThan(wanted + wanted / 4);
  }

  @Test
  void shouldFindTheFirstOfManyWithoutCollectingAll() {
    open(64 << 20);
    Cost cost = cost(from("uidNumber", 5), 1);
    assertThat(cost.keys()).isLessThan(PlanLimits.DEFAULT.firstKeys() + SLACK);
    assertThat(cost.examined()).isLessThan(SLICE);
  }

  @Test
  void shouldTakeNoMoreMemoryThanOnePlanMay() {
    long bytes = 256 << 10;
    open(bytes);
    Cost same =
        cost(new CompiledFilter.Or(parts(NODES, _ -> from("gidNumber", 0))), Integer.MAX_VALUE);
    assertThat(same.found()).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(same.keys()).isLessThan(KEYS);
    List<CompiledFilter> nots =
        parts(NODES, i -> new CompiledFilter.Not(from("gidNumber", i % 90 - i / 90)));
    Cost none = cost(new CompiledFilter.And(nots), Integer.MAX_VALUE);
    assertThat(none.found()).isZero();
    assertThat(none.keys()).isLessThan(KEYS);
    Cost apart = cost(new CompiledFilter.Or(nots), Integer.MAX_VALUE);
    assertThat(apart.keys()).isLessThan(KEYS);
  }

  @Test
  void shouldPayForKeysThatWereLookedAtBeforeThereWasNoMemory() {
    open(64 << 10);
    Cost one = cost(from("gidNumber", 1), Integer.MAX_VALUE);
    int ranges = 90;
    List<CompiledFilter> nots =
        parts(ranges, i -> new CompiledFilter.Not(from("gidNumber", 1 + i)));
    Cost many = cost(new CompiledFilter.And(nots), Integer.MAX_VALUE);
    assertThat(one.keys()).isPositive();
    assertThat(many.keys()).isGreaterThan(one.keys() + ranges / 2);
  }

  @Test
  void shouldTakeNoMoreMemoryThanTheClientMay() {
    open(64 << 20);
    List<CompiledFilter> nots =
        parts(NODES, i -> new CompiledFilter.Not(from("gidNumber", i % 90 - i / 90)));
    CompiledFilter filter = new CompiledFilter.And(nots);
    assertThat(cost(filter, Integer.MAX_VALUE).found()).isZero();
    assertThat(mostHeld).isZero();
    long share = 2 * SteppedCharge.STEP_BYTES;
    MemoryBounds bounds = new MemoryBounds(64 << 20, 4 * share, share);
    MemoryBudget budget = new MemoryBudget(bounds, System::nanoTime);
    account = budget.open("somebody");
    assertThat(cost(filter, Integer.MAX_VALUE).found()).isZero();
    // The rest of one block is kept in any case.
    assertThat(mostHeld).isBetween((long) SteppedCharge.STEP_BYTES, share + (32 << 10));
    assertThat(budget.held()).isZero();
    // A client without any room is served as well, by the means that charge no account.
    account.take(share);
    assertThat(cost(from("uidNumber", 5), Integer.MAX_VALUE).found()).isEqualTo(ENTRIES - 5);
    assertThat(cost(filter, Integer.MAX_VALUE).found()).isZero();
    assertThat(mostHeld).isLessThanOrEqualTo(share + SteppedCharge.STEP_BYTES);
    account.giveBack(share);
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldPutBlocksOfManyNodesTogetherOnce() {
    open(64 << 20);
    CompiledFilter many =
        new CompiledFilter.Or(parts(NODES, i -> FilterOracle.equality("uid", "u" + i * 25)));
    Cost cost = cost(many, Integer.MAX_VALUE);
    assertThat(cost.found()).isEqualTo(NODES);
    // Each node is sought and found in each of two blocks.
    assertThat(cost.lookups()).isLessThan(5 * NODES);
    assertThat(cost.mostLookups()).isLessThan(3 * NODES);
    CompiledFilter equal =
        new CompiledFilter.Or(parts(NODES, _ -> FilterOracle.equality("gidNumber", "7")));
    assertThat(cost(equal, Integer.MAX_VALUE).lookups()).isLessThan(400);
  }

  @Test
  void shouldReadFewListsOfIdsForOneBlock() {
    open(64 << 20);
    long[] ids = LongStream.range(0, ENTRIES).toArray();
    CompiledFilter all = new CompiledFilter.EntryIds(ids);
    CompiledFilter some = FilterOracle.equality("homeDirectory", "/home");
    long most = PlanLimits.DEFAULT.lookups();
    Cost lists = cost(new CompiledFilter.Or(parts(NODES, _ -> all)), Integer.MAX_VALUE);
    assertThat(lists.found()).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(lists.mostLookups()).isLessThan(most);
    CompiledFilter both = new CompiledFilter.And(List.of(all, some));
    Cost within = cost(new CompiledFilter.Or(parts(NODES, _ -> both)), Integer.MAX_VALUE);
    assertThat(within.found()).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(within.mostLookups()).isLessThan(most);
    Cost one = cost(all, Integer.MAX_VALUE);
    assertThat(one.found()).isEqualTo(ENTRIES - 1);
    assertThat(one.mostLookups()).isBetween(ENTRIES / 1024L, ENTRIES / 256L);
  }

  private static List<CompiledFilter> parts(int count, IntFunction<CompiledFilter> part) {
    List<CompiledFilter> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(part.apply(i));
    }
    return parts;
  }

  private static CompiledFilter from(String attribute, int least) {
    return FilterOracle.range(attribute, Comparison.GREATER_OR_EQUAL, Integer.toString(least));
  }

  /** Runs a search in the shortest slices. */
  private Cost cost(CompiledFilter filter, long wanted) {
    long base;
    try (ReadTransaction read = backend.beginRead()) {
      base = read.find(TestStore.dn(TestStore.SUFFIX));
    }
    SearchSpec spec = new SearchSpec(base, Scope.SUBTREE, filter, false, false, account);
    mostHeld = 0;
    Tally tally = new Tally(filter, wanted);
    SearchProgress progress = null;
    while (!tally.isOver) {
      try (ReadTransaction read = backend.beginRead()) {
        PostingReader postings = ((LmdbSnapshot) read).postings();
        long before = postings.lookups();
        try (EntryCursor cursor = read.search(spec, tally.position, progress)) {
          tally.slice(cursor);
          progress = cursor.progress();
        }
        tally.slice(progress, postings.lookups() - before);
        mostHeld = Math.max(mostHeld, account == null ? 0 : account.held());
        assertThat(backend.planMemory().takenBytes())
            .isLessThanOrEqualTo(tally.maximumBytes(backend));
      }
    }
    if (progress != null) {
      progress.close();
    }
    return new Cost(tally.found, tally.examined, tally.keys, tally.lookups, tally.mostLookups);
  }

  /** The cost of a search so far. Confined to the test. */
  private static final class Tally {
    private final CompiledFilter filter;
    private final long wanted;
    private boolean isOver;
    private long position;
    private long found;
    private long examined;
    private long keys;
    private long lookups;
    private long mostLookups;

    Tally(CompiledFilter filter, long wanted) {
      this.filter = filter;
      this.wanted = wanted;
    }

    long maximumBytes(LmdbBackend backend) {
      // The rest of one block is kept in any case.
      return backend.planMemory().maximumBytes() / PlanMemory.SHARE_OF_ONE + (32 << 10);
    }

    void slice(EntryCursor cursor) {
      EntryView view = new EntryView();
      while (!isOver && cursor.examined() < SLICE) {
        Step step = cursor.next(view, SLICE);
        isOver = step == Step.END;
        if (step == Step.ENTRY) {
          found += cursor.isExact() || isMatch(view) ? 1 : 0;
          isOver |= found == wanted;
        } else {
          break;
        }
      }
      position = cursor.position();
      examined += cursor.examined();
    }

    void slice(SearchProgress progress, long lookedUp) {
      keys = progress instanceof KeptPlan kept ? kept.keysLookedAt() : 0;
      lookups += lookedUp;
      mostLookups = Math.max(mostLookups, lookedUp);
    }

    /** A test that knows how the entries were made: entry i has the number i. */
    private boolean isMatch(EntryView view) {
      if (!(filter instanceof CompiledFilter.ValueItem test)) {
        return !(filter instanceof CompiledFilter.And);
      }
      String name = new String(view.dn(), java.nio.charset.StandardCharsets.UTF_8);
      if (!name.startsWith("uid=u")) {
        return false;
      }
      int number = Integer.parseInt(name.substring(5, name.indexOf(',')));
      byte[] own = ((CompiledFilter.ValueItem) from("uidNumber", number)).assertion();
      return java.util.Arrays.compareUnsigned(own, test.assertion()) >= 0;
    }
  }
}
