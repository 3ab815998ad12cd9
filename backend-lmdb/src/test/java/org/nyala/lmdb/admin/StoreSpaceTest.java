package org.nyala.lmdb.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;

/** The reported use of the pages of a data file, compared with LMDB's statistics of databases. */
class StoreSpaceTest {
  private static final int SIZE = 6000;

  @TempDir Path directory;

  private final long seed = Seeds.seed();

  private static void addAndDelete(LmdbBackend backend, int number) {
    Entry entry = new Entry(TestStore.dn("cn=x" + number + "," + TestStore.SUFFIX));
    TestStore.add(entry, "description", "x".repeat(3000));
    long id;
    try (WriteTransaction write = backend.beginWrite()) {
      id = write.apply(new ResolvedChange.Add(entry));
      write.commit();
    }
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Delete(entry.dn(), id));
      write.commit();
    }
  }

  /** The pages of all databases, without those of the lists of free pages. */
  private static long used(LmdbBackend backend) {
    LmdbEnvironment environment = backend.environment();
    long pages = 2;
    try (Txn<ByteBuffer> txn = environment.beginRead()) {
      for (Dbi<ByteBuffer> database : environment.databases()) {
        var stat = database.stat(txn);
        pages += stat.branchPages + stat.leafPages + stat.overflowPages;
      }
      var names = environment.env().stat();
      return pages + names.branchPages + names.leafPages + names.overflowPages;
    }
  }

  @Test
  void shouldCountFreePages() {
    TestStore store = TestStore.random(directory, new Random(seed), 500);
    try (LmdbBackend backend = store.open()) {
      for (int i = 0; i < 30; i++) {
        addAndDelete(backend, i);
        StoreSpace space = StoreSpace.of(backend);
        long listing = space.pages() - used(backend) - space.free();
        assertThat(listing).as("pages of the lists, seed " + seed).isBetween(0L, 3L);
        assertThat(space.free()).isPositive();
        assertThat(space.heldBack()).isZero();
        assertThat(space.pages() * space.pageBytes())
            .isEqualTo(backend.status().space().usedBytes());
      }
    }
  }

  @Test
  void shouldCountWhatAReadHoldsBack() {
    TestStore store = TestStore.random(directory, new Random(seed), 200);
    try (LmdbBackend backend = store.open()) {
      addAndDelete(backend, 0);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.attributes().size()).isPositive();
        long before = 0;
        for (int i = 1; i < 20; i++) {
          addAndDelete(backend, i);
          // This thread has its read open, so only another one can look.
          StoreSpace space = elsewhere(() -> StoreSpace.of(backend));
          assertThat(space.heldBack()).isGreaterThan(before).isLessThanOrEqualTo(space.free());
          before = space.heldBack();
        }
      }
      assertThat(StoreSpace.of(backend).heldBack()).isZero();
    }
  }

  private static <T> T elsewhere(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = Thread.ofPlatform().start(task);
    try {
      thread.join();
      return task.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private record Counted(long keys, long octets) {}

  /** The keys of each part, one by one. */
  private static Map<Integer, Counted> count(LmdbBackend backend) {
    LmdbEnvironment environment = backend.environment();
    Map<Integer, Counted> parts = new TreeMap<>();
    try (Txn<ByteBuffer> txn = environment.beginRead();
        Cursor<ByteBuffer> cursor = environment.index().openCursor(txn)) {
      for (boolean is = cursor.seek(SeekOp.MDB_FIRST); is; is = cursor.seek(SeekOp.MDB_NEXT)) {
        ByteBuffer key = cursor.key();
        int part = Short.toUnsignedInt(key.getShort(0)) << 8 | key.get(IndexKeys.KIND_AT);
        long octets = (long) key.remaining() + cursor.val().remaining();
        parts.merge(
            part,
            new Counted(1, octets),
            (one, other) -> new Counted(one.keys() + 1, one.octets() + other.octets()));
      }
    }
    return parts;
  }

  @Test
  void shouldMeasureIndexes() {
    TestStore store = TestStore.random(directory, new Random(seed), SIZE);
    try (LmdbBackend backend = store.open()) {
      Map<Integer, Counted> counted = count(backend);
      Map<String, StoreSpace.IndexSize> sizes =
          StoreSpace.indexes(backend).stream()
              .collect(Collectors.toMap(StoreSpace.IndexSize::index, size -> size));
      assertThat(sizes).as("seed " + seed).hasSize(counted.size());
      assertThat(sizes).containsKeys("cn:sub", "cn:eq", "uid:eq", "objectclass:eq", "parent");
      int attribute = 0;
      for (int i = 1; i <= attributes(backend).size(); i++) {
        if (attributes(backend).description(i).toString().equals("cn")) {
          attribute = i;
        }
      }
      Counted grams = counted.get(attribute << 8 | IndexKind.SUBSTRING.code());
      // There are no more leaves than are read: all keys are counted.
      assertThat(sizes.get("cn:sub").keys()).isEqualTo(grams.keys());
      assertThat(sizes.get("cn:sub").bytes()).isGreaterThan(grams.octets());
      long keys = counted.values().stream().mapToLong(Counted::keys).sum();
      long bytes = sizes.values().stream().mapToLong(StoreSpace.IndexSize::bytes).sum();
      double all = sizes.values().stream().mapToLong(StoreSpace.IndexSize::keys).sum();
      assertThat(all / keys).as("seed " + seed).isBetween(0.9, 1.1);
      try (Txn<ByteBuffer> txn = backend.environment().beginRead()) {
        var stat = backend.environment().index().stat(txn);
        double pages = (double) bytes / stat.pageSize;
        assertThat(pages / (stat.leafPages + stat.overflowPages))
            .as("seed " + seed)
            .isBetween(0.95, 1.05);
      }
    }
  }

  private static AttributeTable attributes(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.attributes();
    }
  }

  @Test
  void shouldMeasureAStoreWithoutEntries() {
    TestStore.create(directory);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS)) {
      assertThat(StoreSpace.indexes(backend)).isEmpty();
      assertThat(StoreSpace.of(backend).heldBack()).isZero();
    }
  }
}
