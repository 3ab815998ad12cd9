package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.admin.StoreCompaction.Step;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

/**
 * Compactions of a store that is open, while it is read and changed.
 *
 * <p>{@code -Dnyala.compactions=N} compacts more often, {@code -Dnyala.compaction.churn=N} changes
 * more in between.
 */
@Timeout(300)
class CompactionTest {
  private static final int COMPACTIONS = Integer.getInteger("nyala.compactions", 1);
  private static final int SIZE = 600;
  private static final int CHURN = Integer.getInteger("nyala.compaction.churn", 4);
  private static final long JOURNAL_BYTES = 16 << 20;
  private static final LmdbSettings SETTINGS =
      TestStore.SETTINGS.with(draft -> draft.durability = LmdbSettings.Durability.NONE);

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong searches = new AtomicLong();
  private TestStore store;
  private WriteStorm storm;

  @BeforeEach
  void fill() {
    store = TestStore.random(folder.resolve("data"), random, SIZE);
    storm = new WriteStorm(store, random);
  }

  private LmdbBackend open() {
    return LmdbBackend.open(store.directory, TestStore.SCHEMA, SETTINGS);
  }

  private void change(LmdbBackend backend, int count) {
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < count; i++) {
        storm.change(write);
      }
      write.commit();
    }
  }

  /** Changes every entry several times over. */
  private void churn(LmdbBackend backend) {
    for (int done = 0; done < CHURN * SIZE; done += 40) {
      change(backend, 40);
    }
  }

  private Thread start(Thread.Builder builder, Runnable work) {
    return builder.start(
        () -> {
          try {
            while (!stop.get()) {
              work.run();
            }
          } catch (Throwable e) {
            failure.set(e);
          }
        });
  }

  /** Reads all entries, whose number is that of the same snapshot. */
  private void search(LmdbBackend backend) {
    EntryView view = new EntryView();
    try (ReadTransaction read = backend.beginRead()) {
      long top = read.find(TestStore.dn(TestStore.SUFFIX));
      assertThat(top).isPositive();
      SearchSpec all =
          new SearchSpec(top, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      long found = 0;
      try (EntryCursor cursor = read.search(all, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          found++;
        }
      }
      assertThat(found).isEqualTo(((LmdbReader) read).entryCount());
      searches.incrementAndGet();
    }
  }

  private void awaitMore(AtomicLong counter, int more) {
    long enough = counter.get() + more;
    Patience.eventually("more", () -> counter.get() >= enough || failure.get() != null);
  }

  private long live(LmdbBackend backend) {
    StoreSpace space = StoreSpace.of(backend);
    return (space.pages() - space.free()) * space.pageBytes();
  }

  private void compare(LmdbBackend backend, String context) {
    try (ReadTransaction read = backend.beginRead()) {
      storm.compareEntries(read, context);
    }
  }

  @Test
  void shouldMakeAChurnedStoreSmallWhileItIsReadAndChanged() throws Exception {
    try (LmdbBackend backend = open()) {
      churn(backend);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < COMPACTIONS; i++) {
        long snapshot = backend.status().transactions();
        stop.set(false);
        threads.add(start(Thread.ofPlatform(), () -> search(backend)));
        threads.add(start(Thread.ofVirtual(), () -> search(backend)));
        threads.add(
            start(
                Thread.ofPlatform(),
                () -> {
                  change(backend, 5);
                  changes.incrementAndGet();
                }));
        StoreCompaction.Result result = compactWhileChanging(backend);
        awaitMore(searches, 20);
        awaitMore(changes, 20);
        stop.set(true);
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(failure.get()).as("seed %d", seed).isNull();
        assertThat(backend.status().transactions()).isGreaterThan(snapshot + 40);
        assertThat(result.heldNanos()).isPositive();
        compare(backend, "seed " + seed);
        StoreCompaction.Result quiet = compact(backend, JOURNAL_BYTES, (_, _, _) -> {});
        assertThat(quiet.afterBytes()).isLessThan(live(backend) * 3 / 2);
        churn(backend);
        assertThat(backend.status().space().usedBytes()).isGreaterThan(quiet.afterBytes());
      }
      compare(backend, "seed " + seed);
    }
    store.assertSound();
    assertThat(remains()).isEmpty();
  }

  private StoreCompaction.Result compactWhileChanging(LmdbBackend backend) {
    AtomicBoolean isHeld = new AtomicBoolean();
    StoreCompaction.Result result =
        compact(
            backend,
            JOURNAL_BYTES,
            (step, _, _) -> {
              isHeld.compareAndSet(false, step == Step.HOLDING);
              if (!isHeld.get()) {
                awaitMore(changes, 10);
              }
            });
    assertThat(isHeld).isTrue();
    return result;
  }

  private static StoreCompaction.Result compact(
      LmdbBackend backend, long journalBytes, StoreCompaction.Listener listener) {
    return new StoreCompaction(backend, journal(journalBytes), listener).run();
  }

  private static LmdbSettings journal(long bytes) {
    return SETTINGS.with(draft -> draft.compactionJournalBytes = bytes);
  }

  private List<String> remains() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("data"))
          .toList();
    }
  }

  @Test
  void shouldHoldChangesUpWhileTheJournalIsFull() throws Exception {
    try (LmdbBackend backend = open()) {
      AtomicBoolean isBlocked = new AtomicBoolean();
      compact(
          backend,
          1,
          (step, _, total) -> {
            if (step == Step.COPYING && total == 0) {
              change(backend, 5);
              Thread next = start(Thread.ofPlatform(), () -> changeOnce(backend));
              Patience.eventually("blocked", () -> next.getState() == Thread.State.WAITING);
              assertThat(changes.get()).isZero();
              isBlocked.set(true);
            }
          });
      assertThat(isBlocked).isTrue();
      Patience.eventually("it goes on", () -> changes.get() == 1);
      assertThat(failure.get()).as("seed %d", seed).isNull();
      compare(backend, "seed " + seed);
    }
    store.assertSound();
  }

  private void changeOnce(LmdbBackend backend) {
    change(backend, 5);
    stop.set(true);
    changes.incrementAndGet();
  }

  @Test
  void shouldLetChangesGoOnWhenItIsGivenUp() throws Exception {
    try (LmdbBackend backend = open()) {
      AtomicReference<@Nullable StoreCompaction> running = new AtomicReference<>();
      StoreCompaction compaction =
          new StoreCompaction(
              backend,
              journal(1),
              (_, _, _) -> {
                change(backend, 5);
                running.get().cancel();
                change(backend, 5);
              });
      running.set(compaction);
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(compaction::run)
          .withMessageContaining("given up");
      compare(backend, "seed " + seed);
    }
    store.assertSound();
    assertThat(remains()).isEmpty();
  }

  @Test
  void shouldGoOnWithTheOldFileWhenTheNewOneCannotBePutInPlace() throws Exception {
    try (LmdbBackend backend = open()) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(
              () ->
                  compact(
                      backend,
                      JOURNAL_BYTES,
                      (step, _, _) -> {
                        if (step == Step.EXCHANGING) {
                          deleteCopy();
                        }
                      }))
          .withMessageStartingWith("cannot compact " + store.directory);
      change(backend, 20);
      compare(backend, "seed " + seed);
      compact(backend, JOURNAL_BYTES, (_, _, _) -> {});
      compare(backend, "seed " + seed);
    }
    store.assertSound();
    assertThat(remains()).isEmpty();
  }

  private void deleteCopy() {
    try {
      Files.delete(folder.resolve(remains().getFirst()).resolve(LmdbEnvironment.DATA_FILE));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String names(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return names(read);
    }
  }

  private static String names(ReadTransaction read) {
    StringBuilder names = new StringBuilder();
    EntryView view = new EntryView();
    SearchSpec all = new SearchSpec(0, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    try (EntryCursor cursor = read.search(all, 0)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        names.append(new String(view.dn(), StandardCharsets.UTF_8)).append('\n');
      }
    }
    return names.toString();
  }

  /** A read of another process, such as an export, goes on in the old file. */
  @Test
  void shouldRefuseEverythingIfNoFileCanBeOpenedAfterTheExchange() {
    try (LmdbBackend backend = open()) {
      change(backend, 10);
      search(backend);
      assertThatThrownBy(
              () -> replace(backend, () -> Files.delete(store.directory.resolve("data.mdb"))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("holds no Nyala store");
      assertShut(backend);
    }
  }

  @Test
  void shouldRefuseEverythingIfThePlaceOfTheNewFileIsNotOnDisk() {
    try (LmdbBackend backend = open()) {
      change(backend, 10);
      search(backend);
      StoreException failure = new StoreException("a power failure may undo that");
      assertThatThrownBy(
              () ->
                  replace(
                      backend,
                      () -> {
                        throw failure;
                      }))
          .isSameAs(failure);
      assertShut(backend);
    }
    try (LmdbBackend backend = open()) {
      search(backend);
    }
  }

  private static void replace(LmdbBackend backend, LmdbEnvironment.Replacing replacing) {
    backend
        .gate()
        .whileHeld(
            () -> {
              try {
                return backend.replaceFile(replacing);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private void assertShut(LmdbBackend backend) {
    assertThatThrownBy(() -> search(backend))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is closed");
    assertThatThrownBy(() -> change(backend, 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(backend::status).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldNotHarmAReadOfAnotherProcess() throws Exception {
    String before;
    Process export;
    try (LmdbBackend backend = open()) {
      before = names(backend);
      export = OtherProcess.start(CompactionTest.class, store.directory.toString());
      try (var output = export.inputReader();
          var input = export.outputWriter()) {
        assertThat(output.readLine()).isEqualTo("reading");
        change(backend, 20);
        compact(backend, JOURNAL_BYTES, (_, _, _) -> {});
        churn(backend);
        compact(backend, JOURNAL_BYTES, (_, _, _) -> {});
        compare(backend, "seed " + seed);
        input.write("go on\n");
        input.flush();
        assertThat(output.lines().toList()).isEqualTo(before.lines().toList());
      }
      assertThat(export.waitFor()).isZero();
    }
    store.assertSound();
  }

  /** The other process: reads at one moment, and reports what it has read when it is told to. */
  public static void main(String[] arguments) throws IOException {
    try (LmdbBackend backend =
            LmdbBackend.open(
                Path.of(arguments[0]), TestStore.SCHEMA, TestStore.SETTINGS.asReadOnly());
        ReadTransaction read = backend.beginRead()) {
      System.out.println("reading");
      System.out.flush();
      int _ = System.in.read();
      System.out.print(names(read));
      System.out.flush();
    }
  }
}
