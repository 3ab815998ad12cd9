package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.FilterOracle;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbSearchTest;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.WriteStorm;
import org.nyala.lmdb.env.LmdbSettings;

/** Searches that continue from slice to slice with kept state, compared with brute force. */
class KeptPlanTest {
  private static final int NUMBERS = 100;
  private static final List<Scope> SCOPES = List.of(Scope.values());

  @TempDir Path directory;

  /** Returns bounds so tight that every one of them is met repeatedly. */
  private static PlanLimits tight(Random random) {
    return new PlanLimits(
        random.nextInt(20),
        1 + random.nextInt(3),
        1 + random.nextInt(10),
        1 + random.nextInt(40),
        1 + random.nextInt(random.nextBoolean() ? 30 : 3000),
        1 + random.nextInt(4),
        1 + random.nextInt(5),
        1 + random.nextInt(random.nextBoolean() ? 8 : 500));
  }

  private static LmdbBackend open(TestStore store, Random random, long memoryBytes) {
    LmdbSettings settings = TestStore.SETTINGS.with(draft -> draft.planMemoryBytes = memoryBytes);
    return LmdbBackend.open(store.directory, TestStore.SCHEMA, settings, tight(random));
  }

  @Test
  void shouldFindWhatBruteForceFindsHoweverLittleIsLookedUp() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 300);
    for (int round = 0; round < 20; round++) {
      try (LmdbBackend backend = open(store, random, (64 << 10) + random.nextInt(1 << 20))) {
        FilterOracle oracle = new FilterOracle(store, random);
        for (int i = 0; i < 25; i++) {
          SearchSpec spec = spec(store, oracle, random, store.randomId(random));
          List<Long> found = new Search(backend, store, oracle, random, spec).run(() -> {});
          assertThat(found)
              .as("seed %d round %d: %s", seed, round, spec)
              .isEqualTo(LmdbSearchTest.expected(store, oracle, spec));
          assertThat(backend.planMemory().takenBytes()).isZero();
        }
      }
    }
  }

  @Test
  void shouldFindWhatMatchesAllTheTimeWhileTheStoreChanges() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 200);
    WriteStorm storm = new WriteStorm(store, random);
    for (int round = 0; round < 12; round++) {
      try (LmdbBackend backend = open(store, random, 1 << 20)) {
        FilterOracle oracle = new FilterOracle(store, random);
        for (int i = 0; i < 5; i++) {
          SearchSpec spec = spec(store, oracle, random, store.entries.firstKey());
          Set<Long> always = new HashSet<>(LmdbSearchTest.expected(store, oracle, spec));
          Set<Long> ever = new HashSet<>(always);
          Runnable change =
              () -> {
                if (random.nextInt(3) == 0) {
                  change(backend, storm);
                  List<Long> now = LmdbSearchTest.expected(store, oracle, spec);
                  always.retainAll(now);
                  ever.addAll(now);
                }
              };
          List<Long> found = new Search(backend, store, oracle, random, spec).run(change);
          String context = "seed " + seed + " round " + round + ": " + spec;
          assertThat(found).as(context).containsAll(always);
          assertThat(ever).as(context).containsAll(found);
        }
      }
    }
  }

  @Test
  void shouldFindWhatMovesFromWhatIsAheadOfARangeToWhatIsBehind() {
    TestStore.create(directory);
    // Some keys for each entry that is examined: the range ends before the entries do.
    PlanLimits slow = new PlanLimits(1, 8, 8, 1000, 1000, 1, 1000, 1000);
    LmdbSettings settings = TestStore.SETTINGS;
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings, slow)) {
      long last = addNumbers(backend);
      CompiledFilter filter = FilterOracle.range("uidNumber", Comparison.GREATER_OR_EQUAL, "0");
      SearchSpec spec = new SearchSpec(1, Scope.SUBORDINATE, filter, false, false);
      List<Long> found = new ArrayList<>();
      EntryView view = new EntryView();
      SearchProgress progress = null;
      long position = 0;
      for (boolean isOver = false; !isOver; ) {
        try (ReadTransaction read = backend.beginRead();
            EntryCursor cursor = read.search(spec, position, progress)) {
          for (int i = 0; i < 5 && !isOver; i++) {
            Step step = cursor.next(view, 1);
            isOver = step == Step.END;
            if (step == Step.ENTRY) {
              found.add(view.id());
            }
          }
          position = cursor.position();
          progress = cursor.progress();
        }
        if (found.size() < 8) {
          renumber(backend, last);
        }
      }
      assertThat(found).hasSize(NUMBERS).contains(last);
    }
  }

  @Test
  void shouldNotTrustTheRestOfABlockOnceTheStoreHasChanged() {
    TestStore.create(directory);
    PlanLimits limits = new PlanLimits(1, 1, 1, 1, 1, 1, 1, 1000);
    LmdbSettings settings = TestStore.SETTINGS;
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings, limits)) {
      long last = addNumbers(backend);
      List<CompiledFilter> numbers = new ArrayList<>();
      for (int i = 1; i <= NUMBERS; i++) {
        numbers.add(FilterOracle.equality("uidNumber", Integer.toString(i)));
      }
      CompiledFilter filter = new CompiledFilter.Or(numbers);
      SearchSpec spec = new SearchSpec(1, Scope.SUBORDINATE, filter, false, false);
      SearchProgress progress = null;
      for (int slice = 1; slice <= 3; slice++) {
        if (slice == 3) {
          renumber(backend, last);
        }
        try (ReadTransaction read = backend.beginRead();
            EntryCursor cursor = read.search(spec, slice, progress)) {
          EntryView view = new EntryView();
          while (cursor.next(view, 1) == Step.LIMIT) {
            // The block is put together in the first slice.
            assertThat(slice).isEqualTo(1);
          }
          assertThat(view.id()).isEqualTo(slice + 1);
          assertThat(cursor.isExact()).isEqualTo(slice < 3);
          progress = cursor.progress();
        }
      }
      assertThat(backend.planMemory().takenBytes()).isPositive();
      if (progress != null) {
        progress.close();
      }
      assertThat(backend.planMemory().takenBytes()).isZero();
    }
  }

  private static long addNumbers(LmdbBackend backend) {
    long id = 0;
    try (WriteTransaction write = backend.beginWrite()) {
      Entry top = new Entry(TestStore.dn(TestStore.SUFFIX));
      TestStore.add(top, "objectClass", "domain");
      assertThat(write.apply(new ResolvedChange.Add(top))).isEqualTo(1);
      for (int i = 0; i < NUMBERS; i++) {
        Entry entry = new Entry(TestStore.dn("uid=u" + i + "," + TestStore.SUFFIX));
        TestStore.add(entry, "objectClass", "inetOrgPerson");
        TestStore.add(entry, "uidNumber", Integer.toString(i + 1));
        id = write.apply(new ResolvedChange.Add(entry));
      }
      write.commit();
    }
    return id;
  }

  /** Gives the last entry the least number. */
  private static void renumber(LmdbBackend backend, long id) {
    AttributeDescription number = AttributeDescription.parse(TestStore.SCHEMA, "uidNumber");
    List<byte[]> zero = List.of("0".getBytes(StandardCharsets.US_ASCII));
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(
          new ResolvedChange.Modify(
              TestStore.dn("uid=u" + (NUMBERS - 1) + "," + TestStore.SUFFIX),
              id,
              List.of(new AttributeChange.Replaced(number, zero))));
      write.commit();
    }
  }

  private static void change(LmdbBackend backend, WriteStorm storm) {
    try (WriteTransaction write = backend.beginWrite()) {
      storm.change(write);
      write.commit();
    }
  }

  private static SearchSpec spec(TestStore store, FilterOracle oracle, Random random, long base) {
    CompiledFilter filter = random.nextInt(4) == 0 ? oracle.filter(3) : oracle.ranges(2);
    Scope scope = SCOPES.get(random.nextInt(4));
    boolean withReferrals = random.nextInt(4) == 0;
    long from = random.nextBoolean() ? store.entries.firstKey() : base;
    return new SearchSpec(from, scope, filter, withReferrals, random.nextInt(4) == 0);
  }

  /** One search in short slices. */
  private record Search(
      LmdbBackend backend, TestStore store, FilterOracle oracle, Random random, SearchSpec spec) {
    /** Runs it to its end; returns the ids that it found. */
    List<Long> run(Runnable betweenSlices) {
      List<Long> found = new ArrayList<>();
      long position = 0;
      SearchProgress progress = null;
      boolean isOver = false;
      for (int slices = 0; !isOver; slices++) {
        assertThat(slices).isLessThan(20_000);
        try (ReadTransaction read = backend.beginRead();
            EntryCursor cursor = read.search(spec, position, progress)) {
          isOver = slice(cursor, found) == Step.END;
          position = cursor.position();
          // Discarding the kept state must do no harm.
          progress = next(cursor.progress());
        }
        if (!isOver) {
          betweenSlices.run();
        }
      }
      if (progress != null) {
        progress.close();
      }
      return found;
    }

    private @Nullable SearchProgress next(@Nullable SearchProgress progress) {
      if (progress != null && random.nextInt(50) == 0) {
        progress.close();
        return null;
      }
      return progress;
    }

    private Step slice(EntryCursor cursor, List<Long> found) {
      EntryView view = new EntryView();
      Step step = Step.LIMIT;
      for (int left = 1 + random.nextInt(6); left > 0 && step != Step.END; left--) {
        step = cursor.next(view, 1 + random.nextInt(5));
        if (step == Step.ENTRY) {
          boolean isMatch = LmdbSearchTest.passes(spec, oracle, view);
          // An exact candidate matches as the store is now.
          assertThat(isMatch || !cursor.isExact()).as("%s: %d", spec, view.id()).isTrue();
          if (isMatch) {
            found.add(view.id());
          }
        }
      }
      return step;
    }
  }
}
