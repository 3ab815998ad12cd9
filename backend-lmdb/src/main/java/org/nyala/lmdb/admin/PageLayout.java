package org.nyala.lmdb.admin;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.admin.DataPages.Page;

/**
 * Checks whether the nodes of a page are placed as LMDB places them: side by side up to the end of
 * the page. LMDB itself does not check this, and reads beyond the page if they are not.
 *
 * <p>Confined to one running operation.
 */
final class PageLayout {
  /** The length of a node is a multiple of this many bytes. */
  private static final int STEP = 2;

  private final int pageBytes;
  private int[] places = new int[64];

  PageLayout(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  /**
   * Returns the fault in a page, or null.
   *
   * @param number the page's position in the file
   * @param kind the expected kind: the flag of a branch, or of a leaf
   */
  @Nullable String problem(Page page, long number, int kind) {
    if (page.number() != number) {
      return "is numbered as page " + page.number();
    }
    if (page.flags() != kind) {
      return "has the flags " + page.flags() + ", not " + kind;
    }
    boolean hasNodes =
        page.lower() > DataPages.HEADER_LENGTH
            && page.lower() % STEP == 0
            && page.lower() <= page.upper()
            && page.upper() <= pageBytes;
    if (!hasNodes) {
      return "has slots for nodes up to " + page.lower() + ", and nodes from " + page.upper();
    }
    return areSideBySide(page, kind == Page.LEAF) ? null : "has nodes that are not adjacent";
  }

  private boolean areSideBySide(Page page, boolean isLeaf) {
    int count = page.size();
    if (places.length < count) {
      places = new int[2 * count];
    }
    for (int i = 0; i < count; i++) {
      int at = page.node(i);
      if (at < page.upper() || at + Page.NODE_LENGTH > pageBytes) {
        return false;
      }
      places[i] = at << Short.SIZE | i;
    }
    Arrays.sort(places, 0, count);
    long end = page.upper();
    for (int i = 0; i < count; i++) {
      if (places[i] >>> Short.SIZE != end) {
        return false;
      }
      end += length(page, places[i] & 0xffff, isLeaf);
      if (end > pageBytes) {
        return false;
      }
    }
    return end == pageBytes;
  }

  /** Returns the number of bytes that a node takes in its page, padding included. */
  private static long length(Page page, int index, boolean isLeaf) {
    long value = 0;
    if (isLeaf) {
      value =
          page.isValueElsewhere(index)
              ? Long.BYTES
              : Integer.toUnsignedLong(page.valueLength(index));
    }
    long length = Page.NODE_LENGTH + page.keyLength(index) + value;
    return length + length % STEP;
  }
}
