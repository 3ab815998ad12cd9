package org.nyala.lmdb.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.TestStore.SCHEMA;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.DataPages.Page;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.export.LdifExport;

/**
 * Overwrites bytes in copies of the data file of one store that uses all features. A damaged file
 * must not end the process, so a failure of this test may be the end of the test process.
 *
 * <p>{@code -Dnyala.damage.trials=N} overwrites more bytes, {@code -Dnyala.damage.stride=1} all of
 * the first pages.
 */
final class DamagedPagesTest {
  private static final LmdbSettings SETTINGS =
      TestStore.SETTINGS.with(draft -> draft.large = new LargeThresholds(8, 1024));
  private static final int TRIALS = Integer.getInteger("nyala.damage.trials", 30);
  private static final int STRIDE = Integer.getInteger("nyala.damage.stride", 2);
  private static final int MOST = 5;

  @TempDir Path folder;
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private Path original;
  private Path copy;
  private byte[] bytes;
  private String content;
  private final NavigableMap<Long, Dn> names = new TreeMap<>();

  /** Pages that nothing refers to. */
  private final BitSet unused = new BitSet();

  /** Pages of trees, with the contents that they are read as. */
  private final NavigableMap<Integer, Page> used = new TreeMap<>();

  @BeforeEach
  void makeStore() throws IOException {
    original = Files.createDirectory(folder.resolve("original"));
    copy = Files.createDirectory(folder.resolve("copy"));
    TestStore store = TestStore.random(original, random, 150);
    store.entries.forEach((id, entry) -> names.put(id, entry.dn()));
    try (LmdbBackend backend = LmdbBackend.open(original, SCHEMA, SETTINGS)) {
      change(backend, store);
    }
    bytes = Files.readAllBytes(original.resolve("data.mdb"));
    content = content(original);
    assertThat(problems(original)).as("seed " + seed).isEmpty();
    lookAtPages();
  }

  /**
   * Large values, values with pages of their own, out-of-line values, free pages of several
   * commits.
   */
  private void change(LmdbBackend backend, TestStore store) {
    for (int i = 0; i < 12; i++) {
      try (WriteTransaction write = backend.beginWrite()) {
        Entry entry = new Entry(TestStore.dn("cn=more " + i + "," + TestStore.SUFFIX));
        TestStore.add(entry, "objectClass", "device");
        TestStore.add(entry, "cn", "more " + i);
        for (int values = random.nextInt(40); values > 0; values--) {
          TestStore.add(entry, "serialNumber", "number " + values);
          TestStore.add(entry, "description", "word " + values + "x".repeat(random.nextInt(900)));
        }
        TestStore.add(entry, "l", "far away ".repeat(1 + random.nextInt(900)));
        names.put(write.apply(new ResolvedChange.Add(entry)), entry.dn());
        long id = store.randomId(random);
        AttributeDescription title = AttributeDescription.parse(SCHEMA, "title");
        byte[] value = ("title " + i).getBytes(StandardCharsets.UTF_8);
        write.apply(
            new ResolvedChange.Modify(
                store.entries.get(id).dn(),
                id,
                List.of(new AttributeChange.Replaced(title, List.of(value)))));
        write.commit();
      }
    }
  }

  private static String content(Path directory) throws IOException {
    try (LmdbBackend backend = LmdbBackend.open(directory, SCHEMA, SETTINGS);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LdifWriter writer = new LdifWriter(text, LdifWriter.NO_FOLDING)) {
      long _ = new LdifExport(backend, SCHEMA, CompiledFilter.Constant.TRUE, writer).run(null);
      return text.toString(StandardCharsets.UTF_8);
    }
  }

