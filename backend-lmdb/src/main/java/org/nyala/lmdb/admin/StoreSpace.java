package org.nyala.lmdb.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

/**
 * The use of the pages of the data file, at one moment.
 *
 * <p>Immutable.
 *
 * @param pageBytes the size of a page
 * @param pages the number of pages that the file has grown to
 * @param free pages that are not in use
 * @param heldBack free pages that cannot be reused yet, because an open read may look at them
 */
public record StoreSpace(int pageBytes, long pages, long free, long heldBack) {
  private static final byte[] INDEX = "index".getBytes(US_ASCII);

  /** Commits may come faster than a look at the file. */
  private static final int LOOKS = 20;

  /**
   * The approximate size of an index.
   *
   * @param index attribute and kind, such as {@code uid:eq}; {@code parent} and {@code flag} exist
   *     in every store
   * @param keys the number of keys, one for each value in each 65,536 entries
   * @param bytes the bytes of its pages
   */
  public record IndexSize(String index, long keys, long bytes) {}

  /** Examines the pages of a snapshot. */
  private interface Look<T> {
    T at(DataPages pages, LmdbSnapshot store) throws IOException;
  }

  /**
   * Counts the free pages by reading the lists of them.
   *
   * @throws StoreException if the file cannot be read
   */
  public static StoreSpace of(LmdbBackend backend) {
    StoreStatus status = backend.status();
    return look(
        backend,
        (pages, store) -> {
          long oldest = status.transactions() - status.oldestRead().behind();
          boolean isHeldBack = status.oldestRead().behind() > 0;
          long[] counts = new long[2];
          DataPages.Tree free = pages.free();
          if (free.root() != DataPages.NO_PAGE) {
            countFree(pages, free.root(), isHeldBack ? oldest : Long.MAX_VALUE, counts);
          }
          return new StoreSpace(pages.pageBytes(), pages.total(), counts[0], counts[1]);
        });
  }

  /**
   * Measures the indexes: the pages of each are found from the branch pages above them, the numbers
   * of keys and large values from some of the leaves.
   *
   * @throws StoreException if the file cannot be read
   */
  public static List<IndexSize> indexes(LmdbBackend backend) {
    return look(
        backend,
        (pages, store) -> {
          AttributeTable attributes = store.attributes();
          DataPages.Tree index = database(pages, pages.main().root());
          return index == null ? List.of() : IndexSizes.of(pages, index, attributes);
        });
  }

  private static <T> T look(LmdbBackend backend, Look<T> look) {
    LmdbEnvironment environment = backend.environment();
    int pageBytes = environment.pageBytes();
    for (int i = 0; i < LOOKS; i++) {
      try (LmdbSnapshot store = backend.readers().begin()) {
        long snapshot = store.slot().txn().getId();
        try (DataPages pages = DataPages.of(environment.directory(), pageBytes, snapshot)) {
          if (pages != null) {
            return look.at(pages, store);
          }
        }
      } catch (IOException | IndexOutOfBoundsException e) {
        throw new StoreException(
            "looking at the pages of the data file: " + FileFailures.reason(e), e);
      }
    }
    throw new StoreException("looking at the pages of the data file: commits come too fast");
  }

  /** Adds up, in this order, the free pages and the held-back ones among them. */
  private static void countFree(DataPages pages, long number, long oldest, long[] counts)
      throws IOException {
    DataPages.Page page = pages.page(number);
    for (int i = 0; i < page.size(); i++) {
      if (page.isLeaf()) {
        long count = pages.firstOf(page, i);
        counts[0] += count;
        counts[1] += page.bytes().getLong(page.keyAt(i)) >= oldest ? count : 0;
      } else {
        countFree(pages, page.child(i), oldest, counts);
      }
    }
  }

  /** Returns the tree of the indexes; null if there is none. */
  private static DataPages.@Nullable Tree database(DataPages pages, long number)
      throws IOException {
    if (number == DataPages.NO_PAGE) {
      return null;
    }
    DataPages.Page page = pages.page(number);
    for (int i = 0; i < page.size(); i++) {
      if (!page.isLeaf()) {
        DataPages.Tree below = database(pages, page.child(i));
        if (below != null) {
          return below;
        }
      } else if (isKey(page, i, INDEX)) {
        return DataPages.Tree.at(page.bytes(), page.valueAt(i));
      }
    }
    return null;
  }

  private static boolean isKey(DataPages.Page page, int node, byte[] key) {
    byte[] found = new byte[page.keyLength(node)];
    page.bytes().get(page.keyAt(node), found);
    return Arrays.equals(found, key);
  }
}
