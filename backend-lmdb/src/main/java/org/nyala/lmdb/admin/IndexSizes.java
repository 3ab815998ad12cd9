package org.nyala.lmdb.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.core.entry.AttributeTable;
import org.nyala.lmdb.admin.StoreSpace.IndexSize;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;

/**
 * Measures the parts of the index database, each of which has the keys of one attribute and kind.
 *
 * <p>Confined to one running operation. Keys of one part are adjacent. A leaf whose first and last
 * keys belong to the same part belongs to that part alone and is not read; only some such leaves
 * are, to find the number of keys and of large values in them. A leaf that contains the end of a
 * part is read.
 */
final class IndexSizes {
  /** The most leaves of a part that are read. */
  private static final int SAMPLE = 64;

  private static final int NOT_KNOWN = -1;
  private static final int KIND_BITS = 8;

  private final DataPages pages;
  private final Map<Integer, Part> parts = new TreeMap<>();
  private long pendingLeaf = DataPages.NO_PAGE;
  private int pendingFrom = NOT_KNOWN;

  /** The statistics of one part. */
  private static final class Part {
    private final List<Long> sample = new ArrayList<>();
    private long stride = 1;
    private long leaves;
    private double keys;
    private double bytes;

    /**
     * Counts a leaf page that belongs to this part alone; keeps a sample of them at equal
     * distances.
     */
    private void add(long leaf) {
      if (leaves++ % stride == 0) {
        sample.add(leaf);
      }
      if (sample.size() == 2 * SAMPLE) {
        for (int i = sample.size() - 1; i > 0; i -= 2) {
          sample.remove(i);
        }
        stride *= 2;
      }
    }
  }

  private IndexSizes(DataPages pages) {
    this.pages = pages;
  }

  static List<IndexSize> of(DataPages pages, DataPages.Tree tree, AttributeTable attributes)
      throws IOException {
    IndexSizes sizes = new IndexSizes(pages);
    if (tree.root() != DataPages.NO_PAGE) {
      sizes.visit(tree.root(), tree.depth(), NOT_KNOWN);
      sizes.leaf(DataPages.NO_PAGE, NOT_KNOWN);
    }
    List<IndexSize> named = new ArrayList<>();
    for (Map.Entry<Integer, Part> each : sizes.parts.entrySet()) {
      sizes.readSample(each.getValue());
      named.add(
          new IndexSize(
              name(each.getKey(), attributes),
              Math.round(each.getValue().keys),
              Math.round(each.getValue().bytes)));
    }
    return named;
  }

  private static String name(int part, AttributeTable attributes) {
    int attribute = part >>> KIND_BITS;
    int code = part & (1 << KIND_BITS) - 1;
    String kind = Integer.toString(code);
    for (IndexKind each : IndexKind.values()) {
      kind = each.code() == code ? each.label() : kind;
    }
    if (attribute == AttributeTable.ABSENT || attribute > attributes.size()) {
      return kind;
    }
    return attributes.description(attribute).toString().toLowerCase(Locale.ROOT) + ':' + kind;
  }

  /**
   * Visits the pages below a page, except for the leaves.
   *
   * @param level 1 for a leaf
   * @param from the part of the first key that may be below it
   */
  private void visit(long number, int level, int from) throws IOException {
    if (level <= 1) {
      leaf(number, from);
      return;
    }
    DataPages.Page page = pages.page(number);
    for (int i = 0; i < page.size(); i++) {
      visit(page.child(i), level - 1, i == 0 ? from : part(page, i));
    }
  }

  private static int part(DataPages.Page page, int node) {
    int at = page.keyAt(node);
    return Byte.toUnsignedInt(page.bytes().get(at)) << 2 * KIND_BITS
        | Byte.toUnsignedInt(page.bytes().get(at + 1)) << KIND_BITS
        | Byte.toUnsignedInt(page.bytes().get(at + IndexKeys.KIND_AT));
  }

  private Part of(int part) {
    return parts.computeIfAbsent(part, _ -> new Part());
  }

  /** Visits the next leaf; its first key shows the end of the previous leaf. */
  private void leaf(long number, int from) throws IOException {
    long ended = pendingLeaf;
    int endedFrom = pendingFrom;
    pendingLeaf = number;
    pendingFrom = from;
    if (ended == DataPages.NO_PAGE) {
      return;
    }
    if (endedFrom != NOT_KNOWN && endedFrom == from) {
      of(from).add(ended);
      return;
    }
    DataPages.Page page = pages.page(ended);
    long used = 0;
    for (int i = 0; i < page.size(); i++) {
      used += page.nodeBytes(i);
    }
    for (int i = 0; i < page.size(); i++) {
      Part part = of(part(page, i));
      part.keys++;
      part.bytes += (double) pages.pageBytes() * page.nodeBytes(i) / used;
      part.bytes += (double) pages.pageBytes() * page.ownPages(i, pages.pageBytes());
    }
  }

  private void readSample(Part part) throws IOException {
    long keys = 0;
    long ownPages = 0;
    for (long leaf : part.sample) {
      DataPages.Page page = pages.page(leaf);
      keys += page.size();
      for (int i = 0; i < page.size(); i++) {
        ownPages += page.ownPages(i, pages.pageBytes());
      }
    }
    if (part.leaves > 0) {
      double scale = part.leaves / (double) part.sample.size();
      part.keys += keys * scale;
      part.bytes += pages.pageBytes() * (part.leaves + ownPages * scale);
    }
  }
}