  /** Returns the problems that verify reports; a refusal to read is one problem. */
  private static List<String> problems(Path directory) {
    try {
      return Verification.verify(directory, SCHEMA, MOST).problems();
    } catch (StoreException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  private void lookAtPages() throws IOException {
    try (Env<ByteBuffer> env = LmdbEnvironment.openBare(original);
        Txn<ByteBuffer> txn = env.txnRead();
        DataPages pages = DataPages.of(original, env.stat().pageSize, txn.getId())) {
      assertThat(pages).isNotNull();
      look(pages, pages.main(), false);
      look(pages, pages.free(), true);
      assertThat(unused.cardinality()).as("free pages, seed " + seed).isGreaterThan(5);
    }
  }

  private void look(DataPages pages, DataPages.Tree tree, boolean isFree) throws IOException {
    if (tree.root() != DataPages.NO_PAGE) {
      look(pages, tree.root(), isFree);
    }
  }

  private void look(DataPages pages, long number, boolean isFree) throws IOException {
    Page page = pages.page(number);
    used.put((int) number, page);
    for (int i = 0; i < page.size(); i++) {
      if (!page.isLeaf()) {
        look(pages, page.child(i), isFree);
      } else if (isFree) {
        ByteBuffer list = pages.value(page, i);
        for (int j = 1; j <= list.getLong(0); j++) {
          unused.set((int) list.getLong(8 * j));
        }
      } else if ((page.nodeFlags(i) & Page.IS_TREE) != 0) {
        look(pages, DataPages.Tree.at(page.bytes(), page.valueAt(i)), false);
      }
    }
  }

  /** Overwrites bytes of a copy with different ones. */
  private void damage(int at, int count) throws IOException {
    byte[] damaged = bytes.clone();
    for (int i = at; i < at + count; i++) {
      damaged[i] ^= (byte) (1 + random.nextInt(255));
    }
    Files.write(copy.resolve("data.mdb"), damaged);
  }

  private int pageBytes() {
    return used.firstEntry().getValue().bytes().capacity();
  }

  /** A file that is reported as sound can be read, and changed until no entry is left. */
  private void assertGoodForUse(String what) throws IOException {
    // A value without an index may have been changed: there is no second copy to compare it with.
    assertThat(content(copy)).as(what).isNotEmpty();
    try (LmdbBackend backend = LmdbBackend.open(copy, SCHEMA, SETTINGS)) {
      for (Map.Entry<Long, Dn> each : names.descendingMap().entrySet()) {
        try (WriteTransaction write = backend.beginWrite()) {
          write.apply(new ResolvedChange.Delete(each.getValue(), each.getKey()));
          write.commit();
        }
      }
      assertThat(backend.entryCount()).as(what).isZero();
    }
    assertThat(problems(copy)).as("emptied after " + what).isEmpty();
  }

  @Test
  void shouldFindOrBearAnyBytesWrittenOver() throws IOException {
    int found = 0;
    List<String> where = new ArrayList<>();
    for (int trial = 0; trial < TRIALS || found == 0 && trial < 100 * TRIALS; trial++) {
      int at = random.nextInt(bytes.length - 1);
      damage(at, 1 + random.nextInt(2));
      String what = "bytes at " + at + ", seed " + seed;
      List<String> problems = problems(copy);
      if (unused.get(at / pageBytes()) && unused.get((at + 1) / pageBytes())) {
        assertThat(problems).as("in a free page, " + what).isEmpty();
      }
      if (problems.isEmpty()) {
        assertGoodForUse(what);
        where.add(Integer.toString(at));
      } else {
        found++;
      }
    }
    assertThat(found).as("seed " + seed + ", not found: " + where).isPositive();
  }

  @Test
  void shouldFindDamageToWhatLmdbGoesBy() throws IOException {
    List<Page> pages = List.copyOf(used.values());
    for (int trial = 0; trial < TRIALS; trial++) {
      Page page = pages.get(random.nextInt(pages.size()));
      int node = random.nextInt(page.size());
      int at =
          switch (random.nextInt(4)) {
            // The page's number, its flags, the bounds of its nodes; the two bytes in between are
            // not used.
            case 0 ->
                List.of(0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15).get(random.nextInt(14));
            case 1 -> DataPages.HEADER_LENGTH + 2 * node + random.nextInt(2);
            case 2 -> page.node(node) + random.nextInt(Page.NODE_LENGTH);
            default -> page.upper() + 1 + 2 * random.nextInt((pageBytes() - page.upper()) / 2);
          };
      damage((int) page.number() * pageBytes() + at, 1);
      List<String> problems = problems(copy);
      boolean mayBeMissed = at >= page.upper() && !isOfNode(page, at);
      if (problems.isEmpty() && mayBeMissed) {
        assertGoodForUse("byte " + at + " of page " + page.number() + ", seed " + seed);
      } else {
        assertThat(problems)
            .as("byte " + at + " of page " + page.number() + ", seed " + seed)
            .isNotEmpty();
      }
    }
  }

  /** Returns whether a byte belongs to the header of a node. */
  private static boolean isOfNode(Page page, int at) {
    for (int i = 0; i < page.size(); i++) {
      if (at >= page.node(i) && at < page.keyAt(i)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldFindDamageToTheFirstPages() throws IOException {
    // Some bytes of each number, which is two bytes long or more.
    int first = random.nextInt(STRIDE);
    for (int page = 0; page < 2; page++) {
      for (int at = first;
          at < DataPages.HEADER_LENGTH + 24 + 2 * DataPages.Tree.LENGTH + 16;
          at += STRIDE) {
        damage(page * pageBytes() + at, 1);
        String what = "byte " + at + " of page " + page + ", seed " + seed;
        if (problems(copy).isEmpty()) {
          // The page belongs to the previous transaction, or LMDB does not use that part of it.
          assertThat(content(copy)).as(what).isEqualTo(content);
        }
      }
    }
  }

  @Test
  void shouldFindAFileThatEndsEarly() throws IOException {
    for (int length = 0; length < bytes.length; length += 1 + random.nextInt(4096)) {
      Files.write(copy.resolve("data.mdb"), Arrays.copyOf(bytes, length));
      List<String> problems = problems(copy);
      if (problems.isEmpty()) {
        assertThat(content(copy)).as(length + " bytes, seed " + seed).isEqualTo(content);
      }
    }
  }
}
